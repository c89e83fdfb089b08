"""What a run adds to pytest's terminal output; the texts are made in `rampart.reporting`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rampart.core.connection import noted
from rampart.core.log import log
from rampart.pytest_plugin._run import attempt_of
from rampart.text.oneline import one_line

if TYPE_CHECKING:
    import pytest

    from rampart.pytest_plugin._run import Run


def add_section(item: pytest.Item, report: pytest.TestReport) -> None:
    """Show with the first failing phase of a test what the agent said and did; note a skip in set-up."""
    attempt = attempt_of(item)
    if attempt is None or attempt.in_repetition:
        return
    if report.when == "setup" and report.skipped:
        attempt.skipped_in_setup = True
    if attempt.section_shown or not report.failed:
        return
    if attempt.first_bad is not None:
        from rampart.reporting.failure_section import (  # noqa: PLC0415  # passing runs need none
            SECTION_TITLE,
            failure_section,
        )

        attempt.section_shown = True
        text = failure_section(result=attempt.first_bad, journal_path=attempt.run.journal.path)
        report.sections.append((SECTION_TITLE, text))


def show_summary(terminal: pytest.TerminalReporter, run: Run) -> None:
    """Show what the run found; nothing if no test recorded anything and nothing went wrong."""
    if run.result_count or run.incomplete:
        _show_sections(terminal, run)
    if run.result_count:
        _show_connections(terminal)
    for notice in run.notices:
        terminal.write_line(f"rampart: {notice}")


def _show_connections(terminal: pytest.TerminalReporter) -> None:
    """Say which adapters `connect` chose and what they observe."""
    for connection in noted():
        terminal.write_line(one_line(f"Agent: {connection}"))


def _show_sections(terminal: pytest.TerminalReporter, run: Run) -> None:
    from rampart.reporting.terminal import summary_sections  # noqa: PLC0415  # runs without results need none

    try:
        sections = summary_sections(report=run.report(), incomplete_reasons=run.incomplete)
    except Exception:  # the exit status and the sinks are not to suffer from a line of text
        log.exception("the summary could not be made")
        run.notices.append("the summary could not be made; journal and reports are not affected")
        return
    for section in sections:
        terminal.write_sep("=", section.title)
        for line in section.lines:
            terminal.write_line(line)
