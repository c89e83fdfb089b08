"""Any store for which you can say how something gets in and out."""

from __future__ import annotations

import asyncio
import inspect
from contextvars import Context, copy_context
from functools import partial
from typing import TYPE_CHECKING, Any

from rampart.core.errors import InfrastructureError
from rampart.core.limits import configured_limits
from rampart.core.log import log
from rampart.core.to_its_end import to_its_end_async
from rampart.surfaces.blocking import run_blocking_async
from rampart.surfaces.handle import PlantedHandle, repeatable
from rampart.text.leaves import leaf_lines
from rampart.text.safe import safe_float, safe_repr

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine

    from rampart.core.types import Payload
    from rampart.surfaces.undo import Undo

_NOTHING = object()
_LAST_WAIT_S = 1.0
"""Seconds that what was cancelled when its time was over has to notice that."""


class CallbackSurface:
    """Plants payloads with functions of yours: in a vector store, a ticket system, an agent's memory.

    All functions may be sync or async, but for `delivered`, which is sync. Sync ones run in a thread, so that
    other trials go on meanwhile; make functions async where the store must stay in the thread of the event
    loop. What they raise becomes an `InfrastructureError` that names surface and payload.

    Args:
        name: What reports call the place, such as `"vector store"`.
        add: Puts a payload into the store and returns what finds it again, such as an id. If it raises, it
            must have left nothing behind. Context variables that it sets are seen by the agent's session.
        remove: Takes it out; gets what `add` returned, or the payload if that was None. It must raise if it
            could not, and bear being called again after that. It should leave alone what somebody else
            changed meanwhile, and raise. Both have the time for cleanup (`Limits.cleanup_timeout_s`) to come
            to their end when they are cancelled, so that nothing is left half done.
        ready: Gets the same, and says whether an agent would find the payload by now; False is asked again.
            To return nothing says yes, so it may also wait by itself. None: at once after `add`.
        delivered: Gets the same after the trace, and says whether the payload was read, or None where that
            cannot be known. None: the payload is looked for in what the agent got from its tools.
        isolation_key: Handles with the same key never overlap; by default that is so for all of one name.
            Give each store its own, and each payload one if agents cannot meet those of other trials.
        poll_interval_s: Seconds between two questions to `ready`.

    Raises:
        TypeError: If a function is none, or `delivered` is async.
        ValueError: If a name or key is empty, or the interval is not positive.
    """

    def __init__(
        self,
        *,
        name: str,
        add: Callable[[Payload], Any],
        remove: Callable[[Any], Any],
        ready: Callable[[Any], bool | Awaitable[bool | None] | None] | None = None,
        delivered: Callable[[Any], bool | None] | None = None,
        isolation_key: str | None = None,
        poll_interval_s: float = 0.2,
    ) -> None:
        _check_text(name=name, isolation_key=isolation_key)
        _check_functions(add=add, remove=remove, ready=ready, delivered=delivered)
        interval = safe_float(poll_interval_s)
        if interval is None or interval <= 0:
            msg = f"poll_interval_s must be a positive number of seconds, got {poll_interval_s!r}"
            raise ValueError(msg)
        self._name = name
        self._isolation_key = isolation_key or f"callback:{name}"
        self._make = partial(
            CallbackHandle, add=add, remove=remove, ready=ready, delivered=delivered, poll_interval_s=interval
        )

    def inject(self, *, payload: Payload) -> CallbackHandle:
        """Prepare to plant `payload`; no function is called before the handle is entered."""
        return repeatable(self._handle, payload)

    def _handle(self, payload: Payload) -> CallbackHandle:
        return self._make(payload=payload, surface_name=self._name, isolation_key=self._isolation_key)


class CallbackHandle(PlantedHandle):
    """One payload, planted by the functions of a `CallbackSurface`."""

    def __init__(
        self,
        *,
        payload: Payload,
        surface_name: str,
        isolation_key: str,
        add: Callable[[Payload], Any],
        remove: Callable[[Any], Any],
        ready: Callable[[Any], Any] | None,
        delivered: Callable[[Any], Any] | None,
        poll_interval_s: float,
    ) -> None:
        super().__init__(
            payload=payload, surface_name=surface_name, place=surface_name, isolation_key=isolation_key
        )
        self._add, self._remove, self._ready, self._asked = add, remove, ready, delivered
        self._poll_interval_s = poll_interval_s
        self._token: Any = _NOTHING

    @property
    def delivered(self) -> bool | None:
        """What the function `delivered` says; None if there is none, it fails, or nothing is planted."""
        if self._asked is None or self._token is _NOTHING:
            return None
        try:
            answer = self._asked(self._token)
        except Exception as error:  # the search in the trace may still find out
            log.error("%s", self._failure("may have been read", leaf_lines(error)), exc_info=error)
            return None
        return None if answer is None else bool(answer)

    async def wait_until_ready_async(self) -> None:
        """Ask `ready` until it does not say False.

        Raises:
            InfrastructureError: If nothing is planted, or `ready` fails.
        """
        if self._ready is None:
            return
        if self._token is _NOTHING:
            raise InfrastructureError(self._failure("cannot be ready", "it is not planted"))
        try:
            while not _means_yes(await _called_async(self._ready, self._token)):  # noqa: ASYNC110  # it is asked
                await asyncio.sleep(self._poll_interval_s)
        except Exception as error:
            raise InfrastructureError(self._failure("did not become ready", leaf_lines(error))) from error

    async def _plant_async(self, undo: Undo) -> None:
        undo.add(partial(self._finish_async, "remove", self._remove_async))
        await self._finish_async("add", self._add_async)

    async def _finish_async(self, what: str, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Do `work`, and give it the time for cleanup to come to its end even when cancelled meanwhile."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + configured_limits().cleanup_timeout_s
        context = copy_context()
        task = loop.create_task(work(), context=context)
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            await to_its_end_async(self._end_async(what, task, deadline))
            raise
        _adopt(context)

    async def _end_async(self, what: str, task: asyncio.Task[None], deadline: float) -> None:
        left = deadline - asyncio.get_running_loop().time()
        await asyncio.wait([task], timeout=max(left, 0))
        if not task.done():
            log.error("%s", self._failure("may be left", f"{what} did not come to its end when cancelled"))
            task.cancel()
            await asyncio.wait([task], timeout=2 * _LAST_WAIT_S)
        # The cancellation goes on; what became of this must not be reported as never looked at.
        task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())

    async def _add_async(self) -> None:
        token = await _called_async(self._add, self._payload)
        self._token = self._payload if token is None else token

    async def _remove_async(self) -> None:
        if self._token is _NOTHING:
            return
        await _called_async(self._remove, self._token)
        self._token = _NOTHING


async def _called_async(function: Callable[[Any], Any], argument: object) -> Any:
    if inspect.iscoroutinefunction(function):
        return await function(argument)
    context = copy_context()
    result = await run_blocking_async(partial(context.run, function, argument), patience_s=_LAST_WAIT_S)
    _adopt(context)
    return await result if inspect.isawaitable(result) else result


def _adopt(context: Context) -> None:
    """Take over the context variables that were set in a copy of the current context."""
    for variable, value in context.items():
        if variable.get(_NOTHING) is not value:
            variable.set(value)


def _means_yes(answer: object) -> bool:
    return answer is None or bool(answer)


def _check_text(*, name: object, isolation_key: object) -> None:
    for argument, value in (("name", name), ("isolation_key", isolation_key)):
        if value is None and argument == "isolation_key":
            continue
        if not isinstance(value, str):
            msg = f"{argument} must be a str, got {type(value).__name__}"
            raise TypeError(msg)
        if not value.strip():
            msg = f"{argument} must not be empty"
            raise ValueError(msg)


def _check_functions(*, ready: object, delivered: object, **needed: object) -> None:
    for argument, function in {**needed, "ready": ready, "delivered": delivered}.items():
        if function is None and argument not in needed:
            continue
        if not callable(function):
            msg = f"{argument} must be a function, got {safe_repr(function)}"
            raise TypeError(msg)
    if inspect.iscoroutinefunction(delivered):
        msg = "delivered must be a sync function: it only tells what is known"
        raise TypeError(msg)
