"""That the payload of a cross-prompt injection is rewritten from what the agent did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from rampart.core.admission import admit
from rampart.core.budget import Budget
from rampart.core.llm import admit_llm
from rampart.core.result import check_count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rampart.core.converter import PayloadConverter
    from rampart.core.llm import ChatModel, LLMConfig

_CONVERTER_MEMBERS = ("convert_async",)


@dataclass(frozen=True, kw_only=True)
class Adaptation:
    """How an attacker model rewrites what is planted, until the agent obeys or the attempts are used up.

    The first attempt plants the payload as it was given. Every further one plants what the attacker made of
    it, in the same place and with the same payload id, in a fresh session.

    Attributes:
        objective: What the agent is to be made to do, as it is told to the attacker model. The verdict is the
            evaluator's alone.
        attacker: The model that rewrites the payload.
        max_attempts: The most attempts, the first one included.
        scorer: The model that tells the attacker how near it is, and moves no verdict; None takes the
            attacker.
        budget: What the models may consume together; None sets no limit.
        converters: Applied to each rewritten text, one after another, before it is planted. The result must
            be in a text format.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If the objective is blank, or `max_attempts` is below 1.
    """

    objective: str
    attacker: LLMConfig | ChatModel
    max_attempts: int = 5
    scorer: LLMConfig | ChatModel | None = None
    budget: Budget | None = None
    converters: Sequence[PayloadConverter] | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be used, before anything is planted."""
        objective, budget = cast("object", self.objective), cast("object", self.budget)
        if not isinstance(objective, str):
            kind = type(objective).__name__
            msg = f"objective must be a text that says what the agent is to be made to do, got {kind}"
            raise TypeError(msg)
        if not objective.strip():
            msg = "objective is blank: say what the agent is to be made to do"
            raise ValueError(msg)
        admit_llm(self.attacker, name="attacker")
        if self.scorer is not None:
            admit_llm(self.scorer, name="scorer")
        check_count(self.max_attempts, name="max_attempts")
        if budget is not None and not isinstance(budget, Budget):
            msg = f"budget must be a Budget or None, got {type(budget).__name__}"
            raise TypeError(msg)
        converters = cast("object", self.converters)
        if converters is not None and not isinstance(converters, list | tuple):
            msg = f"converters must be a list, got {type(converters).__name__}; put a single one into a list"
            raise TypeError(msg)
        for converter in self.converters or ():
            admit(converter, members=_CONVERTER_MEMBERS, role="converter")
