"""Run the tests of what needs a large library, in a virtual environment of its own.

    python -m scripts.environment_tests onedrive
    python -m scripts.environment_tests pyrit

What runs this needs pip. The environment stands in `.venvs/<name>` and is made anew when pyproject.toml asks
for something else. It holds rampart with the extra of that name, and what development needs.
"""

import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

from scripts.requirements import requirements

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, kw_only=True)
class Environment:
    """What an environment is for.

    Attributes:
        library: What has to be importable, so that no test is skipped for want of it.
        tests: Where its tests are; they carry a mark of the environment's name.
    """

    library: str
    tests: str


ENVIRONMENTS = {
    "onedrive": Environment(library="msgraph", tests="tests/surfaces/one_drive"),
    "pyrit": Environment(library="pyrit", tests="tests/integrations/pyrit"),
}


def development() -> str:
    """The requirements of development, as pip reads them."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return requirements(settings, runtime=False)


def make(folder: Path, *, extras: str, wanted: str) -> None:
    """Install rampart with extras and what else is wanted, unless it is there.

    Args:
        folder: Where the environment stands.
        extras: Names of extras, separated by commas.
        wanted: The text of a requirements file; another text, or other extras, make the environment anew.
    """
    wanted = f"{wanted}# extras: {extras}\n"
    stamp = folder / "installed.txt"
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted:
        return
    print(f"making {folder}", flush=True)
    run([sys.executable, "-m", "venv", "--clear", "--without-pip", str(folder)])
    requirement_file = folder / "requirements.txt"
    requirement_file.write_text(wanted, encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(python_of(folder))]
    package = f".[{extras}]" if extras else "."
    run([*pip, "install", "--quiet", "--editable", package, "--requirement", str(requirement_file)])
    stamp.write_text(wanted, encoding="utf-8")


def python_of(folder: Path) -> Path:
    """The interpreter of an environment."""
    return folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"


def run(command: list[str]) -> None:
    """Run a command in the checkout, and end with its status if it fails."""
    status = subprocess.run(command, cwd=ROOT, check=False).returncode
    if status != 0:
        raise SystemExit(status)


def main(arguments: list[str]) -> None:
    """Make the environment and run its tests."""
    if not arguments or arguments[0] not in ENVIRONMENTS:
        raise SystemExit(f"usage: environment_tests.py {'|'.join(ENVIRONMENTS)} [arguments for pytest]")
    name, *rest = arguments
    environment, folder = ENVIRONMENTS[name], ROOT / ".venvs" / name
    make(folder, extras=name, wanted=development())
    python = str(python_of(folder))
    run([python, "-c", f"import {environment.library}"])
    run([python, "-m", "pytest", "-m", name, environment.tests, *rest])


if __name__ == "__main__":
    main(sys.argv[1:])
