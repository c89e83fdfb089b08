"""Work in threads is waited for, whatever happens to whoever waits."""

import asyncio
import contextvars
import threading
from collections.abc import Callable
from contextlib import suppress

import pytest

from rampart.surfaces.blocking import run_blocking_async

WORD = contextvars.ContextVar("WORD", default="none")


class Work:
    """Blocks until it is told to go on."""

    def __init__(self, then: Callable[[], str] = lambda: "done") -> None:
        self.started = threading.Event()
        self.may_end = threading.Event()
        self.has_ended = False
        self.then = then

    def __call__(self) -> str:
        self.started.set()
        assert self.may_end.wait(10)
        self.has_ended = True
        return self.then()


async def begun(work: Work) -> "asyncio.Task[str]":
    task = asyncio.create_task(run_blocking_async(work))
    assert await asyncio.to_thread(work.started.wait, 10)
    return task


async def test_the_value_comes_back_and_the_thread_is_gone() -> None:
    before = set(threading.enumerate())
    WORD.set("marigold")
    name, word = await run_blocking_async(lambda: (threading.current_thread(), WORD.get()))
    assert (name is not threading.current_thread(), word) == (True, "marigold")
    assert set(threading.enumerate()) <= before


@pytest.mark.parametrize(
    ("error", "seen"),
    [
        (OSError("no room"), OSError),
        (StopIteration("end"), RuntimeError),  # no coroutine may raise it
    ],
    ids=["error", "stop-iteration"],
)
async def test_errors_come_back(error: BaseException, seen: type[BaseException]) -> None:
    def fail() -> None:
        raise error

    with pytest.raises(seen) as caught:
        await run_blocking_async(fail)
    assert error in (caught.value, caught.value.__cause__)


@pytest.mark.parametrize("times", [1, 3])
async def test_a_cancellation_waits_for_the_end_of_the_work(times: int) -> None:
    work = Work()
    task = await begun(work)
    for _ in range(times):
        task.cancel()
        await asyncio.sleep(0)
    assert not task.done()
    work.may_end.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert work.has_ended


async def test_the_failure_of_cancelled_work_is_kept_as_the_cause() -> None:
    def fail() -> str:
        raise OSError("no room")

    work = Work(fail)
    task = await begun(work)
    task.cancel()
    await asyncio.sleep(0)
    work.may_end.set()
    with pytest.raises(asyncio.CancelledError) as caught:
        await task
    assert "no room" in str(caught.value.__cause__)


async def test_a_timeout_around_it_is_a_timeout() -> None:
    work = Work()
    threading.Timer(0.1, work.may_end.set).start()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.02):
            await run_blocking_async(work)
    assert work.has_ended


async def test_agents_that_fill_the_threads_of_the_loop_do_not_hold_it_up() -> None:
    loop = asyncio.get_running_loop()
    all_may_end = threading.Event()
    waiting = [loop.run_in_executor(None, all_may_end.wait, 10) for _ in range(64)]
    try:
        async with asyncio.timeout(5):
            assert await run_blocking_async(lambda: "done") == "done"
    finally:
        all_may_end.set()
        await asyncio.gather(*waiting)


def test_a_loop_that_is_gone_when_the_work_ends_does_no_harm() -> None:
    work = Work()
    loop = asyncio.new_event_loop()
    task = loop.create_task(run_blocking_async(work))
    loop.run_until_complete(asyncio.sleep(0.01))
    threads = [thread for thread in threading.enumerate() if thread.name == "rampart surface"]
    assert len(threads) == 1
    loop.close()
    work.may_end.set()
    threads[0].join(10)
    assert not threads[0].is_alive()
    with suppress(RuntimeError):
        task.get_coro().throw(asyncio.CancelledError)
    task._log_destroy_pending = False  # type: ignore[attr-defined]  # nobody can await it any more


async def test_a_thread_that_never_ends_is_left_behind_when_patience_is_over() -> None:
    work = Work()
    task = asyncio.create_task(run_blocking_async(work, patience_s=0.05))
    assert await asyncio.to_thread(work.started.wait, 10)
    [thread] = [one for one in threading.enumerate() if one.name == "rampart surface"]
    assert thread.daemon
    for _ in range(2):
        task.cancel()
        await asyncio.sleep(0)
    assert not task.done()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, 10)
    assert not work.has_ended
    work.may_end.set()
    await asyncio.to_thread(thread.join, 10)
    await asyncio.sleep(0)  # what it says at last disturbs nobody
    assert work.has_ended


async def test_patience_begins_with_the_cancellation_and_may_suffice() -> None:
    work = Work()
    task = asyncio.create_task(run_blocking_async(work, patience_s=10))
    assert await asyncio.to_thread(work.started.wait, 10)
    task.cancel()
    await asyncio.sleep(0)
    work.may_end.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert work.has_ended
    assert await run_blocking_async(lambda: "done", patience_s=0) == "done"
