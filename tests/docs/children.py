"""The processes in which blocks are run: what they get, how long they may take, what they say."""

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path

TIMEOUT_S = 100
"""For one process. Below the limit of a test, so that what was printed until then is shown."""

_NOT_PASSED_ON = ("PYTEST", "RAMPART", "CI", "FORCE_COLOR", "GITHUB", "COV_CORE")


@dataclass(frozen=True, kw_only=True)
class Ran:
    """How a process ended.

    Attributes:
        status: Its exit status; None if it took too long.
        output: What it printed, errors included.
    """

    status: int | None
    output: str

    @property
    def ending(self) -> str:
        """The end of the process and its output, for a message."""
        how = f"did not end within {TIMEOUT_S} s" if self.status is None else f"exit status {self.status}"
        return f"{how}, having printed:\n{self.output}"


def run_pytest(arguments: Sequence[str], *, folder: Path) -> Ran:
    """Run pytest in `folder`, without a cache."""
    return _run([sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments], folder)


def run_script(path: Path, *, folder: Path) -> Ran:
    """Run a Python file in `folder`."""
    return _run([sys.executable, str(path)], folder)


def run_commands(text: str, *, folder: Path) -> Ran:
    """Run lines of shell in `folder`; the first that fails ends it."""
    return _run(["bash", "-eu", "-o", "pipefail", "-c", text], folder)


def _run(command: list[str], folder: Path) -> Ran:
    try:
        process = subprocess.run(
            command,
            cwd=folder,
            env=_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        return Ran(status=None, output=_text(error.stdout or b""))
    return Ran(status=process.returncode, output=_text(process.stdout))


def _text(output: bytes) -> str:
    return output.decode(errors="replace")


def _environment() -> dict[str, str]:
    """The environment of a user: rampart installed, nothing configured, lines that are not cut."""
    inherited = {name: text for name, text in os.environ.items() if not name.startswith(_NOT_PASSED_ON)}
    programs = str(Path(sys.executable).parent)
    return inherited | {
        "PATH": os.pathsep.join([programs, os.environ.get("PATH", os.defpath)]),
        "PYTEST_ADDOPTS": " ".join(f"-p no:{name}" for name in _other_plugins()),
        "COLUMNS": "160",
        "NO_COLOR": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUNBUFFERED": "1",
    }


@cache
def _other_plugins() -> list[str]:
    """The plugins of pytest that a user of rampart need not have; `pytest -p NAME` brings one back."""
    return sorted(plugin.name for plugin in entry_points(group="pytest11") if plugin.name != "rampart")
