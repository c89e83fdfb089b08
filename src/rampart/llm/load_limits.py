"""How much an endpoint takes."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields


@dataclass(frozen=True, kw_only=True)
class LoadLimits:
    """How much an endpoint takes from this process; None means no limit.

    Attributes:
        requests_in_flight: Calls under way at once.
        requests_per_minute: Calls started in a minute, evenly spread over it.
        tokens_per_minute: Tokens used in a minute, likewise; estimated when a call starts and corrected
            when it ends.

    Raises:
        TypeError: If a limit is no number, or `requests_in_flight` no int.
        ValueError: If a limit is not positive and finite.
    """

    requests_in_flight: int | None = 20
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None

    def __post_init__(self) -> None:
        """Check every field."""
        for item in fields(self):
            _check(item.name, getattr(self, item.name), whole=item.name == "requests_in_flight")

    @property
    def request_s(self) -> float:
        """Seconds that one request takes of the schedule."""
        return 0.0 if self.requests_per_minute is None else 60 / self.requests_per_minute

    @property
    def token_s(self) -> float:
        """Seconds that one token takes of the schedule."""
        return 0.0 if self.tokens_per_minute is None else 60 / self.tokens_per_minute


def _check(name: str, value: object, *, whole: bool) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
        kind = "an int" if whole else "a number"
        msg = f"{name} must be {kind}, or None for no limit, got {value!r}"
        raise TypeError(msg)
    if not (value > 0 and math.isfinite(value)):
        msg = f"{name} must be positive and finite, or None for no limit, got {value!r}"
        raise ValueError(msg)
