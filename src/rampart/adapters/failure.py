"""What becomes of an exception that an agent raises."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rampart.adapters.reported_calls import joined_calls
from rampart.core.errors import (
    ConfigurationError,
    InfrastructureError,
    RampartError,
    RateLimitError,
    attach_partial,
)
from rampart.core.types import Response
from rampart.text.leaves import leaves
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rampart.core.types import ToolCall

_PASSING_STATUS = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
_PASSING_NAMES = ("RateLimit", "Throttl", "Timeout", "TimedOut", "Overloaded", "Unavailable")
_RATE_LIMIT_NAMES = ("RateLimit", "Throttl")
_RATE_LIMITED = 429
_REFUSED_STATUS = frozenset({400, 401, 403, 404, 422})
_LONGEST_CHAIN = 20


def failure_of(error: BaseException, *, source: str, calls: list[ToolCall]) -> InfrastructureError:
    """The error to raise in place of `error`, with what the agent had done by then.

    Args:
        error: What was raised; an `InfrastructureError` stays what it is.
        source: Who raised it, for the message.
        calls: The calls recorded in the turn until then.
    """
    if isinstance(error, InfrastructureError):
        return _with_calls(error, calls) if calls else error
    partial = Response(text="", tool_calls=calls) if calls else None
    return _infrastructure(error, f"{source} raised {error_text(error)}", partial)


def turn_failure(error: BaseException, *, source: str, partial: Response | None) -> RampartError:
    """The error to raise in place of one that an agent's framework or endpoint raised.

    A rate limit is a `RateLimitError`; what an endpoint refuses because of how it is asked (status 400, 401,
    403, 404 and 422) is a `ConfigurationError`; anything else is an `InfrastructureError`, `retryable` where
    the same call may succeed later: time-outs, lost connections, errors of the server.

    Args:
        error: What was raised; errors of rampart stay what they are.
        source: Who raised it, for the message.
        partial: What the agent had said and done by then; the error carries it.
    """
    if isinstance(error, InfrastructureError):
        return error if partial is None else _with_partial(error, partial)
    if isinstance(error, RampartError):
        failure = error
    else:
        msg = f"{source} raised {error_text(error)}"
        if not _is_refused(error):
            return _infrastructure(error, msg, partial)
        failure = ConfigurationError(f"{msg}; check the agent's address, credentials and request")
    if partial is not None:
        attach_partial(failure, partial)
    return failure


def _infrastructure(error: BaseException, msg: str, partial: Response | None) -> InfrastructureError:
    kind = RateLimitError if _is_rate_limit(error) else InfrastructureError
    return kind(msg, partial=partial, retryable=_may_pass(error))


def error_text(error: BaseException) -> str:
    """Type and text of an error; of a group, whose text only counts them, those of the errors in it.

    Clients of servers run in groups of tasks, so that most of what goes wrong there comes in a group of one.
    """
    return "; ".join(dict.fromkeys(f"{type(one).__name__}: {safe_str(one)}" for one in leaves(error)))


def _with_calls(error: InfrastructureError, calls: list[ToolCall]) -> InfrastructureError:
    """A copy, since the same object may be raised in other sessions too."""
    known = error.partial
    if isinstance(known, Response):
        partial = replace(known, tool_calls=joined_calls(list(known.tool_calls), calls))
    else:
        partial = Response(text="", tool_calls=calls)
    return _with_partial(error, partial)


def _with_partial(error: InfrastructureError, partial: Response) -> InfrastructureError:
    try:
        copied = type(error).__new__(type(error), *error.args)
        copied.args = error.args
        copied.__dict__.update(error.__dict__)
    except Exception:  # a constructor that cannot be passed by
        copied = InfrastructureError(safe_str(error), retryable=error.retryable)
    copied.partial = partial
    return copied


def _may_pass(error: BaseException) -> bool:
    """Whether the same call may succeed later: timeouts, lost connections, rate limits, server errors."""
    return any(_passes(link) for leaf in leaves(error) for link in _chain(leaf))


def _chain(error: BaseException) -> Iterator[BaseException]:
    link: BaseException | None = error
    for _ in range(_LONGEST_CHAIN):
        if link is None:
            return
        yield link
        link = link.__cause__


def _is_rate_limit(error: BaseException) -> bool:
    links = [link for leaf in leaves(error) for link in _chain(leaf)]
    return any(
        _status(link) == _RATE_LIMITED or any(name in type(link).__name__ for name in _RATE_LIMIT_NAMES)
        for link in links
    )


def _is_refused(error: BaseException) -> bool:
    """Whether an endpoint refused the call because of how it was made, so that it would refuse it again."""
    statuses = [_status(link) for leaf in leaves(error) for link in _chain(leaf)]
    return not _may_pass(error) and any(status in _REFUSED_STATUS for status in statuses)


def _passes(error: BaseException) -> bool:
    if isinstance(error, ConnectionError | TimeoutError):
        return True
    if any(name in type(error).__name__ for name in _PASSING_NAMES):
        return True
    return _status(error) in _PASSING_STATUS


def _status(error: BaseException) -> int | None:
    """The HTTP status that an error of a client carries."""
    status = getattr(error, "status_code", None)
    if status is None:
        status = getattr(getattr(error, "response", None), "status_code", None)
    return status if isinstance(status, int) else None
