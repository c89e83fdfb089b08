"""A plugin of pytest that writes down how each case ended, for the table in the docs."""

import inspect
import json
import os
from collections.abc import Generator
from pathlib import Path

import pytest
from tests.adapters.frameworks.agent_cases import AgentCases

_ROOT = Path(__file__).resolve().parents[3]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Write a line for a test that ended, and for one that did not get to its call."""
    report = yield
    target = os.environ.get("RAMPART_ADAPTER_OUTCOMES")
    if target and (call.when == "call" or (call.when == "setup" and not report.passed)):
        cls = getattr(item, "cls", None)
        shared = inspect.isclass(cls) and issubclass(cls, AgentCases) and hasattr(AgentCases, item.name)
        told = inspect.getdoc(getattr(AgentCases, item.name)) if shared else None
        line = {
            "place": item.path.relative_to(_ROOT).as_posix(),
            "case": (told or item.name).partition("\n")[0],
            "outcome": report.outcome,
            "shared": shared,
        }
        with Path(target).open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
    return report
