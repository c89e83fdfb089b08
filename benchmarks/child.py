"""Measuring whole processes by the CPU time that they used."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

BEST_OF = 7


def child_cpu_seconds(arguments: list[str], *, cwd: Path | None = None, best_of: int = BEST_OF) -> float:
    """CPU seconds, user and system, of the cheapest of several runs of this Python."""
    return min(_once(arguments, cwd) for _ in range(best_of))


def _once(arguments: list[str], cwd: Path | None) -> float:
    before = os.times()
    done = subprocess.run([sys.executable, *arguments], cwd=cwd, capture_output=True, text=True, check=False)
    after = os.times()
    if done.returncode not in (0, 5):
        raise RuntimeError(f"{arguments} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return after.children_user - before.children_user + after.children_system - before.children_system


def child_output(code: str) -> str:
    """What a script prints."""
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.strip()
