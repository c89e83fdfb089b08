"""How an endpoint is dealt with that refuses calls for their number."""

from __future__ import annotations

import random
from collections import deque

LONGEST_STATED_WAIT_S = 60.0
"""A server that asks for a longer pause is not waited for."""

FIRST_DELAY_S = 0.5
LONGEST_DELAY_S = 8.0

_DECREASE = 0.7
_FEWER = 0.5
_FIRST_GROWTH = 0.05
_REGAINED_AFTER = 100
_HEALING_S = 30.0
_LONGEST_INTERVAL_S = 32.0
_FREE_RATE = 1000.0
_REMEMBERED_S = 60.0
_GIVEN_UP_AFTER_S = 60.0


def delay_s(failures: int, /) -> float:
    """How long to wait after so many failures in a row (from 1): growing, and never the same twice.

    At least 0.5 s, 1 s, 2 s, 4 s, 8 s, 8 s ... and up to half as much again, so that clients which failed
    together do not come back together.

    Source: M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015; of its forms the one
    with equal jitter, whose delays are never near zero.
    """
    least = min(LONGEST_DELAY_S, FIRST_DELAY_S * 2.0 ** min(failures - 1, 10))
    return least * random.uniform(1, 1.5)  # noqa: S311  # spreads load; nothing secret


class Throttling:
    """What an endpoint's refusals teach: how fast, how many at once, and not before when.

    Additive increase, multiplicative decrease, as in TCP: a refusal makes calls fewer at once (half) and
    slower (0.7 of the rate at which they had got through); each call that gets through makes them a little
    faster again, least near the rate that was refused. All calls that were under way when one was
    refused count as one refusal. Until a call gets through, one is sent at a time, after pauses that grow;
    after 60 s without any, the endpoint is given up and calls fail at a pace of their own.

    Times are of one monotonic clock, handed in; nothing here waits or locks.

    Sources: D.-M. Chiu, R. Jain, Computer Networks and ISDN Systems 17 (1989), 1-14; factor and curve are
    those of CUBIC, RFC 9438 (2023), sections 4.2 and 4.6, over calls that got through in place of time.
    """

    def __init__(self) -> None:
        self.paused_until = float("-inf")
        self.at_once: float | None = None
        self._rate: float | None = None
        self._refused_rate: float | None = None
        self._eased_at = float("-inf")
        self._since_refusal = 0
        self._refused_at = float("-inf")
        self._closed_at: float | None = None
        self._refusals_in_a_row = 0
        self._longest_stated_s = 0.0
        self._let_in = _Recent()

    def is_probing(self, now: float) -> bool:
        """Whether the endpoint has let in nothing since its last refusal, so that one is sent at a time."""
        return self._closed_at is not None and not self._is_given_up(now)

    def interval_s(self, now: float) -> float:
        """Seconds between two calls; 0 where nothing has been learned."""
        rate = self._rate_at(now)
        return 0.0 if rate is None else 1 / rate

    def let_in(self, now: float, *, sent_at: float, pace_bound: bool) -> None:
        """A call has got through.

        Args:
            now: The time.
            sent_at: When that call had been sent.
            pace_bound: Whether calls wait for nothing but the pace. Where they do not, that a call got
                through says nothing about a faster one.
        """
        self._let_in.add(now)
        if self._closed_at is not None and sent_at > self._closed_at:
            if sent_at > self._refused_at:
                self._closed_at, self._refusals_in_a_row = None, 0
            else:  # it had got through before the last refusal: not open, but no reason to give up
                self._closed_at = self._refused_at
        self._since_refusal += 1
        if self.at_once is not None:
            self.at_once += 1 / self.at_once
        rate = self._rate_at(now)
        if rate is not None and pace_bound:
            self._set_rate(now, max(rate, self._climbed(rate)))

    def refused(self, now: float, *, sent_at: float, in_flight: int, stated_s: float | None) -> bool:
        """A call was refused; whether that was news, and not one of several refused at once.

        Args:
            now: The time.
            sent_at: When that call had been sent.
            in_flight: Calls under way, this one included.
            stated_s: The pause that the server asks for, in seconds, if it says.
        """
        stated = stated_s is not None and 0 < stated_s <= LONGEST_STATED_WAIT_S
        if stated and stated_s is not None:
            self.paused_until = max(self.paused_until, now + stated_s)
            self._longest_stated_s = max(self._longest_stated_s, stated_s)
        if sent_at <= self._refused_at:
            return False
        self._refused_at = now
        self._since_refusal = 0
        if self._closed_at is None:
            self._closed_at = now
            self._longest_stated_s = stated_s if stated and stated_s is not None else 0.0
        self._refusals_in_a_row += 1
        if self._is_given_up(now):
            self._rate = self._refused_rate = self.at_once = None
            return False
        if self._refusals_in_a_row == 1:
            self.at_once = max(1.0, in_flight * _FEWER)
        elif not stated:
            self.paused_until = max(self.paused_until, now + delay_s(self._refusals_in_a_row - 1))
        self._slow_down(now)
        return True

    def _slow_down(self, now: float) -> None:
        rate, seen = self._rate_at(now), _DECREASE * self._let_in.rate(now)
        # One refusal says little about an endpoint that is asked rarely, so it slows down only the fast.
        least = 1 / min(_LONGEST_INTERVAL_S, FIRST_DELAY_S * 2.0 ** min(self._refusals_in_a_row - 1, 10))
        if rate is None:
            slower = max(seen, least)
        elif self._refusals_in_a_row == 1:
            slower = max(_DECREASE * rate, min(rate, least))
            self._refused_rate = rate
        elif seen:
            slower = min(rate, max(seen, least))
            self._refused_rate = None if self._refused_rate is None else slower / _DECREASE
        else:
            slower = rate  # nothing to go by; the pauses do it
        self._set_rate(now, slower)

    def _climbed(self, rate: float) -> float:
        if self._refused_rate is None:
            return rate * (1 + _FIRST_GROWTH)
        # Back towards the rate that was refused quickly, past it slowly, and away from it quickly again.
        left = 1 - self._since_refusal / _REGAINED_AFTER
        return self._refused_rate * (1 - (1 - _DECREASE) * left**3)

    def _is_given_up(self, now: float) -> bool:
        if self._closed_at is None:
            return False
        return now - self._closed_at > _GIVEN_UP_AFTER_S + self._longest_stated_s

    def _rate_at(self, now: float) -> float | None:
        if self._rate is None:
            return None
        # What was learned long ago may hold no longer.
        calm_s = max(0.0, now - self._eased_at)
        return self._rate * 2 ** min(30.0, calm_s / _HEALING_S)

    def _set_rate(self, now: float, rate: float) -> None:
        self._rate, self._eased_at = rate, max(now, self.paused_until)
        if rate > _FREE_RATE:
            self._rate = self._refused_rate = None


class _Recent:
    """Counts what happened within the last minute, by the second."""

    def __init__(self) -> None:
        self._seconds: deque[tuple[int, int]] = deque()
        self._first = float("inf")

    def add(self, now: float) -> None:
        if not self._seconds:
            self._first = now
        second = int(now)
        if self._seconds and self._seconds[-1][0] == second:
            self._seconds[-1] = (second, self._seconds[-1][1] + 1)
        else:
            self._seconds.append((second, 1))
            self._forget(now)

    def rate(self, now: float) -> float:
        """Times a second, over the last minute or since the first, but at least over one second."""
        self._forget(now)
        if not self._seconds:
            return 0.0
        began = max(self._first, float(self._seconds[0][0]))
        return sum(count for _, count in self._seconds) / max(1.0, now - began)

    def _forget(self, now: float) -> None:
        while self._seconds and self._seconds[0][0] < now - _REMEMBERED_S:
            self._seconds.popleft()
