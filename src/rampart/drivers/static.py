"""A driver that sends a fixed list of messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from rampart.core.prompt_driver import PromptDecision
from rampart.core.types import Request

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rampart.core.types import Turn


class StaticDriver:
    """Sends the given prompts one after another, whatever the agent answers.

    The position is the length of the history, so one driver may serve any number of conversations, also
    at the same time.

    Args:
        prompts: A list or tuple of messages; a str stands for a request with that prompt. Empty is legal
            and sends nothing. The list is copied.

    Raises:
        TypeError: If `prompts` is no list or tuple (an iterator would be empty for the second
            conversation), or an item is neither a str nor a Request.
    """

    def __init__(self, *, prompts: list[str] | list[Request] | tuple[str | Request, ...]) -> None:
        given: object = prompts
        if not isinstance(given, list | tuple):
            msg = (
                f"prompts is of type {type(given).__name__}, expected a list or tuple of str or Request; "
                f"{_advice(given)}"
            )
            raise TypeError(msg)
        items = cast("Iterable[object]", given)
        self._requests = tuple(_request(item, index) for index, item in enumerate(items))

    @property
    def requests(self) -> tuple[Request, ...]:
        """What is sent, in order."""
        return self._requests

    async def next_prompt_async(self, *, history: list[Turn]) -> PromptDecision | None:
        """The prompt that follows `len(history)` turns; None past the end."""
        position = len(history)
        if position >= len(self._requests):
            return None
        return PromptDecision(request=self._requests[position])

    def __repr__(self) -> str:
        """The number of prompts."""
        return f"StaticDriver(<{len(self._requests)} prompts>)"


def prompts_of(driver: object) -> list[str]:
    """The texts that a driver is known to send beforehand, those of its attachments included."""
    if not isinstance(driver, StaticDriver):
        return []
    texts: list[str] = []
    for request in driver.requests:
        texts += [] if request.prompt is None else [request.prompt]
        texts += [attachment.content for attachment in request.attachments]
    return texts


def _request(item: object, index: int) -> Request:
    if isinstance(item, Request):
        return item
    if isinstance(item, str):
        return Request(prompt=item)
    msg = f"prompts[{index}] is of type {type(item).__name__}, expected a str or a Request"
    raise TypeError(msg)


def _advice(given: object) -> str:
    if isinstance(given, str | Request):
        return "put the single prompt into a list"
    return "make a list of it first, so that every conversation gets all of it"
