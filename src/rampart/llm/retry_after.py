"""When a server wants to be asked again."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Seconds that a server asks to wait, from `retry-after-ms` or `Retry-After` (RFC 9110, 10.2.3).

    A date is compared with that of the server, where it is stated, so that clocks need not agree.

    Args:
        headers: Of the response; their names are looked up in lower case.

    Returns:
        The seconds, 0 for a past date; None where nothing usable is stated.
    """
    milliseconds = _seconds(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    stated = headers.get("retry-after")
    seconds = _seconds(stated)
    if seconds is not None:
        return seconds
    until = _date(stated)
    if until is None:
        return None
    now = _date(headers.get("date")) or datetime.now(UTC)
    return max(0.0, (until - now).total_seconds())


def _seconds(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None


def _date(text: str | None) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text or "")
    except (ValueError, OverflowError):  # the latter for an offset of thousands of years
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
