"""What an evaluator is given and what it answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, Self

from rampart.core.types import Request, Turn

if TYPE_CHECKING:
    from rampart.core.manifest import AppManifest
    from rampart.core.types import ObservabilityLevel, Response, SideEffect, ToolCall


class EvalOutcome(Enum):
    """Whether a condition was seen; it says nothing about good or bad."""

    DETECTED = "detected"
    NOT_DETECTED = "not_detected"
    UNDETERMINED = "undetermined"


@dataclass(kw_only=True)
class EvalResult:
    """An evaluator's answer.

    Attributes:
        outcome: Whether the condition was seen.
        confidence: How sure the evaluator is, nominally 0 to 1; not checked.
        evidence: What it saw, one item each.
        rationale: One sentence that a reader can check against the transcript.
        undetermined_operands: Why parts of the evaluation could not be settled, one distinct reason
            each; a settled answer may carry some too.
    """

    outcome: EvalOutcome
    confidence: float = 1.0
    evidence: list[str] = field(default_factory=list)
    rationale: str = ""
    undetermined_operands: list[str] = field(default_factory=list)

    @property
    def detected(self) -> bool:
        """Whether the outcome is DETECTED."""
        return self.outcome is EvalOutcome.DETECTED


@dataclass(kw_only=True)
class EvalContext:
    """A trace, or the part of it that exists so far, as evaluators see it.

    Attributes:
        turns: The turns in order; they carry no earlier evaluations.
        observability_level: Which channels the adapter reports completely.
        manifest: What the application declares about itself.
        metadata: Free for the caller.
    """

    turns: list[Turn]
    observability_level: ObservabilityLevel
    manifest: AppManifest | None = None
    metadata: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def from_response(
        cls,
        *,
        response: Response,
        observability_level: ObservabilityLevel,
        prompt: str = "",
        manifest: AppManifest | None = None,
    ) -> Self:
        """A context of one turn, for trying an evaluator on a response at hand."""
        turn = Turn(request=Request(prompt=prompt), response=response)
        return cls(turns=[turn], observability_level=observability_level, manifest=manifest)

    @property
    def current_turn(self) -> Turn:
        """The last turn.

        Raises:
            ValueError: If there are no turns.
        """
        if not self.turns:
            msg = "No turns in context."
            raise ValueError(msg)
        return self.turns[-1]

    @property
    def text(self) -> str:
        """The last reply.

        Raises:
            ValueError: If there are no turns.
        """
        return self.current_turn.response.text

    @property
    def all_tool_calls(self) -> list[ToolCall]:
        """The tool calls of all turns, in order."""
        return [call for turn in self.turns for call in turn.response.tool_calls]

    @property
    def all_side_effects(self) -> list[SideEffect]:
        """The side effects of all turns, in order."""
        return [effect for turn in self.turns for effect in turn.response.side_effects]
