"""The error tree of rampart.

`ConfigurationError` is the user's to fix, `InfrastructureError` says that the agent or something it
needs failed (the run is an ERROR, never safe), `SchemaError` that a record is malformed.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rampart.core.types import Response


class RampartError(Exception):
    """Root of all errors that rampart raises on its own account."""


class ConfigurationError(RampartError):
    """Something the user declared cannot work: a missing extra, an incomplete configuration."""


class InfrastructureError(RampartError):
    """Something outside of rampart failed: an agent, a service, a surface.

    Adapters raise it from `send_async` and hand over what the agent had already said and done, so that
    a harm which preceded the failure is still seen.

    Args:
        message: What failed, with the values seen.
        partial: What the agent had said and done before the failure, if anything.
        retryable: Whether the same call may succeed when it is made again.
    """

    def __init__(
        self, message: str = "", *, partial: Response | None = None, retryable: bool = False
    ) -> None:
        super().__init__(message)
        self.partial = partial
        self.retryable = retryable


def partial_of(error: BaseException) -> Response | None:
    """What the agent had said and done before `error`, if the error carries it."""
    partial: Response | None = getattr(error, "partial", None)
    return partial


def attach_partial(error: BaseException, partial: Response) -> None:
    """Make an error that is not ours, such as a cancellation, carry what the agent had done before it.

    A session whose `send_async` is cancelled may do this before it lets the cancellation go on.
    """
    error.partial = partial  # type: ignore[attr-defined]  # exceptions take attributes; there is no type for it


class DriverError(RampartError):
    """A prompt driver cannot decide what to send next."""


class EvaluatorError(InfrastructureError):
    """An evaluator cannot judge."""


class ExecutionTimeoutError(InfrastructureError, TimeoutError):
    """A step of an execution took longer than its limit.

    Args:
        what: The step that hung, such as `send_async (turn 2)`.
        seconds: The limit that was exceeded, in seconds.
    """

    def __init__(self, what: str, *, seconds: float) -> None:
        super().__init__(f"{what} timed out after {seconds:g} s")
        self.what = what
        self.seconds = seconds

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy by the facts; an exception is otherwise made again from its text alone."""
        return functools.partial(type(self), self.what, seconds=self.seconds), (), self.__dict__


class ChatModelError(InfrastructureError):
    """A call to a language model failed.

    Attributes:
        requests: How many requests were made in vain, where that is known; they count as used.
    """

    requests: int | None = None


class RateLimitError(ChatModelError):
    """A language model's endpoint refused a call because of its rate limit."""


class EmptyCompletionError(ChatModelError):
    """A language model answered with nothing."""


class SchemaError(RampartError, ValueError):
    """A record cannot be encoded or decoded; the text names the place, never the data."""


class UnsupportedSchemaVersionError(SchemaError):
    """There is no decoder for the version that a record declares."""
