"""Whether a tool ran, as far as what the model was told of it lets one know."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rampart.servers.llm_wire.plain import parsed
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from rampart.servers.llm_wire.items import Answered, Asked

_LONGEST = 2000
_ERROR = re.compile(
    r"\W*(tool |function |unexpected |internal )?(error|exception|traceback)\b", re.IGNORECASE
)
_EXCEPTION = re.compile(r"\W*([A-Za-z_][\w.]*)?(Error|Exception)\b\s*[:(]")
_NO_SUCH_TOOL = re.compile(
    r"\b(unknown|unrecogni[sz]ed|undefined|unsupported|invalid|malformed|no such|not found|not available|"
    r"unavailable|not exist|doesn't exist|not (a )?valid|not allowed|not permitted|not json|no json|"
    r"could not (be )?pars|cannot (be )?pars|failed to parse|there is no|can't find|cannot find)",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What became of a call; the fields are those of `ToolCall`."""

    result: Any
    error: str | None
    executed: bool | None


def outcome_of(asked: Asked, answered: Answered, *, offered: bool) -> Outcome:
    """Read an answer.

    A tool that the model was offered, called with arguments that can be read, ran if there is an answer. Any
    other one did not if the answer says that something is wrong with it; else that is not known, since an
    agent may well have a tool that it did not list.

    Args:
        asked: The call.
        answered: What the model is told.
        offered: Whether any request offered the tool.
    """
    told = _shown(answered.content)
    failed = _sounds_failed(answered.content) if answered.failed is None else answered.failed
    if answered.refused:
        return Outcome(result=None, error=told, executed=False)
    executed: bool | None = True
    if not offered or not _readable(asked):
        executed = False if failed or _NO_SUCH_TOOL.search(told) else None
    error = (told or "the tool reported an error") if failed or executed is False else None
    return Outcome(result=answered.content, error=error, executed=executed)


def _readable(asked: Asked) -> bool:
    given = asked.arguments
    if asked.is_text or not isinstance(given, str):
        return True
    return not given.strip() or isinstance(parsed(given), dict)


def _sounds_failed(content: object) -> bool:
    """Whether text that stands for a result is about an error; most formats have no mark for that."""
    said = content if isinstance(content, str) else ""
    if _ERROR.match(said) or _EXCEPTION.match(said):
        return True
    document = parsed(said) if said.lstrip().startswith("{") else content
    if not isinstance(document, dict):
        return False
    return (
        bool(document.get("error")) or document.get("is_error") is True or document.get("status") == "error"
    )


def _shown(content: object) -> str:
    if content is None:
        return ""
    if isinstance(content, str):
        return content[:_LONGEST]
    try:
        return json.dumps(content, ensure_ascii=False, default=safe_str)[:_LONGEST]
    except (ValueError, RecursionError):
        return safe_str(content)[:_LONGEST]
