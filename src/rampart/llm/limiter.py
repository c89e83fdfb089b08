"""The one limiter that all calls to an endpoint pass, whatever model, event loop or thread they are from."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from rampart.llm.load_limits import LoadLimits
from rampart.llm.pacing import Pace
from rampart.llm.throttling import Throttling
from rampart.llm.waiting_line import Waiter, WaitingLine, running_loop

if TYPE_CHECKING:
    from collections.abc import Callable

_LOOK_AT_OTHER_LOOPS_S = 1.0
PROBE_S = 1.0
"""Refusals come back at once: a call that still runs after so many seconds was let in."""


@dataclass(eq=False, slots=True)
class Place:
    """The right to have one call under way."""

    limiter: EndpointLimiter = field(repr=False)
    loop: asyncio.AbstractEventLoop = field(repr=False)
    tokens: int
    sent_at: float

    def leave(self, *, tokens_used: int | None = None) -> None:
        """Make room for the next call; a place that was left already stays as it is.

        Args:
            tokens_used: What the call really used, where that is known.
        """
        self.limiter.leave(self, tokens_used=tokens_used)


class EndpointLimiter:
    """Decides when a call to an endpoint may start, for all event loops and threads of the process.

    Calls start in the order in which they came, retried ones (see `take_async`) before new ones, when
    there is room for one more, when the pace allows it, and when the endpoint has not asked for a pause.
    What an endpoint's refusals bring about is told in `rampart.llm.throttling`.

    Nothing is bound to an event loop except the calls that wait in it: each is woken in its own loop. A
    loop that stands still, or was closed, is passed over.

    Args:
        limits: What the endpoint takes.
        now: A monotonic clock, in seconds.
    """

    def __init__(
        self, limits: LoadLimits | None = None, *, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._limits = limits or LoadLimits()
        self._now = now
        self._lock = threading.Lock()
        self._holder: int | None = None
        self._later: deque[Callable[[], None]] = deque()
        self._line = WaitingLine(look=self._look)
        self._places: set[Place] = set()
        self._probe: Place | None = None
        self._requests, self._tokens, self._learned = Pace(), Pace(), Pace(catch_up_s=0)
        self._throttling = Throttling()

    @property
    def limits(self) -> LoadLimits:
        """What the endpoint takes, as far as it was set."""
        return self._limits

    @property
    def in_flight(self) -> int:
        """Calls that are under way."""
        return len(self._places)

    @property
    def waiting(self) -> int:
        """Calls that wait for their start."""
        return len(self._line)

    def change(self, limits: LoadLimits) -> None:
        """Hold to other limits from now on; calls under way go on."""

        def change() -> None:
            self._limits = limits
            self._requests, self._tokens = Pace(), Pace()
            self._requests.hold(self._now())
            self._tokens.hold(self._now())

        self._do(change)

    async def take_async(self, *, tokens: int = 0, is_retry: bool = False, spare: int = 0) -> Place:
        """Wait until a call may start.

        Args:
            tokens: How many tokens it will use, as far as one can tell beforehand.
            is_retry: Whether it is an attempt after one that failed.
            spare: How many more attempts could follow this one. While the endpoint lets nothing in, the call
                that has most of them is sent to try it; else, of the retried ones, one that has fewest.

        Returns:
            A place, which has to be left.
        """
        loop = asyncio.get_running_loop()
        waiter = Waiter(loop=loop, tokens=tokens, is_retry=is_retry, spare=spare)
        self._do(partial(self._join, waiter))
        if waiter.place is not None:
            return waiter.place
        try:
            await waiter.woken
        except BaseException:  # cancelled, or dropped together with its loop
            self._do(partial(self._give_up, waiter))
            raise
        assert waiter.place is not None  # what wakes a waiter
        return waiter.place

    def leave(self, place: Place, *, tokens_used: int | None = None) -> None:
        """Make room for the next call; see `Place.leave`."""
        self._do(partial(self._leave, place, tokens_used))

    def let_in(self, place: Place) -> None:
        """Note that the endpoint served a call; to be said before the place is left."""
        self._do(partial(self._note_let_in, place))

    def refused(self, place: Place, *, stated_s: float | None = None) -> None:
        """Note that the endpoint refused a call because there were too many; before the place is left.

        Args:
            place: The place of that call.
            stated_s: The pause that the endpoint asked for, in seconds, if it did.
        """
        self._do(partial(self._note_refused, place, stated_s))

    def _do(self, step: Callable[[], None]) -> None:
        """Take a step under the lock, and let in whoever may start then."""
        if self._holder == threading.get_ident():
            # The garbage collector ended a call while this very thread was in `_locked`, which sees to it.
            self._later.append(step)
            return
        self._locked(step)
        while self._later:
            self._locked(self._later.popleft())

    def _locked(self, step: Callable[[], None]) -> None:
        with self._lock:
            self._holder = threading.get_ident()
            try:
                step()
                self._let_in()
            finally:
                self._holder = None

    def _look(self) -> None:
        self._do(lambda: None)

    def _join(self, waiter: Waiter) -> None:
        self._line.add(waiter)
        self._let_in()
        waiter.is_asleep = True

    def _give_up(self, waiter: Waiter) -> None:
        if waiter.place is None:
            self._line.remove(waiter)
        elif waiter.place in self._places:
            # It was let in and cancelled before it could start: what it took from the pace goes back.
            self._requests.correct(-self._limits.request_s)
            self._leave(waiter.place, 0)

    def _leave(self, place: Place, tokens_used: int | None) -> None:
        if place not in self._places:
            return
        self._places.discard(place)
        if self._probe is place:
            self._probe = None
        if tokens_used is not None:
            self._tokens.correct((tokens_used - place.tokens) * self._limits.token_s)

    def _note_let_in(self, place: Place) -> None:
        self._throttling.let_in(
            self._now(), sent_at=place.sent_at, pace_bound=bool(self._line) and self._has_room()
        )

    def _note_refused(self, place: Place, stated_s: float | None) -> None:
        now = self._now()
        if self._throttling.refused(
            now, sent_at=place.sent_at, in_flight=len(self._places), stated_s=stated_s
        ):
            self._learned.hold(now + self._throttling.interval_s(now))

    def _let_in(self) -> None:
        while self._line:
            now = self._now()
            opens_at = self._opens_at(now)
            if opens_at is None:
                return  # whoever leaves comes by here
            if opens_at > now:
                self._line.look_again(opens_at - now)
                return
            probing = self._throttling.is_probing(now)
            waiter = self._line.next(most_spare=probing)
            if waiter is None:
                return  # their loops stand still, and come by here when they run
            place = waiter.place = Place(self, waiter.loop, waiter.tokens, now)
            if waiter.is_asleep and not waiter.wake():
                continue
            self._places.add(place)
            if probing:
                self._probe = place
            waited = waiter.is_asleep
            self._requests.take(now, self._limits.request_s, waited=waited)
            self._tokens.take(now, place.tokens * self._limits.token_s, waited=waited)
            self._learned.take(now, self._throttling.interval_s(now), waited=waited)

    def _opens_at(self, now: float) -> float | None:
        """When the next call may start; None while there is no room."""
        if not self._has_room() and not (self._reclaim() and self._has_room()):
            here = running_loop()
            # A loop that is closed over its calls tells nobody.
            elsewhere = any(place.loop is not here for place in self._places)
            return now + _LOOK_AT_OTHER_LOOPS_S if elsewhere else None
        opens_at = max(
            self._throttling.paused_until, self._requests.open_at, self._tokens.open_at, self._learned.open_at
        )
        if self._probe is not None and self._throttling.is_probing(now):
            opens_at = max(opens_at, self._probe.sent_at + PROBE_S)
        return opens_at

    def _has_room(self) -> bool:
        room = self._limits.requests_in_flight
        at_once = self._throttling.at_once
        if at_once is not None:
            room = int(at_once) if room is None else min(room, int(at_once))
        return room is None or len(self._places) < room

    def _reclaim(self) -> bool:
        """Take back the places of calls whose loop was closed over their heads."""
        lost = [place for place in self._places if place.loop.is_closed()]
        for place in lost:
            self._leave(place, None)
        return bool(lost)
