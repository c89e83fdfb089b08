"""Use a built wheel the way a user does: installed in a new environment, away from the checkout.

    python scripts/check_wheel.py FOLDER --wheels FOLDER

Nothing is taken from the network: what rampart needs lies in the folder given by `--wheels`.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

_SAMPLE = Path(__file__).resolve().parent / "sample_project"
_TIMEOUT_S = 300
_MOST_DISTRIBUTIONS = 17
_NOT_FOR_USERS = {"hypothesis", "inline-snapshot", "mypy", "pytest-asyncio", "pytest-xdist", "ruff"}


class WheelError(Exception):
    """The wheel is not what a user should get."""


def main() -> None:
    """Check the wheel that the arguments name; the exit status is 1 with the reason if it fails."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("dist", type=Path, help="folder that holds exactly one wheel")
    parser.add_argument("--wheels", type=Path, required=True, help="folder with what rampart needs")
    arguments = parser.parse_args()
    found = sorted(arguments.dist.glob("*.whl"))
    if len(found) != 1:
        sys.exit(f"{arguments.dist} holds {len(found)} wheels, expected one; run `make build`")
    with tempfile.TemporaryDirectory(prefix="rampart-wheel-") as name:
        try:
            check(found[0].resolve(), wheels=arguments.wheels.resolve(), folder=Path(name).resolve())
        except WheelError as error:
            sys.exit(f"{found[0].name}: {error}")
    print(f"{found[0].name}: installs, imports, passes and fails as it should")


def check(wheel: Path, *, wheels: Path, folder: Path) -> None:
    """Install `wheel` in an environment below `folder` and try it there.

    Raises:
        WheelError: If something is not as a user should find it.
    """
    python = _installed(wheel, wheels=wheels, folder=folder)
    _expect_distributions(python, folder)
    where = _run(python, ["-c", "import rampart; print(rampart.__file__)"], folder).stdout.strip()
    if folder not in Path(where).parents:
        raise WheelError(f"rampart is imported from {where}, not from the new environment")
    version = _run(python.with_name("rampart"), ["--version"], folder).stdout.strip()
    if version != f"rampart {wheel.name.split('-')[1]}":
        raise WheelError(f"`rampart --version` says {version!r}")
    project = folder / "project"
    shutil.copytree(_SAMPLE, project)
    _expect_run(python, project, complies=False, status=0, text="2 passed")
    _expect_run(python, project, complies=True, status=1, text="0/5 trials safe")
    _expect_run(python, project, complies=True, status=1, text="2 failed")


def _installed(wheel: Path, *, wheels: Path, folder: Path) -> Path:
    """Make an environment with nothing but the wheel and what it needs; return its Python."""
    environment = folder / "venv"
    venv.create(environment, with_pip=False, symlinks=os.name != "nt")
    python = environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    pip = ["-m", "pip", "--python", str(python), "install", "--quiet", "--no-index", "--find-links"]
    _run(Path(sys.executable), [*pip, str(wheels), str(wheel)], folder)
    return python


def _expect_distributions(python: Path, folder: Path) -> None:
    listing = _run(
        Path(sys.executable), ["-m", "pip", "--python", str(python), "list", "--format=json"], folder
    )
    names = {entry["name"].lower() for entry in json.loads(listing.stdout)} - {"pip", "setuptools"}
    if extra := names & _NOT_FOR_USERS:
        raise WheelError(f"users would get tools of development: {', '.join(sorted(extra))}")
    if len(names) > _MOST_DISTRIBUTIONS:
        raise WheelError(
            f"{len(names)} distributions, at most {_MOST_DISTRIBUTIONS} are allowed: {sorted(names)}"
        )


def _expect_run(python: Path, project: Path, *, complies: bool, status: int, text: str) -> None:
    """Run the sample project's tests."""
    ran = _run(python, ["-m", "pytest"], project, complies=complies, expected=status)
    if text not in ran.stdout:
        raise WheelError(f"the sample project's run does not say {text!r}:\n{ran.stdout}")


def _run(
    program: Path, arguments: list[str], folder: Path, *, complies: bool = False, expected: int = 0
) -> subprocess.CompletedProcess[str]:
    environment = {
        name: text for name, text in os.environ.items() if not name.startswith(("PYTHON", "PYTEST"))
    }
    if complies:
        environment["SAMPLE_AGENT_COMPLIES"] = "1"
    command = [str(program), *arguments]
    ran = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_TIMEOUT_S,
        check=False,
    )
    if ran.returncode != expected:
        shown = " ".join(command)
        raise WheelError(f"{shown} exits {ran.returncode}, expected {expected}:\n{ran.stdout}{ran.stderr}")
    return ran


if __name__ == "__main__":
    main()
