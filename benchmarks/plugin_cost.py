"""What the plugin costs a pytest run, and what a test with a probe costs inside pytest."""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks.child import child_cpu_seconds
from benchmarks.table import Row

TESTS = 500
_QUIET = ["-q", "-p", "no:cacheprovider", "-p", "no:anyio", "-p", "no:asyncio"]

_EMPTY = "def test_nothing():\n    pass\n"
_PLAIN = f"""
import asyncio
import pytest

async def check():
    return "cannot" in "I cannot"

@pytest.mark.parametrize("i", range({TESTS}))
def test_check(i):
    assert asyncio.run(check())
"""
_PROBES = f"""
import pytest
from rampart import Probes
from rampart.evaluators import ResponseContains, ResponseScope
from rampart.testing import ScriptedAgent

@pytest.fixture(scope="module")
def adapter():
    return ScriptedAgent(["I cannot"], repeat_last=True)

@pytest.mark.harm("benchmark")
@pytest.mark.parametrize("i", range({TESTS}))
async def test_probe(i, adapter):
    result = await Probes.behavior(
        prompt="x", evaluator=ResponseContains("cannot", scope=ResponseScope.ALL_TURNS)
    ).execute_async(adapter=adapter)
    assert result, result.summary
"""
_SYNC = f"""
import pytest

@pytest.mark.parametrize("i", range({TESTS}))
def test_nothing(i):
    assert "cannot" in "I cannot"
"""


def _cpu(folder: Path, name: str, text: str, *options: str, best_of: int = 3) -> float:
    (folder / f"test_{name}.py").write_text(text)
    return child_cpu_seconds(
        ["-m", "pytest", *_QUIET, *options, f"test_{name}.py"], cwd=folder, best_of=best_of
    )


def rows() -> list[Row]:
    """Measure."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        without = _cpu(folder, "empty", _EMPTY, "-p", "no:rampart", best_of=9)
        with_plugin = _cpu(folder, "empty", _EMPTY, best_of=9)
        floor = _cpu(folder, "sync", _SYNC, "-p", "no:rampart")
        plain = _cpu(folder, "plain", _PLAIN, "-p", "no:rampart")
        ours = _cpu(folder, "probes", _PROBES)
    per_test = 1000 / TESTS
    return [
        Row(what="plugin on one empty test, CPU added", value=with_plugin - without, unit="s", goal=0.05),
        Row(
            what="one probe test inside pytest, journal on",
            value=(ours - with_plugin) * per_test,
            unit="ms",
            floor=(floor - without) * per_test,
            goal=1.4,
            note="floor: an empty sync test",
        ),
        Row(
            what="the same check with asyncio.run in a plain test",
            value=(plain - without) * per_test,
            unit="ms",
        ),
    ]
