"""What becomes of an exception that an agent raises."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rampart.adapters.reported_calls import joined_calls
from rampart.core.errors import InfrastructureError
from rampart.core.types import Response
from rampart.text.leaves import leaves
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rampart.core.types import ToolCall

_PASSING_STATUS = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
_PASSING_NAMES = ("RateLimit", "Throttl", "Timeout", "TimedOut", "Overloaded", "Unavailable")
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
    return InfrastructureError(
        f"{source} raised {error_text(error)}",
        partial=Response(text="", tool_calls=calls) if calls else None,
        retryable=_may_pass(error),
    )


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


def _passes(error: BaseException) -> bool:
    if isinstance(error, ConnectionError | TimeoutError):
        return True
    if any(name in type(error).__name__ for name in _PASSING_NAMES):
        return True
    status = getattr(error, "status_code", None)
    if status is None:
        status = getattr(getattr(error, "response", None), "status_code", None)
    return isinstance(status, int) and status in _PASSING_STATUS
