"""How a server limits its rate."""

from __future__ import annotations

import time


class TokenBucket:
    """Holds up to `burst` tokens, and gets `per_second` new ones; each call takes one.

    Args:
        per_second: Calls per second that are let through in the long run.
        burst: Calls that are let through at once after a pause.
        says_when: Whether refusals state in `Retry-After` when there will be a token.

    Attributes:
        refused: Calls that found no token.
    """

    def __init__(self, *, per_second: float, burst: float = 1.0, says_when: bool = False) -> None:
        self.says_when = says_when
        self.refused = 0
        self._per_second = per_second
        self._burst = self._tokens = burst
        self._filled_at = time.monotonic()

    def wait_for_token(self, *, now: float) -> float:
        """Take a token.

        Returns:
            0 if there was one; else the seconds until there will be one, and none has been taken.
        """
        now = max(now, self._filled_at)  # a body may have arrived after that of a later request
        gained = (now - self._filled_at) * self._per_second
        self._tokens, self._filled_at = min(self._burst, self._tokens + gained), now
        if self._tokens >= 1:
            self._tokens -= 1
            return 0.0
        self.refused += 1
        return (1 - self._tokens) / self._per_second
