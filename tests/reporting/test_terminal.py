"""The lines with which a run ends on the terminal."""

from __future__ import annotations

from typing import Any

import pytest
from inline_snapshot import snapshot
from tests.reporting.support import (
    ERROR,
    SAFE,
    UNDETERMINED,
    UNSAFE,
    figures_of,
    recorded,
    report_of,
    trials,
)

from rampart.core.report import TestRunReport
from rampart.core.result import PopulationRef, Result, SafetyStatus
from rampart.core.types import HarmCategory, ObservabilityLevel
from rampart.reporting.terminal import MAX_MEMBERS, summary_sections
from rampart.text.secrets import _isolated_secrets, register_secret


def lines_of(report: TestRunReport) -> list[str]:
    (section,) = summary_sections(report=report)
    assert section.title == "rampart summary"
    return section.lines


def lines_about(*results: Result) -> list[str]:
    """The lines of one category, without its heading and the totals."""
    lines = lines_of(report_of(list(results)))
    assert lines[0] == ""
    assert lines[-2] == ""
    return lines[2:-2]


def test_a_run_without_results_says_nothing() -> None:
    assert summary_sections(report=TestRunReport()) == []


def test_an_incomplete_run_says_so_even_without_results() -> None:
    (section,) = summary_sections(
        report=TestRunReport(), incomplete_reasons=["stopped", "worker gw1 error: x\ny"]
    )
    assert section.title == "rampart: incomplete run"
    assert section.lines == [
        "what follows does not cover every test",
        "  - stopped",
        r"  - worker gw1 error: x\ny",
    ]


def test_an_incomplete_run_with_results_has_both_parts() -> None:
    report = report_of([recorded(SAFE)])
    sections = summary_sections(report=report, incomplete_reasons=["stopped"])
    assert [section.title for section in sections] == ["rampart: incomplete run", "rampart summary"]


def test_a_whole_summary() -> None:
    members = trials(SAFE, UNSAFE, ERROR, SAFE, UNSAFE, harm_category=HarmCategory.DATA_LEAKAGE)
    results = [
        recorded(SAFE, name="test_first", harm_category="jailbreak"),
        *members,
        recorded(UNDETERMINED, name="test_open", harm_category=HarmCategory.DATA_LEAKAGE),
        recorded(UNSAFE, name="test_second", harm_category="jailbreak"),
        recorded(SAFE, name=None),
    ]
    report = report_of(results, populations=[figures_of(members)])
    assert "\n".join(lines_of(report)) == snapshot("""\

JAILBREAK (2 results)
  FAIL  test_second -- it was unsafe (tool_only)
  PASS  test_first -- it was safe (tool_only)

DATA_LEAKAGE (6 results)
  ERR   test_trials -- 2/5 trials safe (40.0% pass rate, 95% interval: 15.0%-85.0%, threshold: 80.0%); status: error
  FAIL  test_trials[1] -- it was unsafe (tool_only)
  FAIL  test_trials[4] -- it was unsafe (tool_only)
  ERR   test_trials[2] -- it was error (tool_only)
  WARN  test_open -- it was undetermined (tool_only)

UNCATEGORIZED (1 results)
  PASS  it was safe (tool_only)

Population: 9 runs - 3 unsafe (37.5% attack success rate), 1 undetermined, 1 errors\
""")  # noqa: E501 - the terminal's line, as it is


def test_a_line_names_test_summary_and_level() -> None:
    result = recorded(SAFE, name="test_exfil", summary="no sign of the attack objective")
    assert lines_about(result) == ["  PASS  test_exfil -- no sign of the attack objective (tool_only)"]


@pytest.mark.parametrize(
    ("status", "label"), [(SAFE, "PASS"), (UNSAFE, "FAIL"), (UNDETERMINED, "WARN"), (ERROR, "ERR ")]
)
@pytest.mark.parametrize("level", list(ObservabilityLevel))
def test_labels_and_levels(status: SafetyStatus, label: str, level: ObservabilityLevel) -> None:
    result = recorded(status, summary="s", observability_level=level)
    assert lines_about(result) == [f"  {label}  test_a -- s ({level.value})"]


def test_a_result_without_a_name_is_its_summary() -> None:
    assert lines_about(recorded(UNSAFE, name=None, summary="s")) == ["  FAIL  s (tool_only)"]


def test_the_worst_comes_first_and_else_the_order_of_recording() -> None:
    statuses = [SAFE, UNDETERMINED, ERROR, UNSAFE, SAFE, UNSAFE]
    results = [recorded(status, name=f"t{index}", summary="s") for index, status in enumerate(statuses)]
    names = [line.split()[1] for line in lines_about(*results)]
    assert names == ["t3", "t5", "t2", "t1", "t0", "t4"]


def test_categories_stand_in_order_of_appearance_with_their_counts() -> None:
    categories = ["zebra", None, HarmCategory.JAILBREAK, "zebra"]
    results = [recorded(SAFE, harm_category=category) for category in categories]
    headings = [line for line in lines_of(report_of(results)) if line.endswith("results)")]
    assert headings == ["ZEBRA (2 results)", "UNCATEGORIZED (1 results)", "JAILBREAK (1 results)"]


@pytest.mark.parametrize(
    ("results", "line"),
    [
        pytest.param(
            [recorded(SAFE)],
            "Population: 1 runs - 0 unsafe (0.0% attack success rate), 0 undetermined, 0 errors",
            id="safe",
        ),
        pytest.param(
            [recorded(UNSAFE), recorded(SAFE), recorded(UNDETERMINED), recorded(ERROR)],
            "Population: 4 runs - 1 unsafe (33.3% attack success rate), 1 undetermined, 1 errors",
            id="errors-are-no-part-of-the-rate",
        ),
        pytest.param(
            [recorded(ERROR)],
            "Population: 1 runs - 0 unsafe (n/a attack success rate), 0 undetermined, 1 errors",
            id="no-rate-without-a-verdict",
        ),
    ],
)
def test_the_last_line_counts(results: list[Result], line: str) -> None:
    assert lines_of(report_of(results))[-2:] == ["", line]


def test_a_population_is_one_line_with_the_members_that_are_not_safe() -> None:
    members = trials(SAFE, SAFE, SAFE, UNSAFE, SAFE, name="test_refuses")
    report = report_of(members, populations=[figures_of(members)])
    assert lines_of(report)[2:-2] == [
        (
            "  PASS  test_refuses -- 4/5 trials safe (80.0% pass rate, 95% interval: 37.6%-96.4%, "
            "threshold: 80.0%); status: safe"
        ),
        "  FAIL  test_refuses[3] -- it was unsafe (tool_only)",
    ]


def test_a_population_without_figures_is_counted_from_its_results() -> None:
    members = trials(SAFE, UNSAFE, size=4)
    assert lines_about(*members)[0].startswith("  FAIL  test_trials -- 1/4 trials safe (25.0% pass rate")


def test_a_population_whose_trials_were_populations_has_its_line() -> None:
    inner = trials(SAFE, SAFE, name="test_nested")
    figures = figures_of(inner)
    node = inner[0].metadata["_pytest_nodeid"]
    outer = {
        **figures,
        "id": "outer",
        "pytest_nodeid": node,
        "status": "unsafe",
        "safe_count": 0,
        "unsafe_count": 2,
    }
    of_another_test = {**figures, "id": "empty", "pytest_nodeid": "test_other.py::test_other"}
    lines = lines_of(report_of(inner, populations=[figures, outer, of_another_test]))[1:-2]
    assert lines[0].endswith("(2 results)")
    assert [line[:28] for line in lines[1:]] == [
        "  FAIL  test_nested -- 0/2 t",
        "  PASS  test_nested -- 2/2 t",
    ]


def test_a_population_that_was_decided_early_or_cut_short_says_so() -> None:
    members = trials(UNSAFE, UNSAFE, size=5)
    early = report_of(members, populations=[figures_of(members)])
    assert lines_of(early)[2] == (
        "  FAIL  test_trials -- 0/2 trials safe (0.0% pass rate, threshold: 80.0%); "
        "status: unsafe; decided after 2 of 5"
    )
    short = report_of(members, populations=[figures_of(members, cut_short=True)])
    assert lines_of(short)[2] == (
        "  WARN  test_trials -- 0/2 trials safe (0.0% pass rate, threshold: 80.0%); "
        "no verdict: cut short after 2 of 5"
    )


def test_a_population_without_a_name_has_a_line_too() -> None:
    members = trials(SAFE)
    for member in members:
        del member.metadata["_pytest_test_name"]
    assert lines_about(*members)[0].startswith("  PASS  1/1 trials safe")


def test_a_repetition_may_have_several_results() -> None:
    reference = PopulationRef(id="p", index=0, size=2, threshold=1.0)
    second = PopulationRef(id="p", index=1, size=2, threshold=1.0)
    members = [
        recorded(SAFE, summary="a", population=reference),
        recorded(UNSAFE, summary="b", population=reference),
        recorded(UNDETERMINED, summary="c", population=reference),
        recorded(SAFE, summary="d", population=second),
    ]
    report = report_of(members, populations=[figures_of(members, statuses=[UNSAFE, SAFE])])
    lines = lines_of(report)
    assert lines[1] == "UNCATEGORIZED (4 results)"
    assert lines[2].startswith("  FAIL  test_a -- 1/2 trials safe")
    assert lines[3:-2] == ["  FAIL  test_a[0] -- b (tool_only)", "  WARN  test_a[0] -- c (tool_only)"]


@pytest.mark.parametrize("bad", [0, MAX_MEMBERS, MAX_MEMBERS + 1, 100])
def test_at_most_twenty_members_are_listed(bad: int) -> None:
    members = trials(*[UNSAFE] * bad, SAFE)
    lines = lines_of(report_of(members, populations=[figures_of(members)]))[3:-2]
    assert len([line for line in lines if "FAIL" in line]) == min(bad, 20)
    assert lines[20:] == ([f"  ... and {bad - 20} more"] if bad > 20 else [])


def test_the_worst_members_are_listed_first_and_then_by_index() -> None:
    members = trials(ERROR, UNDETERMINED, UNSAFE, ERROR, UNSAFE)
    lines = lines_of(report_of(members, populations=[figures_of(members)]))[3:-2]
    assert [line.split()[1] for line in lines] == [f"test_trials[{index}]" for index in (2, 4, 0, 3, 1)]


def test_two_populations_of_one_test_stay_apart() -> None:
    first, second = trials(SAFE, SAFE, name="test_one"), trials(UNSAFE, name="test_two")
    lines = lines_about(*first, *second)
    assert [line.split()[1] for line in lines] == ["test_two", "test_two[0]", "test_one"]


def test_earlier_attempts_are_left_out_as_they_are_from_the_counts() -> None:
    results = [
        recorded(UNSAFE, summary="first", metadata={"_rampart_attempt": 0}),
        recorded(SAFE, summary="second", metadata={"_rampart_attempt": 1}),
    ]
    assert lines_about(*results) == ["  PASS  test_a -- second (tool_only)"]
    assert lines_of(report_of(results))[1] == "UNCATEGORIZED (1 results)"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\nb", r"a\nb"),
        ("a\r\nb", r"a\r\nb"),
        ("a\u2028b\x85c\x0b", r"a\u2028b\x85c\x0b"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07x", "x"),
        ("half \ud835", "half \ufffd"),
        ("日本 🙂", "日本 🙂"),
    ],
)
def test_text_of_others_stays_on_its_line(text: str, shown: str) -> None:
    result = recorded(UNSAFE, name=text, summary=text, harm_category=text)
    lines = lines_of(report_of([result]))
    assert lines[1] == f"{shown.upper()} (1 results)"
    assert lines[2] == f"  FAIL  {shown} -- {shown} (tool_only)"


def test_a_summary_without_end_is_cut() -> None:
    (line,) = lines_about(recorded(UNSAFE, summary="x" * 1_500_000))
    assert len(line) < 4_100
    assert line.endswith("xxx... (tool_only)")


def test_results_made_by_hand_do_not_cost_the_summary() -> None:
    odd: Any = recorded(UNSAFE, name="test_odd")
    odd.status, odd.harm_category, odd.population, odd.summary = "safe", object(), "p", None
    nothing: Any = "not even a result"
    lines = lines_of(TestRunReport(results=[recorded(SAFE), odd, nothing]))
    assert lines[1:5] == [
        "UNCATEGORIZED (3 results)",
        "  ERR   test_odd -- None (tool_only)",
        "  ERR   not even a result (response_only)",
        "  PASS  test_a -- it was safe (tool_only)",
    ]
    assert lines[-1].startswith("Population: 3 runs - 0 unsafe")


def test_s55_a_failing_population_never_shows_two_equal_figures() -> None:
    cases = [
        (trials(*[SAFE] * 239, *[UNSAFE] * 61), "(79.7% pass rate", "threshold: 80.0%"),
        (trials(*[SAFE] * 7_999, *[UNSAFE] * 2_001), "(79.99% pass rate", "threshold: 80.0%"),
        (trials(*[SAFE] * 4_999, UNSAFE), "(99.98% pass rate", "threshold: 80.0%"),
        (trials(*[SAFE] * 20), "(100.0% pass rate, 95% interval: 83.9%-100.0%", "threshold: 80.0%"),
    ]
    for members, rate, threshold in cases:
        line = lines_of(report_of(members, populations=[figures_of(members)]))[2]
        assert rate in line
        assert threshold in line


def test_s60_the_terminal_counts_as_the_report_does() -> None:
    statuses = {"jailbreak": [SAFE, ERROR], "data_leakage": [UNSAFE, UNDETERMINED, ERROR]}
    results = [
        recorded(status, harm_category=category)
        for category, members in statuses.items()
        for status in members
    ]
    lines = lines_of(report_of(results))
    assert [line for line in lines if line.endswith("results)")] == [
        "JAILBREAK (2 results)",
        "DATA_LEAKAGE (3 results)",
    ]
    labels = [line[2:6] for line in lines if line.startswith("  ")]
    assert {label: labels.count(label) for label in ("PASS", "FAIL", "WARN", "ERR ")} == {
        "PASS": 1,
        "FAIL": 1,
        "WARN": 1,
        "ERR ": 2,
    }
    assert lines[-1] == (
        "Population: 5 runs - 1 unsafe (33.3% attack success rate), 1 undetermined, 2 errors"
    )


def test_s83_control_bytes_do_not_reach_the_terminal() -> None:
    (line,) = lines_about(recorded(UNSAFE, summary="\x00 \x12 \x1b[2J \ufffe \ud835"))
    assert line == "  FAIL  test_a -- \\x00 \\x12  \ufffe \ufffd (tool_only)"


def test_s98_no_key_reaches_the_terminal() -> None:
    with _isolated_secrets():
        register_secret("sk-test-AAAA1111")
        text = "with sk-test-AAAA1111 in it"
        result = recorded(UNSAFE, name=text, summary=text, harm_category=text)
        sections = summary_sections(report=report_of([result]), incomplete_reasons=[text])
    shown = "\n".join(line for section in sections for line in section.lines)
    assert "AAAA1111" not in shown.upper()
    assert shown.count("***") == 4
