"""The table of frameworks and cases in the docs."""

from dataclasses import dataclass
from pathlib import Path

from scripts.adapter_environments import FRAMEWORKS, Framework

BEGIN = "<!-- begin: written by scripts/test-adapters -->"
END = "<!-- end -->"
_SIGNS = {"passed": "✓", "skipped": "–", "failed": "✗"}


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How a case ended for a framework.

    Attributes:
        place: The file of the test, as a path in the checkout.
        case: The case, in the words of its docstring.
        outcome: `passed`, `skipped` or `failed`.
        shared: Whether it is one of the cases that all adapters share.
    """

    place: str
    case: str
    outcome: str
    shared: bool


def write_table(page: Path, *, outcomes: list[Outcome], versions: dict[str, str]) -> None:
    """Replace the table of a page.

    Raises:
        ValueError: If the page has no place for it.
    """
    text = page.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        msg = f"{page} has no lines {BEGIN} and {END}, between which the table would stand"
        raise ValueError(msg)
    table = render(outcomes, versions)
    page.write_text(f"{before}{begin}\n\n{table}\n\n{end}{after}", encoding="utf-8")


def render(outcomes: list[Outcome], versions: dict[str, str]) -> str:
    """Two Markdown tables: versions and numbers, and the shared cases by framework."""
    shown = [one for one in FRAMEWORKS if one.adapter in versions]
    lines = ["| | Adapter | Framework | Version | Tests passed |", "|---|---|---|---|---|"]
    for number, one in enumerate(shown, 1):
        mine = [outcome.outcome for outcome in outcomes if _is_of(outcome, one)]
        name = f"[{one.adapter}]({one.page})" if one.page else one.adapter
        framework, version = one.distribution or "none", versions[one.adapter] if one.distribution else ""
        lines.append(f"| {number} | {name} | {framework} | {version} | {_passed(mine)} |")
    with_cases = [one for one in shown if any(o.shared and _is_of(o, one) for o in outcomes)]
    numbers = [str(shown.index(one) + 1) for one in with_cases]
    lines += ["", f"| Case | {' | '.join(numbers)} |", f"|---|{'---|' * len(numbers)}"]
    for case in dict.fromkeys(outcome.case for outcome in outcomes if outcome.shared):
        signs = [
            _sign([o.outcome for o in outcomes if o.case == case and _is_of(o, one)]) for one in with_cases
        ]
        lines.append(f"| {case.replace('|', '/')} | {' | '.join(signs)} |")
    return "\n".join(lines)


def _is_of(outcome: Outcome, framework: Framework) -> bool:
    return outcome.place.startswith(tuple(framework.tests))


def _passed(outcomes: list[str]) -> str:
    failed, passed = outcomes.count("failed"), outcomes.count("passed")
    return f"{passed}, {failed} failed" if failed else str(passed)


def _sign(outcomes: list[str]) -> str:
    if "failed" in outcomes:
        return _SIGNS["failed"]
    return _SIGNS["passed"] if "passed" in outcomes else _SIGNS["skipped"]
