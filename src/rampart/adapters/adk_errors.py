"""Errors of models that ADK reports as events, without raising them."""

from __future__ import annotations

from rampart.text.oneline import quote

_STATUS = {
    "RESOURCE_EXHAUSTED": 429,
    "UNAUTHENTICATED": 401,
    "PERMISSION_DENIED": 403,
    "INVALID_ARGUMENT": 400,
    "FAILED_PRECONDITION": 400,
    "NOT_FOUND": 404,
    "DEADLINE_EXCEEDED": 504,
    "UNAVAILABLE": 503,
    "INTERNAL": 500,
}
# What Gemini calls the end of an answer, or a refused prompt; an error code of ADK if no content came.
_ENDINGS = frozenset(
    {
        "BLOCKED_REASON_UNSPECIFIED",
        "BLOCKLIST",
        "FINISH_REASON_UNSPECIFIED",
        "JAILBREAK",
        "LANGUAGE",
        "MALFORMED_FUNCTION_CALL",
        "MAX_TOKENS",
        "MODEL_ARMOR",
        "MODEL_RETURNED_NO_CONTENT",
        "OTHER",
        "PROHIBITED_CONTENT",
        "RECITATION",
        "SAFETY",
        "SPII",
        "STOP",
        "UNEXPECTED_TOOL_CALL",
    }
)
_LONGEST_CHAIN = 20


class AdkModelError(Exception):
    """A model call that failed.

    Attributes:
        status_code: The HTTP status that the code stands for; None if it stands for none.
    """

    def __init__(self, code: object, message: object) -> None:
        text = _name(code)
        self.status_code = int(text) if text.isdecimal() else _STATUS.get(text.upper())
        super().__init__(f"the model call failed with {quote(text)}: {quote(str(message or ''))}")


def raised_by_model(error: BaseException) -> AdkModelError | None:
    """What a client of Gemini raised, whose errors name their status as no other client's do."""
    link: BaseException | None = error
    for _ in range(_LONGEST_CHAIN):
        if link is None:
            return None
        code = getattr(link, "code", None)
        if type(link).__module__ == "google.genai.errors" and isinstance(code, int):
            return AdkModelError(code, getattr(link, "message", None))
        link = link.__cause__
    return None


def is_failure(code: object) -> bool:
    """Whether the code says that the call of the model failed, not just how its answer ended."""
    name = _name(code).upper()
    return name not in _ENDINGS and not name.startswith("IMAGE_")


def _name(code: object) -> str:
    return str(getattr(code, "value", code))
