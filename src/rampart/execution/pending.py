"""Calls that were made and have yet to be awaited."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, TypeVar

from rampart.core.listener import emit_call

if TYPE_CHECKING:
    from collections.abc import Coroutine

T = TypeVar("T")


class PendingCall:
    """A coroutine that a function has returned, seen by whoever collects results.

    A coroutine is true, so a test that forgets `await` in `assert await ...` would pass without having
    asked the agent anything. Who looks at this when the test has ended can tell.

    Args:
        coroutine: What was returned.
        what: The function that returned it, as messages name it.
    """

    __slots__ = ("_coroutine", "what")

    def __init__(self, coroutine: Coroutine[Any, Any, Any], *, what: str) -> None:
        self._coroutine = coroutine
        self.what = what

    @property
    def awaited(self) -> bool:
        """Whether it was awaited, by a task or otherwise."""
        return inspect.getcoroutinestate(self._coroutine) != inspect.CORO_CREATED

    def close(self) -> None:
        """Give it up; Python does not warn of it any more."""
        self._coroutine.close()


def announced(coroutine: Coroutine[Any, Any, T], *, what: str) -> Coroutine[Any, Any, T]:
    """The coroutine itself, made known to whoever collects results.

    Args:
        coroutine: What a function is about to return.
        what: The function, as messages name it.
    """
    emit_call(PendingCall(coroutine, what=what))
    return coroutine
