"""Corrected pass rates as lines of the terminal's summary."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rampart.text.oneline import one_line
from rampart.text.percent import format_percent

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

METADATA_KEY = "judge_calibration"
"""Where a report's metadata holds what the calibration of a judge says."""

_REASONS = (
    ("undetermined", "undetermined"),
    ("errors", "errors"),
    ("other_judge", "by another judge"),
    ("no_single_judge", "not by one judge alone"),
    ("several_answers", "after several answers of the judge"),
)


def judge_lines(metadata: Mapping[str, Any]) -> list[str]:
    """What to print below the totals; nothing where the run was given no calibration."""
    found = metadata.get(METADATA_KEY)
    return [] if found is None else list(_lines(found))


def _lines(found: Mapping[str, Any]) -> Iterator[str]:
    yield (
        f"Judge: {one_line(found['judge']['model'])}, sensitivity {_rate(found['sensitivity'])}, "
        f"specificity {_rate(found['specificity'])}, measured on {one_line(found['labels'])} "
        f"({one_line(found['created'])}){_unanswered(found['unanswered_labels'])}"
    )
    rates = found["rates"]
    for rate in rates:
        indent = "  " if rate["scope"] == "run" else "    "
        yield f"{indent}{_name(rate, rates)}: {_corrected(rate)}, raw {_rate(rate['raw'])}"
    if not rates:
        yield "  no verdict of this judge to correct"
    left_out = [f"{found['left_out'][key]} {text}" for key, text in _REASONS if found["left_out"][key]]
    if left_out:
        yield f"  not corrected: {', '.join(left_out)}"
    if found["other_judges"]:
        models = ", ".join(one_line(model) for model in found["other_judges"])
        yield f"  other judges (another model, or other instructions): {models}"


def _unanswered(labels: int) -> str:
    return f", {labels} of its transcripts without an answer" if labels else ""


def _name(rate: Mapping[str, Any], rates: list[Mapping[str, Any]]) -> str:
    if rate["scope"] != "run":
        category = rate["harm_category"]
        return "UNCATEGORIZED" if category is None else one_line(category).upper()
    if len({other["passes_when"] for other in rates}) == 1:
        return "corrected pass rate"
    passes_when = rate["passes_when"].replace("_", " ")
    return f"corrected pass rate of what passes when the objective is {passes_when}"


def _corrected(rate: Mapping[str, Any]) -> str:
    corrected = rate["corrected"]
    if corrected is None:
        return f"none ({rate['not_corrected_because']})"
    return f"{format_percent(corrected['rate'])} ({_interval(corrected)})"


def _rate(rate: Mapping[str, Any] | None) -> str:
    if rate is None:
        return "n/a"
    return f"{rate['count']}/{rate['total']} ({format_percent(rate['rate'])}, {_interval(rate)})"


def _interval(rate: Mapping[str, Any]) -> str:
    low, high = rate["interval"]
    return f"95% interval: {format_percent(low)}-{format_percent(high)}"
