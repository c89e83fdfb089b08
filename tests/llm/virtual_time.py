"""An event loop whose clock jumps to the next timer: hours of waiting take milliseconds."""

from __future__ import annotations

import asyncio
import selectors
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine


T = TypeVar("T")


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """Starts at 0; no time passes except while everybody waits for timers. Without sockets and threads.

    Args:
        late_s: How late a timer goes off; asked for each wait.
    """

    def __init__(self, late_s: Callable[[], float] = lambda: 0.0) -> None:
        self.seconds = 0.0
        self.late_s = late_s
        super().__init__(_JumpingSelector(self))

    def time(self) -> float:
        """Seconds since the start."""
        return self.seconds


class _JumpingSelector(selectors.SelectSelector):
    def __init__(self, loop: VirtualTimeLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> Any:
        ready = super().select(0)
        if not ready:
            if timeout is None:
                msg = "everybody waits, and there is no timer: a deadlock"
                raise RuntimeError(msg)
            self._loop.seconds += timeout + self._loop.late_s() * (timeout > 0)
        return ready


def run_in_virtual_time(coroutine: Coroutine[Any, Any, T], *, late_s: Callable[[], float] = lambda: 0.0) -> T:
    """Run something as `asyncio.run` does."""
    with asyncio.Runner(loop_factory=lambda: VirtualTimeLoop(late_s)) as runner:
        return runner.run(coroutine)
