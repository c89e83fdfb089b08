"""One limiter in several event loops and threads; some stand still, or are closed over their calls."""

from __future__ import annotations

import asyncio
import gc
import random
import threading
from typing import TYPE_CHECKING

import pytest

from rampart.llm.limiter import EndpointLimiter
from rampart.llm.load_limits import LoadLimits

if TYPE_CHECKING:
    from collections.abc import Callable


def _in_threads(*functions: Callable[[], None]) -> None:
    errors: list[BaseException] = []

    def run(function: Callable[[], None]) -> None:
        try:
            function()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(function,), daemon=True) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads), "a loop waits for ever"
    assert errors == []


def test_two_event_loops_in_two_threads_share_one_limit() -> None:
    limiter = EndpointLimiter(LoadLimits(requests_in_flight=3))
    lock = threading.Lock()
    running, most, done = 0, 0, 0

    async def call_async() -> None:
        nonlocal running, most, done
        place = await limiter.take_async()
        with lock:
            running += 1
            most = max(most, running)
        await asyncio.sleep(0)
        with lock:
            running -= 1
            done += 1
        place.leave()

    async def many_async() -> None:
        await asyncio.gather(*(call_async() for _ in range(500)))

    _in_threads(lambda: asyncio.run(many_async()), lambda: asyncio.run(many_async()))
    assert (most, done, limiter.in_flight, limiter.waiting) == (3, 1000, 0, 0)


def test_two_event_loops_share_one_pace() -> None:
    limiter = EndpointLimiter(LoadLimits(requests_per_minute=60 * 500))
    started: list[float] = []

    async def many_async() -> None:
        async def call_async() -> None:
            place = await limiter.take_async()
            started.append(asyncio.get_running_loop().time())
            place.leave()

        await asyncio.gather(*(call_async() for _ in range(100)))

    _in_threads(lambda: asyncio.run(many_async()), lambda: asyncio.run(many_async()))
    assert len(started) == 200
    # Never faster than the pace and its allowance: 199 intervals of 2 ms, less 0.2 s.
    assert max(started) - min(started) >= 0.398 - 0.2


def test_a_loop_that_was_closed_with_calls_in_it_is_no_obstacle() -> None:
    limiter = EndpointLimiter(LoadLimits(requests_in_flight=1))
    loop = asyncio.new_event_loop()

    async def hold_async() -> None:
        await limiter.take_async()
        await asyncio.sleep(3600)

    tasks = [loop.create_task(hold_async()) for _ in range(3)]
    loop.run_until_complete(asyncio.sleep(0))
    assert (limiter.in_flight, limiter.waiting) == (1, 2)
    loop.close()

    async def call_async() -> None:
        place = await asyncio.wait_for(limiter.take_async(), 30)
        place.leave()

    asyncio.run(call_async())
    assert (limiter.in_flight, limiter.waiting) == (0, 0)
    _bury(tasks)


def test_a_loop_that_stands_still_is_passed_over_and_goes_on_later() -> None:
    limiter = EndpointLimiter(LoadLimits(requests_in_flight=1))
    still = asyncio.new_event_loop()
    try:

        async def take_async() -> None:
            (await limiter.take_async()).leave()

        async def go_async() -> asyncio.Task[None]:
            place = await limiter.take_async()
            waiting = still.create_task(take_async())
            still.call_soon(still.stop)
            await asyncio.to_thread(still.run_forever)
            assert limiter.waiting == 1
            place.leave()
            await asyncio.wait_for(take_async(), 30)
            return waiting

        waiting = asyncio.run(go_async())
        assert limiter.waiting == 1
        still.run_until_complete(asyncio.wait_for(waiting, 30))
        assert (limiter.in_flight, limiter.waiting) == (0, 0)
    finally:
        still.close()


def _bury(tasks: list[asyncio.Task[None]]) -> None:
    """Let tasks of a closed loop go without the complaint that they were never finished."""
    for task in tasks:
        task._log_destroy_pending = False  # type: ignore[attr-defined]  # asyncio has no public way
    tasks.clear()
    gc.collect()


def test_calls_that_wait_already_learn_that_another_loop_was_closed() -> None:
    limiter = EndpointLimiter(LoadLimits(requests_in_flight=1))
    other = asyncio.new_event_loop()
    held = other.run_until_complete(limiter.take_async())
    assert held.loop is other

    async def call_async() -> None:
        waiting = asyncio.ensure_future(limiter.take_async())
        await asyncio.sleep(0.01)
        assert limiter.waiting == 1
        other.close()
        (await asyncio.wait_for(waiting, 30)).leave()

    asyncio.run(call_async())
    assert (limiter.in_flight, limiter.waiting) == (0, 0)


@pytest.mark.parametrize("seed", range(3))
def test_loops_that_come_and_go_leave_nothing_behind(seed: int) -> None:
    limiter = EndpointLimiter(LoadLimits(requests_in_flight=2, requests_per_minute=600_000))

    def run(number: int) -> None:
        chance = random.Random(seed * 100 + number)

        async def call_async() -> None:
            place = await limiter.take_async(is_retry=chance.random() < 0.2)
            try:
                await asyncio.sleep(chance.random() / 500)
            finally:
                place.leave()

        async def some_async() -> None:
            tasks = [asyncio.ensure_future(call_async()) for _ in range(20)]
            await asyncio.sleep(chance.random() / 100)
            for task in chance.sample(tasks, 10):
                task.cancel()
            if chance.random() < 0.5:
                await asyncio.gather(*tasks, return_exceptions=True)
            # Otherwise `asyncio.run` cancels what is left.

        for _ in range(5):
            asyncio.run(some_async())

    _in_threads(*(lambda number=number: run(number) for number in range(4)))
    assert (limiter.in_flight, limiter.waiting) == (0, 0)
