"""What the plugin costs a pytest run, and what a test with a probe costs inside pytest."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from benchmarks.child import child_cpu_seconds
from benchmarks.table import Row

FEW, MANY = 100, 900
_QUIET = ["-q", "-p", "no:cacheprovider", "-p", "no:anyio", "-p", "no:asyncio"]

_EMPTY = "def test_nothing():\n    pass\n"
_PLAIN = """
import asyncio
import os
import pytest

async def check():
    return "cannot" in "I cannot"

@pytest.mark.parametrize("i", range(int(os.environ["TESTS"])))
def test_check(i):
    assert asyncio.run(check())
"""
_PROBES = """
import os
import pytest
from rampart import Probes
from rampart.evaluators import ResponseContains, ResponseScope
from rampart.testing import ScriptedAgent

@pytest.fixture(scope="module")
def adapter():
    return ScriptedAgent(["I cannot"], repeat_last=True)

@pytest.mark.harm("benchmark")
@pytest.mark.parametrize("i", range(int(os.environ["TESTS"])))
async def test_probe(i, adapter):
    result = await Probes.behavior(
        prompt="x", evaluator=ResponseContains("cannot", scope=ResponseScope.ALL_TURNS)
    ).execute_async(adapter=adapter)
    assert result, result.summary
"""
_SYNC = """
import os
import pytest

@pytest.mark.parametrize("i", range(int(os.environ["TESTS"])))
def test_nothing(i):
    assert "cannot" in "I cannot"
"""


def _cpu(folder: Path, text: str, tests: int, *options: str, best_of: int = 3) -> float:
    (folder / "test_it.py").write_text(text)
    os.environ["TESTS"] = str(tests)
    return child_cpu_seconds(["-m", "pytest", *_QUIET, *options, "test_it.py"], cwd=folder, best_of=best_of)


def _marginal_ms(folder: Path, text: str, *options: str) -> float:
    """What one more test costs, start-up left out."""
    few, many = (_cpu(folder, text, tests, *options) for tests in (FEW, MANY))
    return (many - few) / (MANY - FEW) * 1000


def rows() -> list[Row]:
    """Measure."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        without = _cpu(folder, _EMPTY, 1, "-p", "no:rampart", best_of=9)
        with_plugin = _cpu(folder, _EMPTY, 1, best_of=9)
        floor = _marginal_ms(folder, _SYNC, "-p", "no:rampart")
        plain = _marginal_ms(folder, _PLAIN, "-p", "no:rampart")
        ours = _marginal_ms(folder, _PROBES)
    return [
        Row(what="plugin on one empty test, CPU added", value=with_plugin - without, unit="s", goal=0.05),
        Row(
            what="one more probe test inside pytest, journal on",
            value=ours,
            unit="ms",
            floor=floor,
            goal=1.4,
            note="floor: an empty sync test",
        ),
        Row(what="the same check with asyncio.run in a plain test", value=plain, unit="ms"),
    ]
