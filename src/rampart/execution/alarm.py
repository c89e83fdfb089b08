"""One timer for all watchdogs of an event loop.

Setting and cancelling a timer for each execution would cost more than most of its steps. This one is
left where it is when the execution that asked for it ends, and finds out when it fires who still needs
it.
"""

from __future__ import annotations

import math
import threading
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import asyncio


class Sleeper(Protocol):
    """Something that wants to be looked at when a time has come."""

    def look(self, now: float, /) -> float:
        """Do what is due at the loop's time `now`; return the next time of interest, or infinity."""
        ...


class Alarm:
    """Looks at its sleepers when the first of them may be due.

    Attributes:
        loop: The loop whose time this is.
        fires_at: The loop's time at which the sleepers are looked at next; infinity if never.
    """

    __slots__ = ("_sleepers", "_timer", "fires_at", "loop")

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.fires_at = math.inf
        self._sleepers: set[Sleeper] = set()
        self._timer: asyncio.TimerHandle | None = None

    def wake(self, sleeper: Sleeper, at: float) -> None:
        """Look at `sleeper` at the loop's time `at`, or earlier, and from then on when it says."""
        self._sleepers.add(sleeper)
        if at < self.fires_at:
            self._arm(at)

    def forget(self, sleeper: Sleeper) -> None:
        """Look at `sleeper` no more."""
        self._sleepers.discard(sleeper)

    def _arm(self, at: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self.fires_at = at
        self._timer = self.loop.call_at(at, self._fire)

    def _fire(self) -> None:
        self._timer, self.fires_at = None, math.inf
        now = self.loop.time()
        following = min((sleeper.look(now) for sleeper in list(self._sleepers)), default=math.inf)
        if following < self.fires_at:
            self._arm(following)


class _OfThisThread(threading.local):
    alarm: Alarm | None = None


_here = _OfThisThread()


def alarm_of(loop: asyncio.AbstractEventLoop) -> Alarm:
    """The alarm of the loop that runs in this thread."""
    alarm = _here.alarm
    if alarm is None or alarm.loop is not loop:
        alarm = _here.alarm = Alarm(loop)
    return alarm
