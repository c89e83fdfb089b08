"""What an agent is asked and what it answers: requests, responses and the turns they make."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from rampart.text.safe import safe_str
from rampart.text.secrets import redact

if TYPE_CHECKING:
    from datetime import datetime

    from rampart.core.evaluation import EvalResult

_PAYLOAD_ID = re.compile(r"[A-Za-z0-9._-]{1,128}")
_SHOWN_CHARACTERS = 200


class ObservabilityLevel(Enum):
    """Which channels of an agent an adapter reports completely.

    A declared channel counts as fully observed: silence on it means that nothing happened. Evidence
    that arrives on an undeclared channel is still used.
    """

    TOOL_AND_SIDE_EFFECTS = "tool_and_side_effects"
    TOOL_ONLY = "tool_only"
    RESPONSE_ONLY = "response_only"

    @property
    def observes_tool_calls(self) -> bool:
        """Whether every tool call of the agent is reported."""
        return self is not ObservabilityLevel.RESPONSE_ONLY

    @property
    def observes_side_effects(self) -> bool:
        """Whether every side effect of the agent is reported."""
        return self is ObservabilityLevel.TOOL_AND_SIDE_EFFECTS


class EvaluationPurpose(Enum):
    """Why a turn carries an evaluation."""

    STOP_CHECK = "stop_check"


class TraceEndReason(Enum):
    """Why a trace ended normally."""

    DRIVER_EXHAUSTED = "driver_exhausted"
    MAX_TURNS_REACHED = "max_turns_reached"
    STOP_CONDITION_MET = "stop_condition_met"


class HarmCategory(StrEnum):
    """Kinds of harm by which results are grouped; any other string is a category too."""

    MEMORY_POISONING = "memory_poisoning"
    PROMPT_INJECTION = "prompt_injection"
    JAILBREAK = "jailbreak"
    DATA_EXFILTRATION = "data_exfiltration"
    OVER_PERMISSIVE_ACTION = "over_permissive_action"
    DATA_LEAKAGE = "data_leakage"
    CONTENT_SAFETY = "content_safety"
    HALLUCINATION = "hallucination"
    BEHAVIORAL_REGRESSION = "behavioral_regression"


class PayloadFormat(Enum):
    """The format in which a payload reaches the agent."""

    TEXT = "text"
    HTML = "html"
    MARKDOWN = "markdown"
    IMAGE = "image"
    PDF = "pdf"
    DOCX = "docx"
    XLSX = "xlsx"
    AUDIO = "audio"

    @property
    def is_text(self) -> bool:
        """Whether the payload is its content, with no artifact on disk."""
        return self in _TEXT_FORMATS

    @property
    def is_binary(self) -> bool:
        """Whether the payload is an artifact on disk, described by its content."""
        return self not in _TEXT_FORMATS

    @property
    def extension(self) -> str:
        """The file name ending of the format, with its dot."""
        return _EXTENSIONS[self]


_TEXT_FORMATS = frozenset({PayloadFormat.TEXT, PayloadFormat.HTML, PayloadFormat.MARKDOWN})
_EXTENSIONS = {
    PayloadFormat.TEXT: ".txt",
    PayloadFormat.HTML: ".html",
    PayloadFormat.MARKDOWN: ".md",
    PayloadFormat.IMAGE: ".png",
    PayloadFormat.PDF: ".pdf",
    PayloadFormat.DOCX: ".docx",
    PayloadFormat.XLSX: ".xlsx",
    PayloadFormat.AUDIO: ".wav",
}


def new_payload_id() -> str:
    """A fresh payload id: the first 12 hexadecimal digits of a random UUID."""
    return uuid.uuid4().hex[:12]


def validate_payload_id(payload_id: object) -> str:
    """Return `payload_id` if it may become part of a path or a URL.

    Raises:
        ValueError: If it is not 1 to 128 characters of `A-Z a-z 0-9 . _ -`, or is `.` or `..`.
    """
    if (
        not isinstance(payload_id, str)
        or _PAYLOAD_ID.fullmatch(payload_id) is None
        or payload_id in {".", ".."}
    ):
        msg = f"Invalid payload id: {payload_id!r}"
        raise ValueError(msg)
    return payload_id


@dataclass(kw_only=True)
class Payload:
    """Hostile or test content, as text or as a file.

    Attributes:
        content: Human-readable text; for a binary format a description of what the artifact holds.
        id: 1 to 128 characters of `A-Z a-z 0-9 . _ -`, not `.` or `..`.
        format: How the content reaches the agent.
        artifact: The file of a binary format; None for text formats.
        metadata: Anything its maker wants to keep with it.

    Raises:
        ValueError: If the id is malformed.
        TypeError: If the content is no str, the format no PayloadFormat, a binary format has no artifact, or
            a text format has one.
        FileNotFoundError: If the artifact does not exist.
    """

    content: str
    id: str = field(default_factory=new_payload_id)
    format: PayloadFormat = PayloadFormat.TEXT
    artifact: Path | None = None
    metadata: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse an id, format and artifact that do not fit together."""
        validate_payload_id(self.id)
        content, given = cast("object", self.content), cast("object", self.format)
        if not isinstance(content, str):
            msg = f"the content of a payload must be a str, got {type(content).__name__}"
            raise TypeError(msg)
        if not isinstance(given, PayloadFormat):
            msg = f"the format of a payload must be a PayloadFormat, got {given!r}{_meant_format(given)}"
            raise TypeError(msg)
        if self.format.is_binary:
            if self.artifact is None:
                msg = f"a payload of format {self.format.value!r} requires an artifact: the path of its file"
                raise TypeError(msg)
            if not Path(self.artifact).exists():
                msg = f"Artifact file does not exist: {self.artifact}"
                raise FileNotFoundError(msg)
        elif self.artifact is not None:
            msg = f"artifact must be None for the text format {self.format.value!r}, got {self.artifact!r}"
            raise TypeError(msg)

    def __str__(self) -> str:
        """The first 200 characters of the content."""
        if len(self.content) > _SHOWN_CHARACTERS:
            # Before the cut, which would leave half of a secret that nobody finds.
            return redact(self.content)[:_SHOWN_CHARACTERS] + "..."
        return self.content


def _meant_format(given: object) -> str:
    meant = [one for one in PayloadFormat if isinstance(given, str) and one.value == given.lower()]
    return f"; write PayloadFormat.{meant[0].name}" if meant else ""


@dataclass(kw_only=True)
class ToolCall:
    """One call of a tool, as the agent asked for it.

    Attributes:
        name: The tool's name, as the agent's framework reports it.
        arguments: The arguments by name. At construction None and `""` become `{}`, and text that is
            a JSON object is parsed; any other text is kept in `raw_arguments`.
        raw_arguments: Arguments that are no JSON object, as they came.
        id: The call's id, where the framework gives one.
        result: What the tool returned: any JSON value.
        error: What the tool raised or reported as its failure.
        executed: True if the tool ran, False if it was asked for but never ran (an unknown tool, a
            call waiting for approval), None if that is not known.
        timestamp: When the call was made.
    """

    name: str
    arguments: dict[str, Any] = field(default_factory=dict)
    raw_arguments: str | None = None
    id: str | None = None
    result: Any = None
    error: str | None = None
    executed: bool | None = None
    timestamp: datetime | None = None

    def __post_init__(self) -> None:
        """Bring the arguments into the form of a mapping."""
        given: object = self.arguments
        if type(given) is dict:
            return
        if isinstance(given, Mapping):
            self.arguments = dict(given)
            return
        self.arguments = {}
        if not isinstance(given, str):
            if given is not None:
                self.raw_arguments = safe_str(given)
        elif given:
            parsed = _parsed(given)
            if isinstance(parsed, dict):
                self.arguments = parsed
            else:
                self.raw_arguments = given


def _parsed(text: str) -> object:
    try:
        return json.loads(text, object_pairs_hook=_object)
    except (ValueError, RecursionError):
        return None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys are distinct: which of two equal ones a tool takes is anybody's guess."""
    mapping = dict(pairs)
    if len(mapping) != len(pairs):
        msg = "a key is given twice"
        raise ValueError(msg)
    return mapping


@dataclass(kw_only=True)
class SideEffect:
    """Something the agent changed or caused outside of its reply.

    Attributes:
        kind: What happened, such as `http_request` or `file_written`.
        details: Its particulars by name.
    """

    kind: str
    details: dict[str, Any] = field(default_factory=dict)


@dataclass(kw_only=True)
class Usage:
    """What one response consumed; None where it is not known, never 0.

    Attributes:
        input_tokens: All input tokens, cached ones included.
        cached_input_tokens: The input tokens that were served from a cache.
        output_tokens: All output tokens, reasoning included.
        reasoning_tokens: The output tokens spent on reasoning.
        requests: Requests made to a model.
        cost_usd: Cost in US dollars.
    """

    input_tokens: int | float | None = None
    cached_input_tokens: int | float | None = None
    output_tokens: int | float | None = None
    reasoning_tokens: int | float | None = None
    requests: int | float | None = None
    cost_usd: int | float | None = None


@dataclass(kw_only=True)
class Response:
    """What the agent said and did in one turn.

    Attributes:
        text: The reply, possibly empty.
        tool_calls: The turn's tool calls, in the order in which they were made.
        side_effects: The turn's side effects, in order.
        usage: What the turn consumed, not a running total.
        metadata: Anything the adapter wants to keep with the turn.
    """

    text: str
    tool_calls: list[ToolCall] = field(default_factory=list)
    side_effects: list[SideEffect] = field(default_factory=list)
    usage: Usage | None = None
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(kw_only=True)
class Request:
    """What the agent is asked in one turn.

    Attributes:
        prompt: The user's message; an empty string is legal.
        attachments: Payloads that travel with the message.

    Raises:
        ValueError: If there is neither a prompt nor an attachment.
    """

    prompt: str | None = None
    attachments: list[Payload] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Refuse a request that asks nothing."""
        if self.prompt is None and not self.attachments:
            msg = "Request must include at least a prompt or attachments."
            raise ValueError(msg)


@dataclass(frozen=True, kw_only=True)
class Turn:
    """One exchange with the agent.

    Attributes:
        request: What was sent.
        response: What came back.
        eval_result: The evaluation attached to this turn, if any.
        eval_purpose: Why the turn was evaluated; None without an evaluation.
        turn_number: Position in the trace, from 0.
        timestamp: When the request was sent, in UTC.
        duration_seconds: How long the agent took, in seconds.
        driver_reasoning: Why the driver sent this request.

    Raises:
        ValueError: If there is a purpose without an evaluation.
    """

    request: Request
    response: Response
    eval_result: EvalResult | None = None
    eval_purpose: EvaluationPurpose | None = None
    turn_number: int = 0
    timestamp: datetime | None = None
    duration_seconds: float | None = None
    driver_reasoning: str = ""

    def __post_init__(self) -> None:
        """Refuse a purpose that has nothing to be the purpose of."""
        if self.eval_purpose is not None and self.eval_result is None:
            msg = "eval_purpose requires eval_result"
            raise ValueError(msg)
