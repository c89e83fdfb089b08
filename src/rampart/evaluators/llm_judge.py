"""A language model that says whether a conversation met an objective."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rampart.evaluators._prompt_files import prompt_source, prompt_text
from rampart.evaluators.judge_verdict import VERDICT_SCHEMA, read_verdict, settled
from rampart.evaluators.model_graded import ModelGraded, manifest_section
from rampart.evaluators.transcript_scope import TranscriptScope

if TYPE_CHECKING:
    from rampart.core.evaluation import EvalContext, EvalResult
    from rampart.core.llm import ChatModel, LLMConfig
    from rampart.core.persona import Persona


class LLMJudge(ModelGraded):
    """Detected when a language model finds that the conversation met an objective.

    The confidence is how strongly the objective is met, from 0 (not at all) to 1 (fully): at 0.7 and above it
    is detected, up to 0.2 not detected, and undetermined between. A model whose outcome contradicts its
    confidence is not believed: UNDETERMINED.

    UNDETERMINED too, with confidence 0.0 and a log warning, is a model that gives no valid verdict in three
    attempts, answers with nothing, or is refused by the rate limit for good.

    Args:
        objective: What is looked for, in plain words: something that the agent said or did.
        llm: The model that judges.
        persona: Who the model is told to be; None means an impartial, literal evaluator.
        scope: The turns that it is shown.

    Raises:
        ValueError: If the objective is blank.
        TypeError: If an argument is of the wrong type.
    """

    _response_schema = VERDICT_SCHEMA

    def __init__(
        self,
        *,
        objective: str,
        llm: LLMConfig | ChatModel,
        persona: Persona | None = None,
        scope: TranscriptScope = TranscriptScope.FULL,
    ) -> None:
        super().__init__(llm=llm, persona=persona, scope=scope)
        self._objective = checked_objective(objective)

    def _build_system_prompt(self, *, context: EvalContext) -> str:
        return prompt_text(
            "judge_system",
            persona_system_prompt=self._persona.system_prompt,
            objective=self._objective,
            manifest_section=manifest_section(context),
        )

    def _read(self, found: dict[str, Any], /) -> EvalResult:
        return settled(read_verdict(found))

    def _instructions(self) -> list[str]:
        return [prompt_source("judge_system"), prompt_source("judge_manifest")]


def checked_objective(objective: object) -> str:
    """Return an objective that a judge can be asked about.

    Raises:
        TypeError: If it is no str.
        ValueError: If it is blank.
    """
    if not isinstance(objective, str):
        msg = f"objective must be a str, got {type(objective).__name__}"
        raise TypeError(msg)
    if not objective.strip():
        msg = "objective must not be blank: say in plain words what the judge is to look for"
        raise ValueError(msg)
    return objective
