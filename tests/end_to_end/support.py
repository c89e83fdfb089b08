"""Projects of users, run as users run them: a child process, no configuration."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from textwrap import dedent
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Run:
    """How a pytest run in a child process ended."""

    status: int
    output: str
    errors: str

    def line_with(self, text: str) -> str:
        for line in self.output.splitlines():
            if text in line:
                return line
        raise AssertionError(f"no line with {text!r} in:\n{self.output}\n{self.errors}")


def command(*options: str) -> list[str]:
    return [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options]


def environment(**changes: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "RAMPART"))}
    return {**kept, **changes}


def project(folder: Path, **files: str) -> Path:
    """Write a project; `conftest` stands for `conftest.py`."""
    for name, text in files.items():
        (folder / f"{name}.py").write_text(dedent(text).lstrip(), encoding="utf-8")
    return folder


def run_pytest(folder: Path, *options: str, **changes: str) -> Run:
    done = subprocess.run(
        command(*options),
        cwd=folder,
        env=environment(**changes),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=100,
    )
    return Run(done.returncode, done.stdout, done.stderr)
