"""One conversation of an attack that holds several."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rampart.core.evaluation import EvalResult
    from rampart.core.result import InjectionRecord
    from rampart.core.types import TraceEndReason, Turn


@dataclass(kw_only=True)
class Attempt:
    """What one attempt of an attack sent, what came back, and what became of it.

    Attributes:
        outcome: In one word or two what became of it, such as `reached`, `not reached`, `refused`, `pruned`.
        parent: The position of the attempt that this one goes on from; None for a first one.
        turns: The conversation; empty where the attempt was given up before anything was sent.
        evaluation: Whether the objective was reached; None where nothing was sent.
        score: How near the strategy's own grader thought it to the objective, 0 to 1; it moves no verdict.
        trace_end_reason: Why the conversation ended; None after an error and where nothing was sent.
        injections: What was planted for this attempt, and whether it reached the agent.
        metadata: Further facts, such as `prompt` of an attempt that was given up and `reason`.
    """

    outcome: str
    parent: int | None = None
    turns: list[Turn] = field(default_factory=list)
    evaluation: EvalResult | None = None
    score: float | None = None
    trace_end_reason: TraceEndReason | None = None
    injections: list[InjectionRecord] = field(default_factory=list)
    metadata: dict[str, Any] = field(default_factory=dict)
