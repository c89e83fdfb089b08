"""Projects of users, in which pytest runs in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

CONFTEST = """
from pathlib import Path

from rampart.reporting import JsonFileReportSink


def pytest_rampart_sinks(config):
    return [JsonFileReportSink(output_dir=Path("reports"))]
"""

# Plugins of this environment that cost each run time; a project names those that it wants.
_OTHER_PLUGINS = {
    "anyio": "anyio",
    "asyncio": "asyncio",
    "hypothesis": "hypothesispytest",
    "inline-snapshot": "inline_snapshot",
    "rerunfailures": "rerunfailures",
    "timeout": "timeout",
    "xdist": "xdist",
}


def only_report(folder: Path) -> dict[str, Any]:
    """The one JSON report in a folder, read as strictly as other programs would."""
    (path,) = folder.glob("*.json")
    return read_report(path)


def read_report(path: Path) -> dict[str, Any]:
    """A JSON report, which has to be UTF-8 and free of what JSON does not know."""
    report: dict[str, Any] = json.loads(path.read_bytes().decode("utf-8"), parse_constant=_refuse_constant)
    return report


def _refuse_constant(text: str) -> None:
    raise AssertionError(f"{text} is no JSON")


@dataclass(frozen=True, kw_only=True)
class Run:
    """How a run of pytest ended.

    Attributes:
        status: The exit status.
        output: What it printed, errors included.
        outcomes: What became of each test, by name: passed, failed, error or skipped.
        messages: Why, for those that did not pass.
        reports: The JSON reports that it wrote, oldest first.
        journal: The lines of its journal.
        journal_path: Where they are.
    """

    status: int
    output: str
    outcomes: dict[str, str]
    messages: dict[str, str]
    reports: list[dict[str, Any]]
    journal: list[dict[str, Any]]
    journal_path: Path | None

    @property
    def report(self) -> dict[str, Any]:
        """The one JSON report."""
        assert len(self.reports) == 1, self.output
        return self.reports[0]

    def results(self, test: str | None = None) -> list[dict[str, Any]]:
        """The report's results, of all tests or of those whose node id ends like this."""
        found = [result for part in self.report["by_harm_category"].values() for result in part]
        found.sort(key=lambda result: (result["pytest_nodeid"], result["result_index"]))
        return [result for result in found if test is None or result["pytest_nodeid"].endswith(test)]

    def statuses(self, test: str | None = None) -> list[str]:
        """The verdicts in the report, in the order in which a test recorded them."""
        return [result["status"] for result in self.results(test)]

    def populations(self, test: str | None = None) -> list[dict[str, Any]]:
        """The report's populations, of all tests or of those whose node id ends like this."""
        found: list[dict[str, Any]] = self.report["populations"]
        return [one for one in found if test is None or one["pytest_nodeid"].endswith(test)]

    def line_with(self, text: str) -> str:
        """The first line of the output that holds a text."""
        for line in self.output.splitlines():
            if text in line:
                return line
        raise AssertionError(f"no line with {text!r} in:\n{self.output}")


class Child:
    """A folder with tests of a user, which may `from kit import *`.

    Args:
        folder: Where it is.
        conftest: Its conftest.py; the usual one writes JSON reports to `reports`.
        ini: The lines of its pytest.ini.
    """

    def __init__(self, folder: Path, *, conftest: str = CONFTEST, ini: str = "") -> None:
        self.folder = folder
        folder.mkdir(exist_ok=True)
        self.write("conftest.py", conftest)
        self.write("kit.py", Path(__file__).with_name("kit.py").read_text(encoding="utf-8"))
        # A file of settings, though an empty one, keeps those of folders above out.
        self.write("pytest.ini", f"[pytest]\n{ini}\n")

    def write(self, name: str, text: str) -> None:
        """Write a file."""
        (self.folder / name).write_text(dedent(text).lstrip("\n"), encoding="utf-8")

    def run(self, *options: str, plugins: Sequence[str] = (), **environment: str) -> Run:
        """Run pytest here, with these plugins beside rampart."""
        unwanted = [part for name, part in _OTHER_PLUGINS.items() if name not in plugins]
        return self.run_script(
            "-m",
            "pytest",
            "--junitxml=junit.xml",
            *[word for name in unwanted for word in ("-p", f"no:{name}")],
            *options,
            **environment,
        )

    def run_script(self, *arguments: str, **environment: str) -> Run:
        """Run Python here."""
        before = {*self._files("reports/*.json"), *self._files(".rampart/runs/*/*.jsonl")}
        (self.folder / "junit.xml").unlink(missing_ok=True)
        kept = {
            name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "RAMPART"))
        }
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=self.folder,
            env={**kept, "PYTHONDONTWRITEBYTECODE": "1", **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            timeout=100,
        )
        reports = [path for path in self._files("reports/*.json") if path not in before]
        journals = [path for path in self._files(".rampart/runs/*/*.jsonl") if path not in before]
        assert len(journals) <= 1
        outcomes, messages = self._outcomes()
        return Run(
            status=done.returncode,
            output=done.stdout.decode("utf-8", errors="backslashreplace"),
            outcomes=outcomes,
            messages=messages,
            reports=[read_report(path) for path in reports],
            journal=[json.loads(line) for path in journals for line in path.read_bytes().splitlines()],
            journal_path=journals[0] if journals else None,
        )

    def _files(self, pattern: str) -> list[Path]:
        return sorted(self.folder.glob(pattern))

    def _outcomes(self) -> tuple[dict[str, str], dict[str, str]]:
        outcomes: dict[str, str] = {}
        messages: dict[str, str] = {}
        if (self.folder / "junit.xml").exists():
            for case in ET.parse(self.folder / "junit.xml").iter("testcase"):
                name = case.get("name", "")
                bad = next((part for part in case if part.tag in ("failure", "error", "skipped")), None)
                # A second entry of a test is about its tear-down; the worse one stays.
                if bad is not None:
                    outcomes[name] = {"failure": "failed"}.get(bad.tag, bad.tag)
                    messages[name] = f"{bad.get('message', '')}\n{bad.text or ''}"
                else:
                    outcomes.setdefault(name, "passed")
        return outcomes, messages
