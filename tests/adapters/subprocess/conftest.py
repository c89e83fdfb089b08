"""Programs that stand for command-line agents."""

import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest


@pytest.fixture
def program(tmp_path: Path) -> Callable[[str], list[str]]:
    """A command that runs a program, without arguments."""

    def command(code: str) -> list[str]:
        path = tmp_path / "agent.py"
        path.write_text(dedent(code), encoding="utf-8")
        return [sys.executable, "-I", str(path)]

    return command
