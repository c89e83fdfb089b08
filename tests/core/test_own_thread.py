"""Work in a thread of its own: what it returns, what it raises, and that others go on."""

from __future__ import annotations

import asyncio
import threading

import pytest

from rampart.core.own_thread import in_own_thread_async


async def test_what_it_returns_comes_from_a_named_thread() -> None:
    assert (
        await in_own_thread_async(lambda: threading.current_thread().name, name="rampart test")
        == "rampart test"
    )


async def test_what_it_raises() -> None:
    def fail() -> None:
        raise KeyError("gone")

    with pytest.raises(KeyError, match="gone"):
        await in_own_thread_async(fail, name="rampart test")


async def test_others_go_on_and_nobody_waits_for_the_abandoned() -> None:
    started, go_on = threading.Event(), threading.Event()

    def work() -> bool:
        started.set()
        return go_on.wait(30)

    task = asyncio.ensure_future(in_own_thread_async(work, name="rampart test"))
    assert await asyncio.to_thread(started.wait, 30)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    go_on.set()
