"""Where the rates of attacks stand: on the terminal, in the JSON report, in what is kept of a population."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.reporting.support import ERROR, SAFE, UNSAFE, figures_of, recorded, report_of, trials, written

from rampart.core.evaluation import EvalOutcome, EvalResult
from rampart.core.population import PopulationResult
from rampart.records.population import population_of
from rampart.reporting.terminal import summary_sections

if TYPE_CHECKING:
    from pathlib import Path

    from rampart.core.report import TestRunReport
    from rampart.core.result import Result, SafetyStatus


def answer(*, done: bool) -> EvalResult:
    return EvalResult(outcome=EvalOutcome.DETECTED if done else EvalOutcome.NOT_DETECTED)


def attacks(*statuses: SafetyStatus) -> list[Result]:
    """Attacks under which the job was never done, beside controls in which it was."""
    members = trials(*statuses, name="test_attack", utility=answer(done=False))
    for member in members:
        member.control = recorded(SAFE, utility=answer(done=True))
    return members


def last_line(report: TestRunReport) -> str:
    (section,) = summary_sections(report=report)
    return section.lines[-1]


ONE_OF_FOUR = {"count": 1, "total": 4, "rate": 0.25}
RATES = {
    "attack_success": ONE_OF_FOUR,
    "utility_under_attack": {"count": 0, "total": 4, "rate": 0.0},
    "benign_utility": {"count": 4, "total": 4, "rate": 1.0},
    "control_success": {"count": 0, "total": 4, "rate": 0.0},
}


def without_intervals(rates: dict[str, dict[str, object]]) -> dict[str, dict[str, object]]:
    return {
        name: {key: value for key, value in rate.items() if key != "interval"} for name, rate in rates.items()
    }


def test_terminal_ends_with_them_over_the_whole_run() -> None:
    members = attacks(SAFE, UNSAFE, SAFE, SAFE)
    assert last_line(report_of([*members, recorded(UNSAFE)])) == (
        "Attacks: "
        "utility under attack 0/4 (0.0%, 95% interval: 0.0%-49.0%), "
        "benign utility 4/4 (100.0%, 95% interval: 51.0%-100.0%), "
        "targeted attack success 1/4 (25.0%, 95% interval: 4.6%-69.9%), "
        "success without injection 0/4 (0.0%, 95% interval: 0.0%-49.0%)"
    )


def test_report_has_them_for_the_run_and_for_each_population(tmp_path: Path) -> None:
    members = attacks(SAFE, UNSAFE, SAFE, SAFE)
    others = trials(SAFE, SAFE, name="test_probe")
    populations = [figures_of(members, members=members), figures_of(others, members=others)]
    document = written(tmp_path, report_of([*members, *others], populations=populations))
    assert without_intervals(document["attack_rates"]) == RATES
    assert document["attack_rates"]["attack_success"]["interval"] == pytest.approx([0.0456, 0.6994], abs=1e-4)
    first, second = document["populations"]
    assert first["attack_rates"] == document["attack_rates"]
    assert "attack_rates" not in second


def test_population_of_a_run_that_was_cut_off_has_them() -> None:
    figures = population_of(attacks(SAFE, UNSAFE, SAFE, SAFE), pytest_nodeid=None)
    assert without_intervals(figures["attack_rates"]) == RATES


NO_RATES = {"nobody-asked": trials(SAFE, UNSAFE), "all-failed": attacks(ERROR, ERROR)}


@pytest.mark.parametrize("members", NO_RATES.values(), ids=NO_RATES)
def test_where_there_is_no_rate_nothing_is_said(members: list[Result], tmp_path: Path) -> None:
    for member in members:
        if member.control is not None:
            member.control = recorded(ERROR)
    report = report_of(members, populations=[figures_of(members, members=members)])
    assert last_line(report).startswith("Population: 2 runs")
    assert "attack_rates" not in written(tmp_path, report)
    assert "attack_rates" not in report.populations[0]
    summary = PopulationResult(results=members, threshold=0.8).summary
    assert summary.endswith(("status: unsafe", "status: error"))


def test_attacks_that_were_not_asked_about_the_job_have_their_success() -> None:
    members = trials(SAFE, UNSAFE, name="test_attack", strategy="xpia")
    line = last_line(report_of([*members, recorded(UNSAFE, strategy="probe")]))
    assert line == "Attacks: targeted attack success 1/2 (50.0%, 95% interval: 9.5%-90.5%)"
    population = PopulationResult(results=members, threshold=0.5)
    assert population.attack_rates is not None
    assert population.summary.endswith("status: safe")


def test_probes_have_none() -> None:
    assert last_line(report_of([recorded(UNSAFE, strategy="probe")])).startswith("Population: ")
