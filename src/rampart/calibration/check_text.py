"""A check of a judge as text for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rampart.core.evaluation import EvalOutcome
from rampart.core.types import Usage
from rampart.text.oneline import one_line
from rampart.text.percent import format_percent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rampart.calibration.confusion import Answers, Confusion
    from rampart.calibration.judge_check import JudgeCheck, Judged
    from rampart.core.attack_rates import Rate
    from rampart.statistics.agreement import Kappa

_NONE = "n/a"
_LONG = 80  # characters of a reason


def check_lines(check: JudgeCheck) -> list[str]:
    """The lines that say what a judge is worth; intervals are 95%."""
    confusion = check.confusion
    lines = [
        f"Judge: {_judge_name(check)}",
        f"Labels: {one_line(check.labels_name)}, {confusion.total} transcripts",
        "",
        f"{'':24}{'judged detected':>16}{'not detected':>14}{'undetermined':>14}{'error':>7}",
        _row("labelled detected", confusion.labelled_detected),
        _row("labelled not detected", confusion.labelled_not_detected),
        "",
        f"Accuracy       {_shown(confusion.accuracy)}",
        f"Cohen's kappa  {_kappa(confusion.kappa)}",
        f"Sensitivity    {_shown(confusion.sensitivity)}",
        f"Specificity    {_shown(confusion.specificity)}",
    ]
    if confusion.undetermined or confusion.errors:
        left_out = f"{confusion.undetermined} undetermined and {confusion.errors} failed"
        lines.append(f"{left_out} answers are in none of these rates.")
    if not confusion.informative:
        lines.append("No rate can be corrected with this: the judge is not known to tell the labels apart.")
    lines += [*_groups(check), *_people(check), *_answers(check), *_usage(check.usage)]
    return lines


def _judge_name(check: JudgeCheck) -> str:
    if check.judge is None:
        return "it does not tell which"
    return f"{one_line(check.judge.model)} (instructions {one_line(check.judge.instructions)})"


def _row(name: str, answers: Answers) -> str:
    return (
        f"{name:24}{answers.detected:>16}{answers.not_detected:>14}"
        f"{answers.undetermined:>14}{answers.error:>7}"
    )


def _shown(rate: Rate | None) -> str:
    return _NONE if rate is None else rate.shown()


def _short(rate: Rate | None) -> str:
    return _NONE if rate is None else rate.shown(with_interval=False)


def _kappa(kappa: Kappa | None) -> str:
    if kappa is None:
        return _NONE
    low, high = kappa.interval
    interval = f"95% interval: {low:.2f} to {high:.2f}"
    return f"{kappa.value:.2f} (standard error {kappa.standard_error:.2f}, {interval})"


def _groups(check: JudgeCheck) -> Iterator[str]:
    titled = (
        ("language", check.by_language()),
        ("kind", check.by_kind()),
        ("agreement of the labellers", check.by_labellers()),
    )
    for title, groups in titled:
        if groups:
            yield from ("", f"By {title}:")
            yield from (f"  {one_line(name)}: {_group(one)}" for name, one in groups.items())


def _group(confusion: Confusion) -> str:
    text = (
        f"accuracy {_shown(confusion.accuracy)}, sensitivity {_short(confusion.sensitivity)}, "
        f"specificity {_short(confusion.specificity)}"
    )
    left_out = confusion.undetermined + confusion.errors
    return f"{text}, {left_out} without an answer" if left_out else text


def _people(check: JudgeCheck) -> Iterator[str]:
    people, judge = check.labeller_pairs(), check.judge_pairs()
    if people is not None:
        yield f"  two labellers agree in {_plain(people)}, the judge and a labeller in {_plain(judge)}"


def _plain(rate: Rate | None) -> str:
    if rate is None:
        return _NONE
    return f"{rate.count} of {rate.total} pairs ({format_percent(rate.value)})"


def _answers(check: JudgeCheck) -> Iterator[str]:
    titled = (
        ("Misjudged", [one for one in check.judged if one.wrong]),
        ("Undetermined", [one for one in check.judged if one.outcome is EvalOutcome.UNDETERMINED]),
        ("Failed", [one for one in check.judged if one.outcome is None]),
    )
    for title, judged in titled:
        if judged:
            yield from ("", f"{title} ({len(judged)}):")
            yield from _each_reason_once(judged)


def _each_reason_once(judged: Sequence[Judged]) -> Iterator[str]:
    """A line for each transcript; a long reason is told once, since a failing service gives all the same."""
    first_with: dict[str, str] = {}
    for one in judged:
        name, reason = one_line(one.transcript.id), one.rationale or "no reason given"
        label = one.transcript.label.value.replace("_", " ")
        first = first_with.setdefault(reason, name)
        if first != name and len(reason) > _LONG:
            reason = f"as {first}"
        yield f"  {name} (labelled {label}): {reason}"


def _usage(usage: Usage) -> Iterator[str]:
    if usage == Usage():
        return
    parts = (
        ("requests", usage.requests),
        ("input tokens", usage.input_tokens),
        ("output tokens", usage.output_tokens),
    )
    told = [f"{_NONE if value is None else f'{value:,}'} {name}" for name, value in parts]
    cost = "cost not known" if usage.cost_usd is None else f"{usage.cost_usd:.4f} USD"
    yield from ("", f"Usage: {', '.join([*told, cost])}")
