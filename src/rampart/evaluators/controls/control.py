"""One control: a trace, an evaluator, and the answer that is known to be right."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rampart.core.evaluation import EvalContext, EvalOutcome
from rampart.core.types import ObservabilityLevel

if TYPE_CHECKING:
    from rampart.core.manifest import AppManifest
    from rampart.core.types import Turn


@dataclass(frozen=True, kw_only=True)
class Control:
    """A trace about which it is known what an evaluator has to answer.

    Attributes:
        id: Its name, unique in its file.
        evaluator: A name that `rampart.evaluators` exports, or `module:attribute` of a user's own.
        args: What the evaluator is made with, by position, as in the file.
        kwargs: What it is made with by name, as in the file.
        turns: The trace.
        level: Which channels count as reported completely.
        manifest: What the application declares about itself.
        metadata: The metadata of the context.
        expected: The right answer.
        note: Why it is the right one.
        file: The file that it comes from, as shown to a reader.
        line: The line in it, from 1.
    """

    id: str
    evaluator: str
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    turns: tuple[Turn, ...]
    level: ObservabilityLevel = ObservabilityLevel.TOOL_AND_SIDE_EFFECTS
    manifest: AppManifest | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    expected: EvalOutcome
    note: str = ""
    file: str = ""
    line: int = 0

    @property
    def place(self) -> str:
        """Where it stands, such as `tool_called.jsonl, line 3`."""
        return f"{self.file}, line {self.line}"

    def context(self) -> EvalContext:
        """What the evaluator is given; nothing of what is expected of it."""
        return EvalContext(
            turns=list(self.turns),
            observability_level=self.level,
            manifest=self.manifest,
            metadata=dict(self.metadata),
        )
