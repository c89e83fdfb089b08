"""What a session factory makes for one session, from its making to its release."""

from __future__ import annotations

import asyncio
import inspect
from typing import TYPE_CHECKING, Any

from rampart.adapters.agent_function import is_async_callable

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from rampart.adapters.session_thread import SessionThread


class SessionObject:
    """The object of one session.

    An async context manager or a sync one is entered, and what it gives is the object; it is left at
    the end. Anything else is released by its `aclose`, or else its `close`, if it has one.

    Args:
        factory: Makes the object; sync or async.
        thread: Where sync work is done; None does it on the event loop.
    """

    def __init__(self, factory: Callable[[], Any], *, thread: SessionThread | None) -> None:
        self._factory = factory
        self._thread = thread
        self._product: Any = None
        self._undo: Callable[[], object] | None = None

    async def open_async(self) -> Any:
        """Make the object; if that fails or is cancelled, undo what was done."""
        try:
            made = self._factory() if is_async_callable(self._factory) else await self._run_async(self._make)
            self._product = await made if inspect.isawaitable(made) else made
            if _has(self._product, "__aenter__", "__aexit__"):
                return await type(self._product).__aenter__(self._product)
            if _has(self._product, "__enter__", "__exit__"):
                return await self._run_async(self._enter)
        except asyncio.CancelledError:
            # The thread may still be making it; what it makes is released there.
            if self._thread is not None and self._thread.started:
                self._thread.post(self._abandon)
            raise
        return self._product

    async def close_async(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Release the object."""
        product = self._product
        if _has(product, "__aenter__", "__aexit__"):
            await type(product).__aexit__(product, exc_type, exc, traceback)
        elif _has(product, "__enter__", "__exit__"):
            await self._run_async(type(product).__exit__, product, exc_type, exc, traceback)
        elif (release := _release(product)) is not None:
            pending = release() if is_async_callable(release) else await self._run_async(release)
            if inspect.isawaitable(pending):
                await pending

    def _make(self) -> Any:
        product = self._factory()
        if not _has(product, "__aenter__", "__aexit__"):
            release = _release(product)
            self._undo = None if release is None or is_async_callable(release) else release
        return product

    def _enter(self) -> Any:
        product = self._product
        entered = type(product).__enter__(product)
        self._undo = lambda: type(product).__exit__(product, None, None, None)
        return entered

    def _abandon(self) -> None:
        if self._undo is not None:
            self._undo()

    async def _run_async(self, function: Callable[..., Any], *arguments: Any) -> Any:
        if self._thread is None:
            return function(*arguments)
        return await self._thread.run_async(function, *arguments)


def _has(product: object, *methods: str) -> bool:
    return all(callable(getattr(type(product), method, None)) for method in methods)


def _release(product: object) -> Callable[[], Any] | None:
    if isinstance(product, type):
        return None
    for name in ("aclose", "close"):
        method = getattr(product, name, None)
        if callable(method):
            release: Callable[[], Any] = method
            return release
    return None
