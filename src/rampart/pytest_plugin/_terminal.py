"""What a run adds to pytest's terminal output."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rampart.pytest_plugin._run import attempt_of

if TYPE_CHECKING:
    import pytest

    from rampart.pytest_plugin._run import Run


def add_section(item: pytest.Item, report: pytest.TestReport) -> None:
    """Show with the first failing phase of a test what the agent said and did."""
    attempt = attempt_of(item)
    if attempt is None or attempt.in_repetition or attempt.section_shown or not report.failed:
        return
    if attempt.first_bad is None:
        return


def show_summary(terminal: pytest.TerminalReporter, run: Run) -> None:
    """Show what the run found."""
