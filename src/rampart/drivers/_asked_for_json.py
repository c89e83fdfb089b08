"""Asking a driver's model for JSON until it is valid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from rampart.core.errors import DriverError, EmptyCompletionError
from rampart.core.llm import ChatMessage
from rampart.drivers._prompt_files import prompt_text
from rampart.text.encodable import encodable
from rampart.text.json_objects import json_objects_in
from rampart.text.oneline import quote

if TYPE_CHECKING:
    from collections.abc import Callable

    from rampart.drivers._model_conversation import ModelConversation

T = TypeVar("T")

ATTEMPTS = 3
"""How often a model is asked before a driver gives up on it."""

_NO_OBJECT = "it holds no JSON object"
_LONGEST_REPEATED = 4_000


class InvalidReplyError(ValueError):
    """A JSON object is not what was asked for; the text says why, and is told to the model."""


async def ask_for_json_async(
    conversation: ModelConversation,
    shown: str,
    *,
    owner: str,
    read: Callable[[dict[str, Any]], T],
    response_schema: dict[str, Any],
) -> T:
    """The last JSON object of the model's reply that is valid; an invalid reply is asked for again.

    Args:
        conversation: Where the model is asked; the attempts are not kept.
        shown: What the model is shown.
        owner: The driver's name, for errors.
        read: Makes of an object what is wanted, or raises `InvalidReplyError`.
        response_schema: JSON Schema of the object.

    Raises:
        DriverError: If a call fails, or the reply is still invalid after `ATTEMPTS` attempts.
    """
    further: list[ChatMessage] = []
    problem, reply = "", ""
    for _ in range(ATTEMPTS):
        try:
            reply = await conversation.ask_async(shown, further=further, response_schema=response_schema)
        except DriverError as error:
            if not isinstance(error.__cause__, EmptyCompletionError):
                raise
            reply = ""
        try:
            return _last_valid(reply, read)
        except InvalidReplyError as error:
            problem = str(error)
        further = [
            ChatMessage(
                role="assistant", content=encodable(reply.strip()[:_LONGEST_REPEATED]) or "(nothing)"
            ),
            ChatMessage(role="user", content=prompt_text("invalid_reply", problem=problem)),
        ]
    last = f"; the last one was {quote(reply, 200)!r}" if reply.strip() else ""
    msg = f"{owner}: the chat model gave no valid reply in {ATTEMPTS} attempts: {problem}{last}"
    raise DriverError(msg)


def _last_valid(reply: str, read: Callable[[dict[str, Any]], T]) -> T:
    """An earlier object may be a draft, or quoted from what the agent wrote."""
    problem = InvalidReplyError(_NO_OBJECT if reply.strip() else "it was empty")
    for found in reversed(json_objects_in(reply)):
        try:
            return read(found)
        except InvalidReplyError as error:
            problem = error if str(problem) == _NO_OBJECT else problem
    raise problem
