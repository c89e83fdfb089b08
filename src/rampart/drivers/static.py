"""A driver that sends what it was given, in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rampart.core.prompt_driver import PromptDecision
from rampart.core.types import Request

if TYPE_CHECKING:
    from rampart.core.types import Turn


class StaticDriver:
    """Sends fixed messages, one after another, and then ends the trace.

    It keeps no position of its own (that is the length of the history), so one driver serves any
    number of executions at once.

    Args:
        prompts: A list or tuple of messages; a str stands for a Request with this prompt.

    Raises:
        TypeError: If `prompts` is no list or tuple, or holds something else than str and Request.
    """

    def __init__(self, *, prompts: list[str] | list[Request] | tuple[str | Request, ...]) -> None:
        if not isinstance(prompts, list | tuple):
            msg = f"prompts must be a list or tuple of str or Request, got {type(prompts).__name__}"
            raise TypeError(msg)
        self._decisions = [
            PromptDecision(request=_request(item, position)) for position, item in enumerate(prompts)
        ]

    async def next_prompt_async(self, *, history: list[Turn]) -> PromptDecision | None:
        """The message at the position that the history has reached; None past the last one."""
        position = len(history)
        return self._decisions[position] if position < len(self._decisions) else None


def _request(item: object, position: int) -> Request:
    if isinstance(item, Request):
        return item
    if isinstance(item, str):
        return Request(prompt=item)
    msg = f"prompts must hold str or Request, got {type(item).__name__} at position {position}"
    raise TypeError(msg)
