"""Calls that are tried again after transient failures, within the limiter of their endpoint.

A library of retries (stamina) looks at one call at a time. Here a refusal makes every call to the endpoint
wait, and an attempt needs a place among all of them, so retries and limiter are one piece.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

from rampart.core.errors import ChatModelError, RateLimitError
from rampart.llm.throttling import LONGEST_STATED_WAIT_S, delay_s

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from rampart.llm.limiter import EndpointLimiter, Place

T = TypeVar("T")


class TransientError(Exception):
    """An attempt failed in a way that may not happen again.

    Args:
        error: What is raised when there is no further attempt. A `RateLimitError` says that the endpoint
            refused the call because there were too many.
        retry_after_s: How long the server asks to wait, in seconds, if it says.
    """

    def __init__(self, error: ChatModelError, *, retry_after_s: float | None = None) -> None:
        super().__init__(str(error))
        self.error = error
        self.retry_after_s = retry_after_s


async def call_with_retries_async(
    attempt: Callable[[], Awaitable[T]],
    *,
    limiter: EndpointLimiter,
    max_retries: int,
    tokens: int,
    used: Callable[[T], int | None],
) -> T:
    """Make a call, and make it again after transient failures.

    Each attempt takes a place in the limiter; between attempts none is held. The wait between two is at
    least 0.5 s, then 1 s, 2 s, 4 s, up to 8 s, and never shorter than what the server asked for. A server
    that asks for more than 60 s ends the attempts.

    Args:
        attempt: Makes one attempt; raises `TransientError` for what may be tried again.
        limiter: The limiter of the endpoint.
        max_retries: Attempts after the first one; 0 means one attempt.
        tokens: How many tokens the call will use, as far as one can tell beforehand.
        used: How many tokens a result really used; None where that is not known.

    Raises:
        ChatModelError: The last attempt's error, with the number of attempts in its text.
        Exception: Whatever else `attempt` raises, at once.
    """
    for made in range(max_retries + 1):
        place = await limiter.take_async(tokens=tokens, is_retry=made > 0, spare=max_retries - made)
        try:
            result = await attempt()
            limiter.let_in(place)
            place.leave(tokens_used=used(result))
        except TransientError as failure:
            transient = failure
            _tell(limiter, place, failure)
        else:
            return result
        finally:
            place.leave()
        stated_s = transient.retry_after_s or 0.0
        if stated_s > LONGEST_STATED_WAIT_S or made == max_retries:
            break
        await asyncio.sleep(max(delay_s(made + 1), stated_s))
    error = _with_attempts(transient.error, made=made + 1, stated_s=stated_s)
    raise error from error.__cause__ or transient.__cause__


def _tell(limiter: EndpointLimiter, place: Place, failure: TransientError) -> None:
    """Let the endpoint's other calls know, where it is too many calls that it complains of."""
    if isinstance(failure.error, RateLimitError) or failure.retry_after_s is not None:
        limiter.refused(place, stated_s=failure.retry_after_s)


def _with_attempts(error: ChatModelError, *, made: int, stated_s: float) -> ChatModelError:
    error.requests = made
    notes = [f"{made} attempts"] if made > 1 else []
    if stated_s > LONGEST_STATED_WAIT_S:
        notes.append(
            f"not tried again, as the server asks for a wait of {stated_s:g} s "
            f"and waits are up to {LONGEST_STATED_WAIT_S:g} s"
        )
    if notes:
        error.args = (f"{error} ({'; '.join(notes)})", *error.args[1:])
    return error
