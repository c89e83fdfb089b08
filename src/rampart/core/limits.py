"""How long the steps of an execution may take."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from rampart.text.safe import safe_float

if TYPE_CHECKING:
    from collections.abc import Iterator

DEFAULT_TRIAL_CONCURRENCY = 20


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Time limits in seconds; None means no limit, except for cleanup, which always has one.

    Attributes:
        turn_timeout_s: Each driver call, `send_async` and evaluator call.
        ready_timeout_s: Each injection entry and readiness, and the start of the session.
        cleanup_timeout_s: Each exit of a session or an injection.
        execution_timeout_s: The whole execution, cleanup not counted.

    Raises:
        TypeError: If a limit is not a number.
        ValueError: If a limit is not positive and finite.
    """

    turn_timeout_s: float | None = 120
    ready_timeout_s: float | None = 120
    cleanup_timeout_s: float = 30
    execution_timeout_s: float | None = None

    def __post_init__(self) -> None:
        """Check every field."""
        for item in fields(self):
            _check_limit(item.name, getattr(self, item.name), none_allowed=item.name != "cleanup_timeout_s")


def _check_limit(name: str, value: object, *, none_allowed: bool) -> None:
    if value is None and none_allowed:
        return
    or_none = ", or None for no limit" if none_allowed else ""
    if isinstance(value, bool) or not isinstance(value, int | float):
        msg = f"{name} must be a number of seconds{or_none}, got {value!r}"
        raise TypeError(msg)
    seconds = safe_float(value)
    if seconds is None or seconds <= 0:
        msg = f"{name} must be a positive finite number of seconds{or_none}, got {value!r}"
        raise ValueError(msg)


class _Configured:
    """The defaults in force for executions that state none of their own."""

    limits = Limits()
    trial_concurrency = DEFAULT_TRIAL_CONCURRENCY


def configured_limits() -> Limits:
    """The limits of executions that were given none."""
    return _Configured.limits


def configured_trial_concurrency() -> int:
    """How many trials run at once where the call does not say."""
    return _Configured.trial_concurrency


def configure_defaults(*, limits: Limits | None = None, trial_concurrency: int | None = None) -> None:
    """Replace the defaults of this process; None leaves a default as it is."""
    if limits is not None:
        _Configured.limits = limits
    if trial_concurrency is not None:
        _Configured.trial_concurrency = trial_concurrency


@contextmanager
def preserved_defaults() -> Iterator[None]:
    """Put the defaults of this process back on exit."""
    before = (_Configured.limits, _Configured.trial_concurrency)
    try:
        yield
    finally:
        _Configured.limits, _Configured.trial_concurrency = before
