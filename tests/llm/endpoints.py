"""Endpoints that take only so much, on a clock that is handed in: what calls see, without a network."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Protocol

from rampart.core.errors import RateLimitError
from rampart.llm.limiter import EndpointLimiter
from rampart.llm.retrying import TransientError, call_with_retries_async

if TYPE_CHECKING:
    from collections.abc import Callable

    from rampart.llm.load_limits import LoadLimits


class Gate(Protocol):
    """What decides whether a call is served."""

    def wait_s(self, now: float, running: int) -> float:
        """0 if it is served; else the seconds after which it may be."""
        ...


class Bucket:
    """So many calls a second, and up to `burst` at once after a rest."""

    def __init__(self, *, per_second: float, burst: float) -> None:
        self._per_second, self._burst = per_second, burst
        self._tokens, self._filled_at = burst, 0.0

    def wait_s(self, now: float, running: int) -> float:
        self._tokens = min(self._burst, self._tokens + (now - self._filled_at) * self._per_second)
        self._filled_at = now
        if self._tokens >= 1 - 1e-9:
            self._tokens -= 1
            return 0.0
        return (1 - self._tokens) / self._per_second


class Window:
    """So many calls within each window of the clock."""

    def __init__(self, *, calls: int, seconds: float) -> None:
        self._calls, self._seconds = calls, seconds
        self._number, self._served = -1, 0

    def wait_s(self, now: float, running: int) -> float:
        number = int(now // self._seconds)
        if number != self._number:
            self._number, self._served = number, 0
        if self._served < self._calls:
            self._served += 1
            return 0.0
        return (number + 1) * self._seconds - now


class Slots:
    """So many calls at once."""

    def __init__(self, count: int) -> None:
        self._count = count

    def wait_s(self, now: float, running: int) -> float:
        return 0.0 if running < self._count else 1.0


class Closed:
    """Nothing before a certain time."""

    def __init__(self, *, until: float) -> None:
        self._until = until

    def wait_s(self, now: float, running: int) -> float:
        return max(0.0, self._until - now)


class Endpoint:
    """Serves calls as far as its gate lets it, and counts.

    Args:
        gate: Who is served.
        says_when: Whether refusals state when to come back.
        takes_s: How long a call that is served takes.
        clock: The time.
    """

    def __init__(
        self, gate: Gate, *, clock: Callable[[], float], says_when: bool = False, takes_s: float = 0.05
    ) -> None:
        self.asked: list[float] = []
        self.refused = 0
        self.running = 0
        self._gate, self._clock, self._says_when, self._takes_s = gate, clock, says_when, takes_s

    async def attempt_async(self) -> str:
        """Make one attempt."""
        now = self._clock()
        self.asked.append(now)
        wait_s = self._gate.wait_s(now, self.running)
        if wait_s > 0:
            self.refused += 1
            await asyncio.sleep(0.01)
            raise TransientError(
                RateLimitError("throttled"), retry_after_s=wait_s if self._says_when else None
            )
        self.running += 1
        try:
            await asyncio.sleep(self._takes_s)
        finally:
            self.running -= 1
        return "served"


async def lost_calls_async(
    endpoint: Endpoint, *, limits: LoadLimits, calls: int, at_once: int = 20, max_retries: int = 2
) -> int:
    """Make many calls, so many at once; how many of them failed."""
    limiter = EndpointLimiter(limits, now=asyncio.get_running_loop().time)
    numbers = iter(range(calls))
    lost = 0

    async def work_async() -> None:
        nonlocal lost
        for _ in numbers:
            try:
                await call_with_retries_async(
                    endpoint.attempt_async,
                    limiter=limiter,
                    max_retries=max_retries,
                    tokens=0,
                    used=lambda _: None,
                )
            except RateLimitError:
                lost += 1

    await asyncio.gather(*(work_async() for _ in range(at_once)))
    assert (limiter.in_flight, limiter.waiting) == (0, 0)
    return lost
