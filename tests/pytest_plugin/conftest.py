"""A small project in which pytest runs under pytest."""

import json
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

import rampart
import rampart.evaluators
import rampart.records
import rampart.reporting
import rampart.testing

# pytester forgets what a run in this process has imported. All of rampart has to be there before, or the
# names that the root package remembers would belong to modules of an earlier run.
for _name in rampart.__all__:
    getattr(rampart, _name)

KIT = '''
import asyncio

from rampart import (
    BaseExecution, HarmCategory, ObservabilityLevel, PopulationRef, PopulationResult, Result, SafetyStatus,
    execute_trials_async, record_result,
)
from rampart.testing import ScriptedAgent

SAFE, UNSAFE = SafetyStatus.SAFE, SafetyStatus.UNSAFE
UNDETERMINED, ERROR = SafetyStatus.UNDETERMINED, SafetyStatus.ERROR


def agent():
    return ScriptedAgent(["ok"], repeat_last=True)


def made(status=SAFE, summary=None, **fields):
    """A result that no execution produced."""
    return Result(
        status=status,
        summary=summary or f"this is {status.value}",
        observability_level=ObservabilityLevel.TOOL_ONLY,
        **fields,
    )


class Fixed(BaseExecution):
    """An execution with a verdict that is known beforehand."""

    strategy_name = "fixed"

    def __init__(self, status=SAFE, summary=None, **fields):
        super().__init__()
        self.status, self.summary, self.fields = status, summary, fields

    async def _execute_async(self, *, adapter):
        if isinstance(self.status, BaseException):
            raise self.status
        await asyncio.sleep(0)
        return made(self.status, self.summary, **self.fields)


async def one(status=SAFE, summary=None, **fields):
    return await Fixed(status, summary, **fields).execute_async(adapter=agent())


def one_now(status=SAFE, summary=None, **fields):
    return asyncio.run(one(status, summary, **fields))


async def many(statuses, threshold=1.0, **options):
    given = iter(list(statuses))
    return await execute_trials_async(
        execution_factory=lambda: Fixed(next(given)), adapter=agent(), n=len(statuses), threshold=threshold,
        **options,
    )
'''

CONFTEST = """
import json
from pathlib import Path

import pytest
from rampart.core.result import status_of


class Dump:
    async def emit_async(self, *, report):
        results = [
            {
                "status": status_of(result).value,
                "summary": result.summary,
                "nodeid": result.metadata.get("_pytest_nodeid"),
                "name": result.metadata.get("_pytest_test_name"),
                "index": result.metadata.get("_rampart_result_index"),
                "attempt": result.metadata.get("_rampart_attempt"),
                "harm": None if result.harm_category is None else str(result.harm_category),
                "population": result.population and [
                    result.population.id, result.population.index, result.population.size,
                    result.population.threshold,
                ],
            }
            for result in report.results
        ]
        summary = report.population_summary()
        Path("dump.json").write_text(json.dumps({
            "results": results,
            "populations": report.populations,
            "totals": [report.total_runs, report.passed, report.failed, report.undetermined, report.errors],
            "rates": [summary.attack_success_rate, summary.safety_pass_rate],
            "metadata": report.metadata,
            "duration": report.duration_seconds,
        }))


def pytest_rampart_sinks(config):
    return [Dump()]
"""


# Plugins that cost each run a second and that most tests here have no use for.
LIGHT = ("-p", "no:hypothesispytest", "-p", "no:inline_snapshot", "-p", "no:asyncio")


class Project:
    """A project with the kit above, and ways to run its tests."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.pytester = pytester
        self.path = pytester.path
        pytester.makepyfile(kit=KIT)
        pytester.makeconftest(CONFTEST)

    def write(self, source: str, *, name: str = "test_it") -> None:
        """Write a test file that has the kit's names."""
        body = dedent(source).lstrip("\n")
        (self.path / f"{name}.py").write_text(f"import pytest\nfrom kit import *\n\n{body}", encoding="utf-8")

    def run(self, *args: str) -> pytest.RunResult:
        """Run pytest in this process: quick, for all that depends on no process."""
        self._forget()
        return self.pytester.runpytest_inprocess(*LIGHT, "-W", "default", *args)

    def run_apart(self, *args: str) -> pytest.RunResult:
        """Run pytest in a process of its own."""
        self._forget()
        return self.pytester.runpytest_subprocess(*LIGHT, *args)

    def start(self, *args: str, **options: Any) -> "subprocess.Popen[str]":
        """Start pytest and do not wait for its end."""
        self._forget()
        command = [sys.executable, "-m", "pytest", *LIGHT, *args]
        options = {"text": True, **options}
        return subprocess.Popen(
            command, cwd=self.path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options
        )

    @property
    def dump(self) -> dict[str, Any]:
        """What the sink of the last run was given."""
        content: dict[str, Any] = json.loads((self.path / "dump.json").read_text(encoding="utf-8"))
        return content

    @property
    def has_dump(self) -> bool:
        """Whether a sink ran in the last run."""
        return (self.path / "dump.json").exists()

    @property
    def journals(self) -> list[Path]:
        """The journal files of all runs, oldest first."""
        return sorted((self.path / ".rampart" / "runs").glob("*/*.jsonl"))

    def journal_lines(self, position: int = -1) -> list[dict[str, Any]]:
        """The lines of one journal file."""
        text = self.journals[position].read_text(encoding="utf-8")
        return [json.loads(line) for line in text.splitlines()]

    def statuses(self) -> list[str]:
        """The verdicts of the last run's report, in its order."""
        return [result["status"] for result in self.dump["results"]]

    def _forget(self) -> None:
        (self.path / "dump.json").unlink(missing_ok=True)


@pytest.fixture
def project(pytester: pytest.Pytester) -> Project:
    """A fresh project."""
    return Project(pytester)
