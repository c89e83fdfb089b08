"""Whether sessions clean up after themselves, whatever happens."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from rampart.core.errors import InfrastructureError
from rampart.core.types import Request, Response
from rampart.testing.adapter_checks.opening import created, opened
from rampart.testing.adapter_checks.shape import require_response
from rampart.testing.conformance_outcome import ConformanceError, fail, not_checked, require

if TYPE_CHECKING:
    from collections.abc import Callable

    from rampart.core.adapter import AgentAdapter, Session

_RELEASED_WITHIN_S = 1.0
_CANCELLED_WITHIN_S = 2.0
_LOOKS = 40


class Leftovers:
    """Compares what is open now with what was open before: tasks, and whatever the user counts.

    Args:
        open_resources: Counts what is held open; it gives None where nobody counts.
        who: Who would have left it behind.
    """

    def __init__(self, open_resources: Callable[[], int | None], *, who: str = "a session") -> None:
        self._count = open_resources
        self._who = who
        self._tasks = asyncio.all_tasks()
        self._resources = open_resources()

    async def require_none_async(self, when: str) -> None:
        """Nothing is left, at most after a short wait."""
        for _ in range(_LOOKS):
            if not self._found():
                return
            await asyncio.sleep(_RELEASED_WITHIN_S / _LOOKS)
        fail(f"{when}, {self._who} left behind: {'; '.join(self._found())}; release it in __aexit__")

    def _found(self) -> list[str]:
        found = []
        tasks = {task for task in asyncio.all_tasks() - self._tasks if not task.done()}
        if tasks:
            found.append(f"running tasks {sorted(task.get_name() for task in tasks)}")
        now = self._count()
        if now != self._resources:
            found.append(f"open_resources() is {now}, and was {self._resources} before it")
        return found


async def check_exit_is_idempotent(
    adapter: AgentAdapter, *, prompt: str, open_resources: Callable[[], int | None]
) -> None:
    """A session may be left more than once, used or unused."""
    left = await _leftovers(adapter, prompt, open_resources)
    for messages in (0, 1):
        session = await created(adapter)
        async with session:
            for _ in range(messages):
                await session.send_async(Request(prompt=prompt))
        await _left_again(session)
        await left.require_none_async("after it was left twice")


async def check_cleanup_after_an_error(
    adapter: AgentAdapter, *, prompt: str, open_resources: Callable[[], int | None]
) -> None:
    """An error beside the session leaves nothing behind, and the next session works."""
    left = await _leftovers(adapter, prompt, open_resources)
    session = await created(adapter)
    with suppress(_DeliberateError):
        async with session:
            await session.send_async(Request(prompt=prompt))
            _raise_deliberately()
    await left.require_none_async("after an error")
    await _works(adapter, prompt, "after an error in another session")
    await _left_again(session)
    await left.require_none_async("after an error, when it was left twice")


async def check_a_failed_turn(
    adapter: AgentAdapter,
    *,
    prompt: str,
    failing_prompt: str | None,
    open_resources: Callable[[], int | None],
) -> None:
    """A turn that fails raises, hurts no session beside it, and leaves nothing behind."""
    if failing_prompt is None:
        not_checked("set failing_prompt to a message that makes the agent fail")
    left = await _leftovers(adapter, prompt, open_resources)
    async with opened(adapter) as session:
        try:
            reply = await session.send_async(Request(prompt=failing_prompt))
        except Exception as error:  # whichever the adapter chooses
            partial = error.partial if isinstance(error, InfrastructureError) else None
            kind, what = type(error).__name__, type(partial).__name__
            require(
                partial is None or isinstance(partial, Response),
                f"the partial of {kind} must be a Response or None, got {what}",
            )
        else:
            fail(f"failing_prompt did not fail but was answered {reply!r}; a failure must be raised")
        if _allows_two(adapter):
            await _works(adapter, prompt, "beside a session that failed")
    await left.require_none_async("after a failed turn")
    await _works(adapter, prompt, "after a failed turn of another session")
    await _left_again(session)


async def check_cancellation(
    adapter: AgentAdapter, *, prompt: str, open_resources: Callable[[], int | None]
) -> None:
    """A turn that is cancelled ends at once, hurts no session beside it, and leaves nothing behind."""
    left = await _leftovers(adapter, prompt, open_resources)
    async with opened(adapter) as session:
        await _cancel(asyncio.create_task(session.send_async(Request(prompt=prompt))), "send_async")
        if _allows_two(adapter):
            await _works(adapter, prompt, "beside a session that was cancelled")
    await left.require_none_async("after a cancelled turn")
    await _works(adapter, prompt, "after a cancelled turn of another session")
    await _left_again(session)


async def check_cancelled_start(
    adapter: AgentAdapter, *, prompt: str, open_resources: Callable[[], int | None]
) -> None:
    """A session that is cancelled while it opens undoes what it did: nobody will leave it."""
    left = await _leftovers(adapter, prompt, open_resources)
    session = await created(adapter)
    opening = asyncio.create_task(_entered(session))
    await asyncio.sleep(0)
    if opening.done():
        await session.__aexit__(None, None, None)
        not_checked("the session opened before it could be cancelled")
    await _cancel(opening, "__aenter__")
    await left.require_none_async("after a start that was cancelled")
    await _works(adapter, prompt, "after another session's start was cancelled")


class _DeliberateError(Exception):
    """Raised beside a session."""


def _raise_deliberately() -> None:
    raise _DeliberateError


async def _entered(session: Session) -> None:
    await session.__aenter__()


async def _leftovers(adapter: AgentAdapter, prompt: str, count: Callable[[], int | None]) -> Leftovers:
    # One session first: what the adapter opens once and keeps for all sessions is no leftover.
    await _works(adapter, prompt, "at the start of the check")
    return Leftovers(count)


async def _works(adapter: AgentAdapter, prompt: str, when: str) -> None:
    try:
        async with opened(adapter) as session:
            require_response(await session.send_async(Request(prompt=prompt)), session)
    except ConformanceError:
        raise
    except Exception as error:
        msg = f"{when}, a session failed: {type(error).__name__}: {error}"
        raise ConformanceError(msg) from error


async def _left_again(session: Session) -> None:
    try:
        await session.__aexit__(None, None, None)
    except Exception as error:
        msg = f"leaving a session a second time raised {type(error).__name__}: {error}; it must do nothing"
        raise ConformanceError(msg) from error


async def _cancel(
    task: asyncio.Task[object] | asyncio.Task[Response] | asyncio.Task[None], what: str
) -> None:
    await asyncio.sleep(0)
    if task.done() and not task.cancelled() and task.exception() is None:
        not_checked("the reply was there before it could be cancelled")
    task.cancel()
    _, pending = await asyncio.wait([task], timeout=_CANCELLED_WITHIN_S)
    advice = "let CancelledError through"
    require(not pending, f"{what} did not end within {_CANCELLED_WITHIN_S:g} s of its cancellation; {advice}")
    if not task.cancelled():
        error = task.exception()
        ended = "ended normally" if error is None else f"raised {type(error).__name__}"
        fail(f"{what} {ended} although it was cancelled; {advice}")


def _allows_two(adapter: AgentAdapter) -> bool:
    cap = getattr(adapter, "max_concurrent_sessions", None)
    return cap is None or cap >= 2
