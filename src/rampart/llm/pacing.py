"""A steady pace that loses nothing to late timers."""

from __future__ import annotations

CATCH_UP_S = 0.2
"""So far behind its schedule a pace may get and still make it up."""


class Pace:
    """A schedule on which everything takes its time: one request, or each of its tokens.

    The generic cell rate algorithm: what is let in moves the schedule on by the time that it takes, and the
    next may come when the schedule has been reached. Timers that fire late, and loops that are busy, cost
    nothing: who was waiting, and comes late, moves the schedule on from where it stood, up to an allowance.
    Who was not waiting gets no allowance, so that no burst follows a rest. What takes longer than others is
    let in like them, and waited for afterwards.

    Source: ITU-T Recommendation I.371 (2004), section 5.4.1 and annex A.

    Args:
        catch_up_s: How far behind, in seconds, the schedule may get and still be made up.
    """

    def __init__(self, *, catch_up_s: float = CATCH_UP_S) -> None:
        self._catch_up_s = catch_up_s
        self._schedule = float("-inf")

    @property
    def open_at(self) -> float:
        """When the next may come."""
        return self._schedule

    def take(self, now: float, seconds: float, *, waited: bool) -> None:
        """Let something in that takes so many seconds of the schedule."""
        earliest = now - self._catch_up_s if waited else now
        self._schedule = max(self._schedule, earliest) + seconds

    def correct(self, seconds: float) -> None:
        """Move the schedule by what something took more, or less if negative, than was thought."""
        self._schedule += seconds

    def hold(self, until: float) -> None:
        """Let nothing in before then."""
        self._schedule = max(self._schedule, until)
