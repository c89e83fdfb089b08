"""Verdicts: what one execution says about safety."""

from __future__ import annotations

import math
from dataclasses import InitVar, dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, SupportsIndex

from rampart.core.checked import Mark, MarkOfCopy, TrackedField, mark_of, note_read, share_mark
from rampart.core.evaluation import EvalOutcome
from rampart.text.safe import safe_str
from rampart.text.secrets import redact

if TYPE_CHECKING:
    from rampart.core.attempt import Attempt
    from rampart.core.evaluation import EvalResult
    from rampart.core.types import HarmCategory, ObservabilityLevel, TraceEndReason, Turn, Usage


class SafetyStatus(Enum):
    """A verdict. ERROR says that the run itself failed, UNDETERMINED that too little was seen."""

    SAFE = "safe"
    UNSAFE = "unsafe"
    UNDETERMINED = "undetermined"
    ERROR = "error"

    def __bool__(self) -> bool:
        """Whether this is SAFE, so that `assert result.status` means what it seems to mean."""
        return self is SafetyStatus.SAFE


@dataclass(frozen=True, kw_only=True)
class PopulationRef:
    """The place of a result among the trials of one population.

    Attributes:
        id: The population's id.
        index: Which trial this is, from 0.
        size: How many trials were asked for.
        threshold: The smallest fraction of SAFE trials that passes, 0 to 1.

    Raises:
        TypeError: If a field has the wrong type.
        ValueError: If a field is out of range.
    """

    id: str
    index: int
    size: int
    threshold: float

    def __post_init__(self) -> None:
        """Check id, size, threshold and index, in this order."""
        if not isinstance(self.id, str):
            msg = "population id must be a string"
            raise TypeError(msg)
        if not self.id:
            msg = "population id must be non-empty"
            raise ValueError(msg)
        check_count(self.size, name="population size")
        object.__setattr__(self, "threshold", checked_threshold(self.threshold, name="population threshold"))
        if isinstance(self.index, bool) or not isinstance(self.index, int):
            msg = "population index must be an integer"
            raise TypeError(msg)
        if not 0 <= self.index < self.size:
            msg = "population index must be between 0 and size - 1"
            raise ValueError(msg)


def check_count(value: object, *, name: str, least: int = 1) -> None:
    """Refuse anything but a whole number that is large enough.

    Raises:
        TypeError: If `value` is a bool or no int.
        ValueError: If `value` is below `least`.
    """
    if isinstance(value, bool) or not isinstance(value, int):
        msg = f"{name} must be a non-boolean integer"
        raise TypeError(msg)
    if value < least:
        msg = f"{name} must be greater than or equal to {least}"
        raise ValueError(msg)


def checked_threshold(value: object, *, name: str) -> float:
    """`value` as a float, if it is a fraction.

    Raises:
        TypeError: If `value` is a bool or no number.
        ValueError: If `value` is not finite or lies outside 0..1.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        msg = f"{name} must be a number"
        raise TypeError(msg)
    try:
        threshold = float(value)
    except OverflowError:
        threshold = math.inf
    if not math.isfinite(threshold):
        msg = f"{name} must be finite"
        raise ValueError(msg)
    if not 0.0 <= threshold <= 1.0:
        hint = f"; for {threshold:g}% write {threshold / 100:g}" if 1 < threshold <= 100 else ""
        msg = f"{name} must be between 0.0 and 1.0, got {value!r}{hint}"
        raise ValueError(msg)
    return threshold


@dataclass(kw_only=True)
class InjectionRecord:
    """That a payload was planted, where, and whether it is known to have reached the agent.

    Attributes:
        payload_id: The payload's id, if it has one.
        surface_name: The place in which it was planted.
        delivery: `observed`, `not_observed` or `unknown`.
    """

    payload_id: str | None
    surface_name: str
    delivery: str = "unknown"


@dataclass(kw_only=True)
class Result:
    """The verdict of one execution, with everything it rests on.

    `bool(result)` is True for SAFE only. A result remembers whether its verdict was read, so that a
    test which ignores a bad one can be failed.

    Attributes:
        status: The verdict.
        summary: One plain line for people.
        observability_level: Which channels the adapter reported.
        final_trace_evaluation: The evaluation on which the verdict rests.
        turns: The conversation.
        trace_end_reason: Why the trace ended; None when it ended in an error.
        duration_seconds: How long the execution took, in seconds.
        harm_category: The kind of harm under test.
        strategy: How the agent was tested, such as `probe`.
        utility: Whether the agent did the user's job, where that was asked; it never moves the verdict.
        injections: What was planted, and whether it reached the agent.
        population: The place of this result among trials.
        metadata: Further facts, such as `error` and `error_type`.
        control: What the same messages gave with nothing planted, where that was asked.
        attempts: All conversations of an attack that held several, in their order; `turns` is the one that
            decided.
        usage: What language models consumed, by role: `target` (the agent, as far as its adapter tells),
            `judge`, `attacker`, `driver`.
    """

    status: SafetyStatus
    summary: str
    observability_level: ObservabilityLevel
    final_trace_evaluation: EvalResult | None = None
    turns: list[Turn] = field(default_factory=list)
    trace_end_reason: TraceEndReason | None = None
    duration_seconds: float = 0.0
    harm_category: HarmCategory | str | None = None
    strategy: str = ""
    utility: EvalResult | None = None
    injections: list[InjectionRecord] = field(default_factory=list)
    population: PopulationRef | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    control: Result | None = None
    attempts: list[Attempt] = field(default_factory=list)
    usage: dict[str, Usage] = field(default_factory=dict)
    mark_of_copy: InitVar[Mark | None] = None

    def __post_init__(self, mark_of_copy: Mark | None) -> None:
        """Join the copies of another result, when this is one."""
        share_mark(self, mark_of_copy)

    @property
    def safe(self) -> bool:
        """Whether the verdict is SAFE."""
        note_read(self)
        return status_of(self) is SafetyStatus.SAFE

    @property
    def turn_evaluations(self) -> list[EvalResult]:
        """The evaluations attached to turns, in order; the final one is not among them."""
        return [turn.eval_result for turn in self.turns if turn.eval_result is not None]

    def __bool__(self) -> bool:
        """Whether the verdict is SAFE."""
        note_read(self)
        return status_of(self) is SafetyStatus.SAFE

    def __repr__(self) -> str:
        """The verdict and its line."""
        status = status_of(self)
        value = getattr(status, "value", status)
        summary = redact(safe_str(self.summary))
        return f"Result(safe={status is SafetyStatus.SAFE}, status={value}, summary={summary!r})"

    def __reduce_ex__(self, protocol: SupportsIndex) -> str | tuple[Any, ...]:
        """Copies share the mark, so it has to exist before the copy is made."""
        mark_of(self)
        return super().__reduce_ex__(protocol)


# After @dataclass, so that the generated constructor knows nothing of them. Type checkers go on
# seeing the plain fields that the class body declares.
setattr(Result, "status", TrackedField[SafetyStatus]("status"))  # noqa: B010
setattr(Result, "mark_of_copy", MarkOfCopy())  # noqa: B010


def status_of(result: Result) -> SafetyStatus:
    """The verdict, without counting as a read: event handlers and reports use it."""
    status: SafetyStatus = result.__dict__["status"]
    return status


def resolve_attack_verdict(*, evaluation: EvalResult) -> SafetyStatus:
    """An attack's verdict: what it looks for must not happen.

    Raises:
        ValueError: If the outcome is no EvalOutcome.
    """
    return _verdict(evaluation, detected=SafetyStatus.UNSAFE, not_detected=SafetyStatus.SAFE)


def resolve_probe_verdict(*, evaluation: EvalResult) -> SafetyStatus:
    """A probe's verdict: what it looks for must happen.

    Raises:
        ValueError: If the outcome is no EvalOutcome.
    """
    return _verdict(evaluation, detected=SafetyStatus.SAFE, not_detected=SafetyStatus.UNSAFE)


def _verdict(evaluation: EvalResult, *, detected: SafetyStatus, not_detected: SafetyStatus) -> SafetyStatus:
    outcome: object = evaluation.outcome
    if outcome is EvalOutcome.DETECTED:
        return detected
    if outcome is EvalOutcome.NOT_DETECTED:
        return not_detected
    if outcome is EvalOutcome.UNDETERMINED:
        return SafetyStatus.UNDETERMINED
    msg = f"Unknown EvalOutcome: {outcome}"
    raise ValueError(msg)
