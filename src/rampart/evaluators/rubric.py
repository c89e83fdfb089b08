"""A language model that judges a conversation by several named criteria."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, cast

from rampart.evaluators._criteria import composed_verdict
from rampart.evaluators._prompt_files import prompt_source, prompt_text
from rampart.evaluators.judge_reply import InvalidReplyError
from rampart.evaluators.judge_verdict import VERDICT_PROPERTIES, read_verdict, settled
from rampart.evaluators.model_graded import ModelGraded, manifest_section
from rampart.evaluators.transcript_scope import TranscriptScope
from rampart.text.oneline import quote

if TYPE_CHECKING:
    from rampart.core.evaluation import EvalContext, EvalResult
    from rampart.core.llm import ChatModel, LLMConfig
    from rampart.core.persona import Persona

_LONGEST_NAME = 100


class Rubric(ModelGraded):
    """Detected when a language model finds that enough of several named criteria hold.

    The model gives one verdict a criterion, in one call: it reads the transcript once, which is cheaper than
    a judge for each, but may let one criterion colour another. Where they have to be judged apart, compose
    `LLMJudge`s with `&` and `|`. A reply that lacks a criterion is invalid and asked for again.

    Each verdict is read as that of an `LLMJudge`: a confidence from 0 to 1 says how strongly the criterion is
    met, and an outcome that contradicts it counts as undetermined. Then the verdicts are counted. DETECTED:
    as many as required are detected. NOT_DETECTED: too few would be, even if all undetermined ones were.
    Else UNDETERMINED. The confidence is that of the weakest criterion that is needed. Rationale and evidence
    name every criterion with its verdict.

    Args:
        criteria: The name of each criterion, and in plain words what has to hold: something that the agent
            said or did.
        llm: The model that judges.
        require: `"all"` of the criteria, `"any"` one of them, or how many at least.
        persona: Who the model is told to be; None means an impartial, literal evaluator.
        scope: The turns that it is shown.

    Raises:
        ValueError: If there are no criteria, a name or text is blank, a name is longer than 100 characters,
            or `require` asks for none or for more than there are.
        TypeError: If an argument is of the wrong type.
    """

    def __init__(
        self,
        *,
        criteria: Mapping[str, str],
        llm: LLMConfig | ChatModel,
        require: Literal["all", "any"] | int = "all",
        persona: Persona | None = None,
        scope: TranscriptScope = TranscriptScope.FULL,
    ) -> None:
        super().__init__(llm=llm, persona=persona, scope=scope)
        self._criteria = _checked_criteria(criteria)
        self._needed = _needed(require, of=len(self._criteria))
        self._response_schema = _schema(list(self._criteria))

    def _build_system_prompt(self, *, context: EvalContext) -> str:
        return prompt_text(
            "rubric_system",
            persona_system_prompt=self._persona.system_prompt,
            criteria=json.dumps(self._criteria, ensure_ascii=False, indent=1),
            manifest_section=manifest_section(context),
        )

    def _read(self, found: dict[str, Any], /) -> EvalResult:
        verdicts = found.get("verdicts")
        if not isinstance(verdicts, dict):
            raise InvalidReplyError(
                'the key "verdicts" must hold an object with a verdict for each criterion'
            )
        return composed_verdict(
            {name: _verdict(verdicts, name) for name in self._criteria}, needed=self._needed
        )

    def _instructions(self) -> list[str]:
        return [prompt_source("rubric_system"), prompt_source("judge_manifest"), f"{self._needed} needed"]


def _verdict(verdicts: dict[str, Any], name: str) -> EvalResult:
    shown = json.dumps(name, ensure_ascii=False)
    if name not in verdicts:
        raise InvalidReplyError(f"the verdict for the criterion {shown} was missing")
    verdict = verdicts[name]
    if not isinstance(verdict, dict):
        raise InvalidReplyError(f"the verdict for the criterion {shown} must be an object")
    try:
        return settled(read_verdict(verdict))
    except InvalidReplyError as error:
        raise InvalidReplyError(f"in the verdict for the criterion {shown}: {error}") from None


def _schema(names: list[str]) -> dict[str, Any]:
    verdict = {
        "type": "object",
        "properties": VERDICT_PROPERTIES,
        "required": list(VERDICT_PROPERTIES),
        "additionalProperties": False,
    }
    verdicts = {
        "type": "object",
        "properties": dict.fromkeys(names, verdict),
        "required": names,
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "title": "verdicts",
        "properties": {"verdicts": verdicts},
        "required": ["verdicts"],
        "additionalProperties": False,
    }


def _checked_criteria(criteria: object) -> dict[str, str]:
    if not isinstance(criteria, Mapping):
        msg = f"criteria must be a dict of names and texts, got {type(criteria).__name__}"
        raise TypeError(msg)
    if not criteria:
        msg = "criteria is empty, so nothing would be judged: criteria={'polite': 'The agent stays polite.'}"
        raise ValueError(msg)
    checked: dict[str, str] = {}
    for name, text in cast("Mapping[object, object]", criteria).items():
        if not isinstance(name, str) or not isinstance(text, str):
            msg = f"criteria must map str to str, got {type(name).__name__} to {type(text).__name__}"
            raise TypeError(msg)
        if not name.strip() or len(name) > _LONGEST_NAME:
            msg = (
                f"the name of a criterion must have 1 to {_LONGEST_NAME} characters, got {quote(name, 40)!r}"
            )
            raise ValueError(msg)
        if not text.strip():
            msg = f"criterion {name!r} is blank: say in plain words what has to hold"
            raise ValueError(msg)
        checked[name] = text.strip()
    return checked


def _needed(require: object, *, of: int) -> int:
    if require == "all":
        return of
    if require == "any":
        return 1
    if isinstance(require, bool) or not isinstance(require, int):
        msg = f"require must be 'all', 'any' or a number of criteria, got {require!r}"
        raise (ValueError if isinstance(require, str) else TypeError)(msg)
    if not 1 <= require <= of:
        msg = f"require must be from 1 to the number of criteria, {of}, got {require}"
        raise ValueError(msg)
    return require
