"""Functions of users that never end are given up, and said to have left something."""

import asyncio
import logging
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.surfaces.agents import order_payload

from rampart import Limits
from rampart.core.limits import configure_defaults
from rampart.surfaces import CallbackSurface


@pytest.fixture
def going_on(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """What ends the functions after all; limits and patience are short."""
    monkeypatch.setattr("rampart.surfaces.callback._LAST_WAIT_S", 0.05)
    configure_defaults(limits=Limits(cleanup_timeout_s=0.05))
    event = threading.Event()
    yield event
    event.set()


async def entered_and_left(**functions: Callable[[Any], Any]) -> None:
    all_of_them: dict[str, Any] = {"add": lambda _: 1, "remove": lambda _: None, **functions}
    surface = CallbackSurface(name="notes", **all_of_them)
    async with surface.inject(payload=order_payload()) as handle:
        await handle.wait_until_ready_async()


@pytest.mark.parametrize("what", ["add", "remove"])
async def test_a_sync_function_that_hangs(
    what: str, going_on: threading.Event, caplog: pytest.LogCaptureFixture
) -> None:
    began = threading.Event()

    def hang(_: Any) -> None:
        began.set()
        going_on.wait(30)

    task = asyncio.create_task(entered_and_left(**{what: hang}))
    assert await asyncio.to_thread(began.wait, 10)
    with caplog.at_level(logging.ERROR, logger="rampart"):
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(asyncio.shield(task), 10)
    assert f"payload 'order' may be left in notes: {what} did not come to its end" in caplog.text


async def test_a_sync_ready_that_hangs(going_on: threading.Event) -> None:
    began, removed = threading.Event(), threading.Event()

    def hang(_: Any) -> bool:
        began.set()
        return going_on.wait(30)

    task = asyncio.create_task(entered_and_left(ready=hang, remove=lambda _: removed.set()))
    assert await asyncio.to_thread(began.wait, 10)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(asyncio.shield(task), 10)
    assert removed.is_set()


async def test_an_async_function_that_bears_no_cancellation(going_on: threading.Event) -> None:
    began = asyncio.Event()

    async def hang(_: Any) -> None:
        began.set()
        while not going_on.is_set():
            try:
                await asyncio.sleep(0.01)
            except asyncio.CancelledError:
                continue

    task = asyncio.create_task(entered_and_left(remove=hang))
    await began.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(asyncio.shield(task), 10)
