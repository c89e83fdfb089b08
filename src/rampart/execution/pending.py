"""A call that was made and has yet to be awaited."""

from __future__ import annotations

import sys
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from rampart.core.listener import emit_call

if TYPE_CHECKING:
    from collections.abc import Generator
    from types import TracebackType

T_co = TypeVar("T_co", covariant=True)


class PendingCall(Coroutine[Any, Any, T_co]):
    """A coroutine that cannot be mistaken for what it will return.

    A coroutine is true, so a test that forgets `await` in `assert await ...` would pass without having
    asked the agent anything. This one has no truth value, and whoever collects results learns of it, so
    that a test which never awaits it can be failed.

    Args:
        coroutine: What runs when this is awaited.
        what: The function that was called, as messages name it.

    Attributes:
        awaited: Whether it was awaited, or handed to a task that has begun.
    """

    __slots__ = ("_coroutine", "awaited", "what")

    def __init__(self, coroutine: Coroutine[Any, Any, T_co], *, what: str) -> None:
        self._coroutine = coroutine
        self.what = what
        self.awaited = False
        emit_call(self)

    def __await__(self) -> Generator[Any, Any, T_co]:
        """Run it."""
        self.awaited = True
        return self._coroutine.__await__()

    def send(self, value: Any, /) -> Any:
        """Run it to its next wait; tasks do."""
        self.awaited = True
        return self._coroutine.send(value)

    def throw(
        self,
        typ: Any,
        val: Any = None,
        tb: TracebackType | None = None,
        /,
    ) -> Any:
        """Raise an exception where it waits."""
        self.awaited = True
        error = typ if val is None else val
        return self._coroutine.throw(error if tb is None else error.with_traceback(tb))

    def close(self) -> None:
        """Give it up."""
        self._coroutine.close()

    def __bool__(self) -> bool:
        """Refuse to stand for a verdict.

        Raises:
            TypeError: To everybody but asyncio.
        """
        caller: object = sys._getframe(1).f_globals.get("__name__")
        if isinstance(caller, str) and caller.partition(".")[0] == "asyncio":
            return True  # from Python 3.12 on, the repr of a task asks whether it still has its coroutine
        msg = f"{self.what}(...) was called but not awaited, so there is no verdict: write `await` before it"
        raise TypeError(msg)

    def __getattr__(self, name: str) -> NoReturn:
        """Say what is missing to somebody who takes this for the result."""
        msg = (
            f"{self.what}(...) was called but not awaited, so there is no {name!r} to read: "
            "write `await` before it"
        )
        raise AttributeError(msg)
