"""The hook that rampart adds to pytest."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

    from rampart.core.report import ReportSink


def pytest_rampart_sinks(config: pytest.Config) -> list[ReportSink] | None:
    """Give the sinks that shall receive the report of this run; all implementations are used."""
