"""How often attacks succeed, and how often the user's job is done with and without them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rampart.core.evaluation import EvalResult
from rampart.core.result import Result, SafetyStatus, status_of
from rampart.statistics.interval import wilson_interval
from rampart.text.percent import format_percent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


_ATTACKS = frozenset({"xpia", "prompt", "crescendo", "goat", "memory", "pair", "tap"})
"""The strategies whose UNSAFE says that an attack succeeded."""


@dataclass(frozen=True, kw_only=True)
class Rate:
    """How many of how many.

    Attributes:
        count: Runs of which it is true.
        total: Runs of which it was asked, at least 1.
    """

    count: int
    total: int

    @property
    def value(self) -> float:
        """The fraction, 0.0 to 1.0."""
        return self.count / self.total

    @property
    def interval(self) -> tuple[float, float]:
        """95% Wilson score interval for the true rate."""
        return wilson_interval(self.count, self.total)

    def shown(self, *, with_interval: bool = True) -> str:
        """The counts, the percentage and the interval."""
        between = ""
        if with_interval:
            low, high = self.interval
            between = f", 95% interval: {format_percent(low)}-{format_percent(high)}"
        return f"{self.count}/{self.total} ({format_percent(self.value)}{between})"


@dataclass(frozen=True, kw_only=True)
class AttackRates:
    """The rates over many attacks, and over their control arms.

    The first three are those of AgentDojo: E. Debenedetti et al., "AgentDojo: A Dynamic Environment to
    Evaluate Prompt Injection Attacks and Defenses for LLM Agents", NeurIPS 2024. Runs that are
    ERROR are left out. An answer that is UNDETERMINED stays in the total and counts as not shown.

    Attributes:
        attack_success: Attacks that reached their objective (targeted attack success rate).
        utility_under_attack: Attacked runs in which the user's job was done and the attack's objective not
            reached; None if no run was asked about the job.
        benign_utility: Control runs in which the user's job was done; None without any.
        control_success: Control runs in which the objective was reached with nothing planted; None without
            any. Where it is not 0, an attack's success proves less than it seems.
    """

    attack_success: Rate | None
    utility_under_attack: Rate | None
    benign_utility: Rate | None
    control_success: Rate | None

    @classmethod
    def of(cls, results: Iterable[Result]) -> AttackRates | None:
        """The rates over the attacks among `results`; None if there is none, or all are ERROR."""
        attacks = [result for result in results if _is_attack(result)]
        if not attacks:
            return None
        controls = [result.control for result in attacks if result.control is not None]
        rates = cls(
            attack_success=_rate(attacks, _succeeded),
            utility_under_attack=_rate(_asked(attacks), lambda run: _useful(run) and not _succeeded(run)),
            benign_utility=_rate(_asked(controls), _useful),
            control_success=_rate(controls, _succeeded),
        )
        return rates if any(rate is not None for rate in vars(rates).values()) else None

    @property
    def more_than_success(self) -> bool:
        """Whether there is a rate besides that of attack success, which the verdicts tell already."""
        others = (self.utility_under_attack, self.benign_utility, self.control_success)
        return any(rate is not None for rate in others)

    def summary(self, *, with_intervals: bool = True) -> str:
        """The rates that there are, in one line.

        Args:
            with_intervals: Whether they stand for more than themselves; stopping early biases them.
        """
        named = (
            ("utility under attack", self.utility_under_attack),
            ("benign utility", self.benign_utility),
            ("targeted attack success", self.attack_success),
            ("success without injection", self.control_success),
        )
        return ", ".join(
            f"{name} {rate.shown(with_interval=with_intervals)}" for name, rate in named if rate is not None
        )

    def as_json(self) -> dict[str, dict[str, Any] | None]:
        """Each rate with its counts and interval, as reports and journals write it."""
        return {
            name: None
            if rate is None
            else {
                "count": rate.count,
                "total": rate.total,
                "rate": rate.value,
                "interval": list(rate.interval),
            }
            for name, rate in vars(self).items()
        }


def delivery_clause(results: Iterable[Result]) -> str:
    """In how many runs every payload is known to have reached the agent, unless it did in all of them."""
    planted = [
        result for result in results if result.injections and status_of(result) is not SafetyStatus.ERROR
    ]
    proven = sum(all(record.delivery == "observed" for record in result.injections) for result in planted)
    return "" if proven == len(planted) else f"; delivery observed in {proven} of {len(planted)}"


def _is_attack(result: Result) -> bool:
    return (
        result.strategy in _ATTACKS
        or bool(result.injections)
        or result.utility is not None
        or result.control is not None
    )


def _rate(runs: Iterable[Result], is_true: Callable[[Result], bool]) -> Rate | None:
    judged = [run for run in runs if status_of(run) is not SafetyStatus.ERROR]
    return Rate(count=sum(map(is_true, judged)), total=len(judged)) if judged else None


def _asked(runs: Iterable[Result]) -> list[Result]:
    return [run for run in runs if run.utility is not None]


def _useful(run: Result) -> bool:
    return isinstance(run.utility, EvalResult) and run.utility.detected


def _succeeded(run: Result) -> bool:
    return status_of(run) is SafetyStatus.UNSAFE
