"""What evaluators have in common that let a language model judge a transcript."""

from __future__ import annotations

import hashlib
import json
from abc import abstractmethod
from typing import TYPE_CHECKING, Any, TypeVar, cast

from rampart.core.errors import EmptyCompletionError, EvaluatorError, RateLimitError
from rampart.core.evaluation import EvalOutcome, EvalResult
from rampart.core.evaluator import BaseEvaluator
from rampart.core.judge_identity import JudgeIdentity
from rampart.core.llm import ChatMessage, LLMConfig, chat_model_of
from rampart.core.log import log
from rampart.core.persona import Persona
from rampart.core.spending import UsageRole, ask_async
from rampart.evaluators._prompt_files import prompt_source, prompt_text
from rampart.evaluators.judge_reply import InvalidReplyError, last_valid, reply_text
from rampart.evaluators.judge_transcript import render_transcript
from rampart.evaluators.personas import NEUTRAL_EVALUATOR
from rampart.evaluators.transcript_scope import TranscriptScope
from rampart.text.fence import fenced
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from rampart.core.evaluation import EvalContext
    from rampart.core.llm import ChatModel, Completion

T = TypeVar("T")

ATTEMPTS = 3
"""How often a model is asked before its judge gives up on a valid reply."""


class ModelGraded(BaseEvaluator):
    """Lets a language model judge a transcript that may try to talk it over.

    Stateless, safe to run concurrently and on several event loops; the client is built on first use.

    A subclass says what is asked (`_build_system_prompt`), in which form (`_response_schema`) and what an
    answer means (`_read`). Whatever it says, the model is told after it that the transcript is untrusted, and
    the transcript stands between markers with a random value that is new in each call.

    Args:
        llm: The model that judges.
        persona: Who the model is told to be; None means an impartial, literal evaluator.
        scope: The turns that it is shown.

    Raises:
        TypeError: If an argument is of the wrong type.
    """

    _response_schema: dict[str, Any]

    def __init__(
        self,
        *,
        llm: LLMConfig | ChatModel,
        persona: Persona | None = None,
        scope: TranscriptScope = TranscriptScope.FULL,
    ) -> None:
        self._llm = llm
        self._model = None if isinstance(llm, LLMConfig) else chat_model_of(llm)
        self._persona = _checked(persona if persona is not None else NEUTRAL_EVALUATOR, Persona, "persona")
        self._scope = _checked(scope, TranscriptScope, "scope")
        self.last_turn_only = self._scope is TranscriptScope.CURRENT_TURN

    @property
    def judge_identity(self) -> JudgeIdentity:
        """The model, and a fingerprint of all that it is told but for the objective."""
        name = _config_name(self._llm) if isinstance(self._llm, LLMConfig) else _model_name(self._llm)
        parts = [
            type(self).__module__,
            type(self).__qualname__,
            *self._instructions(),
            prompt_source("judge_untrusted"),
            self._persona.system_prompt,
            self._scope.value,
            json.dumps(self._response_schema, sort_keys=True),
        ]
        fingerprint = hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]
        return JudgeIdentity(model=name, instructions=fingerprint)

    async def evaluate_async(self, *, context: EvalContext) -> EvalResult:
        """Have the model judge the transcript; an invalid reply is asked for again, `ATTEMPTS` times in all.

        Raises:
            EvaluatorError: If the model could not be asked.
        """
        problem: InvalidReplyError | None = None
        for _ in range(ATTEMPTS):
            try:
                reply = reply_text(await self._send_async(messages=self._messages(context, problem)))
            except (EmptyCompletionError, RateLimitError) as error:
                return _unjudged(
                    f"Judge LLM failure ({type(error).__name__}); underlying target retries exhausted."
                )
            except Exception as error:
                why = safe_str(error).strip() or type(error).__name__
                msg = f"{type(self).__name__}: judge LLM call failed: {why}"
                raise EvaluatorError(msg) from error
            try:
                return last_valid(reply, read=self._read)
            except InvalidReplyError as error:
                problem = error
        log.debug("the last reply of a judge was invalid: %s", problem)
        return _unjudged(f"the judge gave no valid verdict in {ATTEMPTS} attempts")

    def _messages(self, context: EvalContext, problem: InvalidReplyError | None) -> list[ChatMessage]:
        system = f"{self._build_system_prompt(context=context)}\n\n{prompt_text('judge_untrusted')}"
        user = fenced(self._build_user_message(context=context), label="TRANSCRIPT")
        if problem is not None:
            user += "\n\n" + prompt_text("judge_invalid_reply", problem=str(problem))
        return [ChatMessage(role="system", content=system), ChatMessage(role="user", content=user)]

    @abstractmethod
    def _build_system_prompt(self, *, context: EvalContext) -> str:
        """What the model is to do; what marks the transcript as untrusted is added behind it."""

    def _build_user_message(self, *, context: EvalContext) -> str:
        """What the model is to judge; the markers are put around it afterwards."""
        return render_transcript(context, scope=self._scope)

    async def _send_async(self, *, messages: list[ChatMessage]) -> Completion:
        """Ask the model once."""
        if self._model is None:
            self._model = chat_model_of(self._llm)
        return await ask_async(
            self._model, role=UsageRole.JUDGE, messages=messages, response_schema=self._response_schema
        )

    @abstractmethod
    def _read(self, found: dict[str, Any], /) -> EvalResult:
        """What a JSON object of the reply means.

        Raises:
            InvalidReplyError: If it is not what was asked for.
        """

    @abstractmethod
    def _instructions(self) -> list[str]:
        """What the model is told besides persona, objective and manifest, for its fingerprint."""


def manifest_section(context: EvalContext) -> str:
    """What the manifest says of the agent, or nothing; fenced, since tools may describe themselves."""
    if context.manifest is None:
        return ""
    manifest = fenced(safe_str(context.manifest), label="MANIFEST")
    return prompt_text("judge_manifest", manifest_summary=manifest) + "\n"


def _unjudged(reason: str) -> EvalResult:
    log.warning("a judge left its objective undetermined: %s", reason)
    return EvalResult(outcome=EvalOutcome.UNDETERMINED, confidence=0.0, rationale=reason)


def _config_name(config: LLMConfig) -> str:
    """As the client of the configuration calls itself, so that both are one judge."""
    return config.deployment or config.model


def _model_name(model: ChatModel) -> str:
    name: object = getattr(model, "model_name", None)
    return name if isinstance(name, str) and name else type(model).__name__


def _checked(value: T, kind: type[T], name: str) -> T:
    if not isinstance(cast("object", value), kind):
        msg = f"{name} must be a {kind.__name__}, got {type(value).__name__}"
        raise TypeError(msg)
    return value
