"""Calls that wait for their start, each in an event loop of its own choosing."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from rampart.llm.limiter import Place


@dataclass(eq=False, slots=True)
class Waiter:
    """A call that wants to start."""

    loop: asyncio.AbstractEventLoop = field(repr=False)
    tokens: int
    is_retry: bool
    spare: int
    place: Place | None = None
    is_asleep: bool = False
    woken: asyncio.Future[None] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Make what it waits for."""
        self.woken = self.loop.create_future()

    def wake(self) -> bool:
        """Tell it, from any thread, that it has a place; whether there is anybody to be told."""
        return _call_soon(self.loop, self._wake)

    def _wake(self) -> None:
        if not self.woken.done():  # it may have been cancelled meanwhile
            self.woken.set_result(None)


@dataclass(eq=False, slots=True)
class _Loop:
    """An event loop in which somebody waits."""

    loop: asyncio.AbstractEventLoop
    waiting: int = 0
    looks_at: float = float("inf")
    timer: asyncio.TimerHandle | None = None
    is_nudged: bool = False


class WaitingLine:
    """Who waits, in which order, and when to look again. Everything here is called under the limiter's lock.

    Args:
        look: Lets in whoever may start; called in an event loop, without the lock.
    """

    def __init__(self, *, look: Callable[[], None]) -> None:
        self._look = look
        self._retried: OrderedDict[Waiter, None] = OrderedDict()
        self._new: OrderedDict[Waiter, None] = OrderedDict()
        self._loops: dict[asyncio.AbstractEventLoop, _Loop] = {}

    def __len__(self) -> int:
        return len(self._retried) + len(self._new)

    def add(self, waiter: Waiter) -> None:
        """Put somebody at the end of the line for retried or for new calls."""
        (self._retried if waiter.is_retry else self._new)[waiter] = None
        self._loops.setdefault(waiter.loop, _Loop(waiter.loop)).waiting += 1

    def remove(self, waiter: Waiter) -> None:
        """Take somebody out; nothing happens if they are not in it."""
        line = self._retried if waiter.is_retry else self._new
        if waiter not in line:
            return
        del line[waiter]
        loop = self._loops[waiter.loop]
        loop.waiting -= 1
        if not loop.waiting:
            del self._loops[waiter.loop]
            if loop.timer is not None and loop.loop is running_loop():
                loop.timer.cancel()  # elsewhere it goes off, and finds nobody

    def next(self, *, most_spare: bool) -> Waiter | None:
        """Take out who is first; None where all stand in loops that do not run.

        Args:
            most_spare: Take whoever can best afford to be refused. Otherwise retried calls are first, of
                which those that can least afford it; new ones follow in their order.
        """
        standing: list[_Loop] = []
        chosen: Waiter | None = None
        for waiter in chain(self._retried, self._new):
            if chosen is not None and not (most_spare or waiter.is_retry):
                break
            entry = self._loops[waiter.loop]
            if not entry.loop.is_running():
                standing.append(entry)
            elif chosen is None or _is_preferred(waiter, chosen, most_spare=most_spare):
                chosen = waiter
        for entry in standing:
            self._nudge(entry)  # so that it comes by when it runs again
        if chosen is not None:
            self.remove(chosen)
        return chosen

    def look_again(self, after_s: float) -> None:
        """Let in whoever may start after so many seconds, in each loop in which somebody waits.

        In each of them, since no loop can be relied on to go on running.
        """
        here = running_loop()
        for entry in list(self._loops.values()):
            at = entry.loop.time() + after_s
            if entry.looks_at <= at:
                continue
            if entry.loop is here:
                self._set_timer(entry, at)
            else:
                self._nudge(entry)

    def _set_timer(self, entry: _Loop, at: float) -> None:
        if entry.timer is not None:
            entry.timer.cancel()
        entry.looks_at = at
        entry.timer = entry.loop.call_at(at, self._on_timer, entry)

    def _on_timer(self, entry: _Loop) -> None:
        entry.looks_at = float("inf")
        self._look()

    def _nudge(self, entry: _Loop) -> None:
        """Have somebody look who runs in that loop."""
        if entry.is_nudged:
            return
        entry.is_nudged = True
        if not _call_soon(entry.loop, self._on_nudge, entry):
            self._drop(entry)

    def _on_nudge(self, entry: _Loop) -> None:
        entry.is_nudged = False
        self._look()

    def _drop(self, entry: _Loop) -> None:
        """Forget those whose loop was closed: nobody can wake them."""
        for line in (self._retried, self._new):
            for waiter in [waiter for waiter in line if waiter.loop is entry.loop]:
                del line[waiter]
        self._loops.pop(entry.loop, None)


def _is_preferred(waiter: Waiter, other: Waiter, *, most_spare: bool) -> bool:
    return waiter.spare > other.spare if most_spare else waiter.spare < other.spare


def _call_soon(loop: asyncio.AbstractEventLoop, function: Callable[..., None], *arguments: object) -> bool:
    """Call a function in a loop; False if the loop is closed."""
    try:
        loop.call_soon_threadsafe(function, *arguments)
    except RuntimeError:
        return False
    return True


def running_loop() -> asyncio.AbstractEventLoop | None:
    """The loop that runs in this thread, if one does."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
