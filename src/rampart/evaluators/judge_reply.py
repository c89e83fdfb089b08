"""Finding a judge's verdict in what its model wrote."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, TypeVar

from rampart.core.errors import EmptyCompletionError
from rampart.text.json_objects import json_objects_in
from rampart.text.reasoning import without_reasoning

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

_FENCE = re.compile(r"```\w*\s*(?P<inside>.*)```", re.DOTALL)


class InvalidReplyError(ValueError):
    """A reply is no verdict.

    The text says why, in a few words that can follow `:`; it is told to the model outside of any fence, so it
    holds nothing that the model or the agent wrote.
    """


def reply_text(completion: object, /) -> str:
    """The text of a completion.

    Raises:
        EmptyCompletionError: If there is no completion, or no text in it.
        TypeError: If it is no completion.
    """
    text: object = None if completion is None else getattr(completion, "text", completion)
    if text is None or (isinstance(text, str) and not text.strip()):
        msg = "the judge's model answered with nothing"
        raise EmptyCompletionError(msg)
    if completion is text or not isinstance(text, str):
        msg = f"the judge's model returned {type(completion).__name__}, expected a Completion with a text"
        raise TypeError(msg)
    return text


def last_valid(reply: str, *, read: Callable[[dict[str, Any]], T]) -> T:
    """The verdict in a reply: its last JSON object that is valid.

    An earlier one may be a draft, or quoted from the transcript.

    Args:
        reply: What the model wrote.
        read: Makes a verdict of a JSON object, or raises `InvalidReplyError`.

    Raises:
        InvalidReplyError: If no object is valid; it says what is wrong with the last one.
    """
    if _is_other_json(reply):
        msg = "it was a JSON value, but no object"
        raise InvalidReplyError(msg)
    problem = None
    for found in reversed(json_objects_in(reply)):
        try:
            return read(found)
        except InvalidReplyError as error:
            problem = problem or error
    raise problem or InvalidReplyError("it held no JSON object that could be read")


def _is_other_json(reply: str) -> bool:
    """Whether the whole reply is JSON that wraps what would otherwise be taken for the verdict."""
    text = without_reasoning(reply)
    fence = _FENCE.fullmatch(text)
    text = text if fence is None else fence["inside"]
    if not text.startswith("["):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
