"""What a simulated user's model answers: what the user says, and whether there is any more to say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

from rampart.drivers._asked_for_json import InvalidReplyError
from rampart.text.fold import fold
from rampart.text.oneline import quote

UserStatus = Literal["continue", "satisfied", "hopeless"]


def user_reply_schema(*, may_end: bool) -> dict[str, Any]:
    """JSON Schema of an answer; for `may_end` see `read_user_reply`."""
    return {
        "type": "object",
        # The reason first: a model that writes it before the status decides by it.
        "properties": {
            "reason": {"type": "string"},
            "status": {"type": "string", "enum": list(get_args(UserStatus)) if may_end else ["continue"]},
            "message": {"type": "string"},
        },
        "required": ["reason", "status", "message"],
        "additionalProperties": False,
    }


@dataclass(frozen=True, kw_only=True)
class UserReply:
    """A valid answer; `message` is blank only where the conversation ends."""

    message: str
    status: UserStatus
    reason: str


def read_user_reply(found: dict[str, Any], /, *, may_end: bool) -> UserReply:
    """The answer in a JSON object.

    Args:
        found: What the model wrote; further keys are passed over.
        may_end: Whether the conversation may end here, which it may not before it has begun.

    Raises:
        InvalidReplyError: If it is none.
    """
    message, status, reason = (_text(found, key) for key in ("message", "status", "reason"))
    if status not in get_args(UserStatus):
        raise InvalidReplyError(
            f'"status" is {quote(status, 40)!r}, not one of "continue", "satisfied", "hopeless"'
        )
    if status != "continue" and not may_end:
        raise InvalidReplyError(f'"status" is "{status}" before the agent was told anything')
    if status == "continue" and not fold(message).strip():
        raise InvalidReplyError('"status" is "continue", but "message" is empty')
    return UserReply(message=message.strip(), status=cast("UserStatus", status), reason=reason.strip())


def _text(found: dict[str, Any], key: str) -> str:
    if key not in found:
        raise InvalidReplyError(f'there is no "{key}"')
    value: object = found[key]
    if not isinstance(value, str):
        raise InvalidReplyError(f'"{key}" is no string')
    return value
