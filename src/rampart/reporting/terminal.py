"""The lines with which a run ends on the terminal, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rampart.core.population import attack_clauses, population_line
from rampart.core.report import TestRunReport, last_attempts
from rampart.core.result import Result, SafetyStatus, status_of
from rampart.records.population import Population, population_of
from rampart.reporting.judge_calibration import judge_lines
from rampart.reporting.plain_result import plain_result
from rampart.reporting.status_label import LABELS, WORST_FIRST
from rampart.reporting.usage import usage_lines
from rampart.text.oneline import one_line, quote
from rampart.text.percent import format_percent
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MAX_MEMBERS = 20
"""How many members of a population are listed."""

_SUMMARY_LIMIT = 4000  # more than any summary of our own; a test may write what it likes
_NOT_ALL = "what follows does not cover every test"


@dataclass(frozen=True, kw_only=True)
class Section:
    """A part of the terminal's summary.

    Attributes:
        title: What its separator says.
        lines: Its lines, without line breaks, secrets and control sequences.
    """

    title: str
    lines: list[str]


@dataclass(frozen=True, kw_only=True)
class _Entry:
    """What stands in a category: a population with its members, or a result on its own."""

    status: SafetyStatus
    lines: list[str]


def summary_sections(*, report: TestRunReport, incomplete_reasons: Sequence[str] = ()) -> list[Section]:
    """What to print at the end of a run.

    Results of earlier attempts of a test that was run again are left out, as they are from the counts.

    Args:
        report: The run's report.
        incomplete_reasons: Why it does not cover every test; empty if it does.
    """
    sections = []
    if incomplete_reasons:
        reasons = [f"  - {one_line(safe_str(reason))}" for reason in incomplete_reasons]
        sections.append(Section(title="rampart: incomplete run", lines=[_NOT_ALL, *reasons]))
    if report.results:
        readable = TestRunReport(
            results=[plain_result(result) for result in report.results], populations=report.populations
        )
        lines = [*_category_lines(readable), "", _totals(readable), *_rates(readable)]
        lines += judge_lines(report.metadata)
        lines += usage_lines(report.metadata)
        sections.append(Section(title="rampart summary", lines=lines))
    return sections


def _category_lines(report: TestRunReport) -> list[str]:
    counted = TestRunReport(results=last_attempts(report.results))
    figures = {population.get("id"): population for population in report.populations}
    members = _members(counted.results)
    lines: list[str] = []
    shown: set[str] = set()
    outer = _populations_of_populations(report.populations, members)
    for category, results in counted.by_harm_category().items():
        lines += ["", f"{one_line(category).upper()} ({len(results)} results)"]
        entries = []
        for result in results:
            population = result.population
            entries += [
                _population_entry([], whole, name=_test_name(result))
                for whole in outer.pop(result.metadata.get("_pytest_nodeid"), ())
            ]
            if population is None:
                entries.append(_Entry(status=status_of(result), lines=[_result_line(result)]))
            elif population.id not in shown:
                shown.add(population.id)
                entries.append(
                    _population_entry(
                        members[population.id], figures.get(population.id), name=_test_name(result)
                    )
                )
        for entry in sorted(entries, key=lambda entry: WORST_FIRST.index(entry.status)):
            lines += entry.lines
    return lines


def _members(results: Iterable[Result]) -> dict[str, list[Result]]:
    members: dict[str, list[Result]] = {}
    for result in results:
        if result.population is not None:
            members.setdefault(result.population.id, []).append(result)
    return members


def _populations_of_populations(
    populations: Iterable[Population], members: dict[str, list[Result]]
) -> dict[object, list[Population]]:
    """By test, the populations of which no result is a member: their trials ran populations themselves."""
    outer: dict[object, list[Population]] = {}
    for population in populations:
        if population.get("id") not in members:
            outer.setdefault(population.get("pytest_nodeid"), []).append(population)
    return outer


def _population_entry(members: list[Result], figures: Population | None, *, name: str) -> _Entry:
    if figures is None:
        figures = population_of(members, pytest_nodeid=None)
    status = SafetyStatus(figures["status"]) if figures["status"] else SafetyStatus.UNDETERMINED
    summary = population_line(
        safe=figures["safe_count"],
        executed=figures["executed"],
        requested=figures["size"],
        threshold=figures["threshold"],
        interval=figures["interval"],
        status=figures["status"],
    )
    summary += attack_clauses(members, early=figures["executed"] < figures["size"])
    first = f"  {LABELS[status]}  {name} -- {summary}" if name else f"  {LABELS[status]}  {summary}"
    bad = sorted(
        (member for member in members if status_of(member) is not SafetyStatus.SAFE),
        key=lambda member: (WORST_FIRST.index(status_of(member)), _index(member)),
    )
    lines = [first, *(_result_line(member, index=_index(member)) for member in bad[:MAX_MEMBERS])]
    if len(bad) > MAX_MEMBERS:
        lines.append(f"  ... and {len(bad) - MAX_MEMBERS} more")
    return _Entry(status=status, lines=lines)


def _index(member: Result) -> int:
    return 0 if member.population is None else member.population.index


def _result_line(result: Result, *, index: int | None = None) -> str:
    level: Any = result.observability_level
    text = f"{quote(safe_str(result.summary), _SUMMARY_LIMIT)} ({getattr(level, 'value', 'unknown')})"
    name = _test_name(result)
    if name and index is not None:
        name = f"{name}[{index}]"
    label = LABELS[status_of(result)]
    return f"  {label}  {name} -- {text}" if name else f"  {label}  {text}"


def _test_name(result: Result) -> str:
    name = result.metadata.get("_pytest_test_name")
    return one_line(name) if isinstance(name, str) else ""


def _rates(report: TestRunReport) -> list[str]:
    rates = report.attack_rates()
    return [] if rates is None else [f"Attacks: {rates.summary()}"]


def _totals(report: TestRunReport) -> str:
    figures = report.population_summary()
    rate = figures.attack_success_rate
    shown = "n/a" if rate is None else format_percent(rate)
    return (
        f"Population: {figures.total_runs} runs - {figures.unsafe_count} unsafe "
        f"({shown} attack success rate), {figures.undetermined_count} undetermined, "
        f"{figures.error_count} errors"
    )
