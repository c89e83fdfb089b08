"""Who may start when: room, pace, order, cancellation."""

from __future__ import annotations

import asyncio
import random
from itertools import pairwise
from typing import Any

import pytest
from tests.llm.virtual_time import run_in_virtual_time

from rampart.llm.limiter import EndpointLimiter
from rampart.llm.load_limits import LoadLimits
from rampart.llm.throttling import Throttling


def _limiter(limits: LoadLimits) -> EndpointLimiter:
    return EndpointLimiter(limits, now=asyncio.get_running_loop().time)


async def _starts_async(
    limiter: EndpointLimiter, count: int, *, takes_s: float = 0.001, tokens: int = 0, used: int | None = None
) -> list[float]:
    """When each of so many calls started that were made at once."""
    started: list[float] = []

    async def call_async() -> None:
        place = await limiter.take_async(tokens=tokens)
        started.append(asyncio.get_running_loop().time())
        await asyncio.sleep(takes_s)
        limiter.let_in(place)
        place.leave(tokens_used=used)

    await asyncio.gather(*(call_async() for _ in range(count)))
    assert (limiter.in_flight, limiter.waiting) == (0, 0)
    return started


def test_no_more_calls_are_under_way_than_fit() -> None:
    async def go_async() -> list[float]:
        return await _starts_async(_limiter(LoadLimits(requests_in_flight=3)), 7, takes_s=1)

    assert run_in_virtual_time(go_async()) == pytest.approx([0, 0, 0, 1, 1, 1, 2])


def test_none_means_no_limit() -> None:
    async def go_async() -> list[float]:
        return await _starts_async(_limiter(LoadLimits(requests_in_flight=None)), 500, takes_s=1)

    assert run_in_virtual_time(go_async()) == [0.0] * 500


def test_requests_are_spread_over_the_minute() -> None:
    async def go_async() -> list[float]:
        return await _starts_async(_limiter(LoadLimits(requests_per_minute=120)), 5)

    assert run_in_virtual_time(go_async()) == pytest.approx([0, 0.5, 1, 1.5, 2])


def test_no_burst_follows_a_rest() -> None:
    async def go_async() -> list[float]:
        limiter = _limiter(LoadLimits(requests_per_minute=120))
        await _starts_async(limiter, 1)
        await asyncio.sleep(60)
        return await _starts_async(limiter, 3)

    first, second, third = run_in_virtual_time(go_async())
    assert (second - first, third - second) == pytest.approx((0.5, 0.5))


def test_a_busy_loop_does_not_slow_the_pace() -> None:
    """Timers that are late by less than the allowance lose nothing."""

    async def go_async() -> list[float]:
        return await _starts_async(_limiter(LoadLimits(requests_per_minute=6000)), 1000)

    late = random.Random(1)
    assert run_in_virtual_time(go_async(), late_s=lambda: late.random() / 20)[-1] == pytest.approx(
        9.99, abs=0.06
    )


def test_tokens_are_spread_over_the_minute() -> None:
    async def go_async() -> list[float]:
        return await _starts_async(_limiter(LoadLimits(tokens_per_minute=6000)), 4, tokens=200)

    assert run_in_virtual_time(go_async()) == pytest.approx([0, 2, 4, 6])


@pytest.mark.parametrize(
    ("used", "second"),
    [
        pytest.param(50, 0.5, id="less-than-estimated"),
        pytest.param(1000, 10.0, id="more-than-estimated"),
        pytest.param(None, 2.0, id="not-known"),
    ],
)
def test_estimates_are_corrected_by_what_was_used(used: int | None, second: float) -> None:
    async def go_async() -> list[float]:
        return await _starts_async(_limiter(LoadLimits(tokens_per_minute=6000)), 2, tokens=200, used=used)

    assert run_in_virtual_time(go_async()) == pytest.approx([0, second], abs=1e-3)


def test_a_call_that_is_larger_than_a_minute_is_made_all_the_same() -> None:
    async def go_async() -> list[float]:
        return await _starts_async(_limiter(LoadLimits(tokens_per_minute=60)), 2, tokens=120)

    assert run_in_virtual_time(go_async()) == pytest.approx([0, 120])


def test_limits_may_change_while_calls_wait() -> None:
    async def go_async() -> list[float]:
        limiter = _limiter(LoadLimits(requests_per_minute=1))
        task = asyncio.ensure_future(_starts_async(limiter, 3))
        await asyncio.sleep(1)
        limiter.change(LoadLimits(requests_per_minute=60))
        return await task

    assert run_in_virtual_time(go_async()) == pytest.approx([0, 1, 2])


async def _order_async(calls: dict[str, tuple[bool, int]], *, close: bool) -> list[str]:
    """In which order calls start that wait for one place, after a refusal if `close`."""
    limiter = _limiter(LoadLimits(requests_in_flight=1))
    first = await limiter.take_async()
    order: list[str] = []

    async def call_async(name: str, is_retry: bool, spare: int) -> None:
        place = await limiter.take_async(is_retry=is_retry, spare=spare)
        order.append(name)
        if close and len(order) == 1:
            await asyncio.sleep(0.5)
            limiter.let_in(place)
        place.leave()

    tasks = [asyncio.ensure_future(call_async(name, *call)) for name, call in calls.items()]
    await asyncio.sleep(1)
    if close:
        limiter.refused(first)
    first.leave()
    await asyncio.gather(*tasks)
    return order


def test_calls_start_in_order_and_retried_ones_before_new_ones() -> None:
    calls = {
        "new 1": (False, 2),
        "new 2": (False, 0),
        "retry 1": (True, 1),
        "retry 2": (True, 0),
        "retry 3": (True, 1),
    }
    order = run_in_virtual_time(_order_async(calls, close=False))
    assert order == ["retry 2", "retry 1", "retry 3", "new 1", "new 2"]


def test_a_closed_endpoint_is_tried_with_the_call_that_can_best_afford_it() -> None:
    calls = {"retry": (True, 0), "new without retries": (False, 0), "new 1": (False, 2), "new 2": (False, 2)}
    order = run_in_virtual_time(_order_async(calls, close=True))
    assert order == ["new 1", "retry", "new without retries", "new 2"]


def test_while_an_endpoint_is_paused_nobody_starts() -> None:
    async def go_async() -> tuple[list[float], float]:
        limiter = _limiter(LoadLimits())
        place = await limiter.take_async()
        limiter.refused(place, stated_s=30)
        place.leave()
        starts = await _starts_async(limiter, 5, takes_s=0.1)
        return starts, asyncio.get_running_loop().time()

    starts, _ = run_in_virtual_time(go_async())
    assert starts[0] == pytest.approx(30)
    assert starts == sorted(starts)


def test_all_refusals_of_one_burst_count_once() -> None:
    async def go_async(count: int) -> list[float]:
        limiter = _limiter(LoadLimits())
        places = [await limiter.take_async() for _ in range(20)]
        for place in places[:count]:
            limiter.refused(place)
        for place in places:
            place.leave()
        place = await limiter.take_async()
        await asyncio.sleep(0.01)
        limiter.let_in(place)
        place.leave()
        return await _starts_async(limiter, 40, takes_s=0.01)

    assert run_in_virtual_time(go_async(20)) == run_in_virtual_time(go_async(1))
    # The control: a refusal is felt, and what it took comes back.
    started = run_in_virtual_time(go_async(1))
    gaps = [later - earlier for earlier, later in pairwise(started)]
    assert gaps[0] == pytest.approx(0.5, rel=0.1)
    assert gaps[-1] < gaps[0] / 2


def test_a_closed_endpoint_is_tried_by_one_call_at_a_time() -> None:
    """Until one is served, or has run for so long that it must have been let in."""

    async def go_async(*, answers_after_s: float) -> list[float]:
        limiter = _limiter(LoadLimits())
        place = await limiter.take_async()
        for _ in range(15):
            await asyncio.sleep(0.001)
            limiter.let_in(await limiter.take_async())  # fast, so that the pace is no obstacle
        limiter.refused(place)
        started: list[float] = []

        async def call_async() -> None:
            await limiter.take_async()
            started.append(asyncio.get_running_loop().time())

        calls = [asyncio.ensure_future(call_async()) for _ in range(3)]
        for held in list(limiter._places):
            held.leave()
        await asyncio.sleep(answers_after_s)
        if limiter._probe is not None:
            limiter.let_in(limiter._probe)
        await asyncio.gather(*calls)
        return [later - earlier for earlier, later in pairwise(started)]

    assert run_in_virtual_time(go_async(answers_after_s=0.5))[0] < 0.6
    assert run_in_virtual_time(go_async(answers_after_s=30))[0] == pytest.approx(1.0)


@pytest.mark.parametrize("waiting", [True, False], ids=["calls-wait-for-the-pace", "nobody-waits"])
def test_the_pace_grows_only_where_it_is_what_calls_wait_for(waiting: bool) -> None:
    async def go_async() -> tuple[float, float]:
        limiter = _limiter(LoadLimits())
        place = await limiter.take_async()
        limiter.refused(place)
        place.leave()
        now = asyncio.get_running_loop().time()
        before = limiter._throttling.interval_s(now)
        if waiting:
            tasks = [asyncio.ensure_future(limiter.take_async()) for _ in range(2)]
            await asyncio.sleep(0)
        for _ in range(10):
            limiter.let_in(place)
        after = limiter._throttling.interval_s(now)
        if waiting:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        return before, after

    before, after = run_in_virtual_time(go_async())
    assert after < before / 1.5 if waiting else after == before


def test_a_place_is_left_once() -> None:
    async def go_async() -> int:
        limiter = _limiter(LoadLimits(requests_in_flight=1))
        place = await limiter.take_async()
        place.leave()
        place.leave()
        await limiter.take_async()
        return limiter.in_flight

    assert run_in_virtual_time(go_async()) == 1


@pytest.mark.parametrize("seed", range(5))
def test_cancelled_calls_free_their_places_wherever_they_are(seed: int) -> None:
    async def go_async() -> None:
        chance = random.Random(seed)
        limiter = _limiter(LoadLimits(requests_in_flight=4, requests_per_minute=60_000))
        most = 0

        async def call_async() -> None:
            nonlocal most
            place = await limiter.take_async(is_retry=chance.random() < 0.3, spare=chance.randrange(3))
            try:
                most = max(most, limiter.in_flight)
                await asyncio.sleep(chance.random() / 50)
                if chance.random() < 0.1:
                    limiter.refused(place, stated_s=chance.choice([None, 0.05]))
                else:
                    limiter.let_in(place)
            finally:
                place.leave()

        tasks = [asyncio.ensure_future(call_async()) for _ in range(300)]
        for _ in range(40):
            await asyncio.sleep(chance.random() / 100)
            for task in chance.sample(tasks, 5):
                task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert 0 < most <= 4
        assert (limiter.in_flight, limiter.waiting) == (0, 0)
        # What is left lets everybody in.
        assert len(await asyncio.wait_for(_starts_async(limiter, 20), 100)) == 20

    run_in_virtual_time(go_async())


def test_a_call_cancelled_as_it_is_let_in_gives_its_place_and_its_turn_back() -> None:
    async def go_async() -> list[float]:
        limiter = _limiter(LoadLimits(requests_in_flight=1, requests_per_minute=60))
        place = await limiter.take_async()
        task = asyncio.ensure_future(limiter.take_async())
        await asyncio.sleep(1.5)
        place.leave()  # lets the task in, which runs only after this
        assert limiter.in_flight == 1
        asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert limiter.in_flight == 0
        return await _starts_async(limiter, 2)

    complaints: list[Any] = []
    assert run_in_virtual_time(go_async()) == pytest.approx([1.5, 2.5], abs=0.21)
    assert complaints == []  # such as that a future that was cancelled cannot have a result


def test_a_call_that_the_garbage_collector_ends_inside_the_limiter_frees_its_place() -> None:
    """A collection may start at any allocation, so also while the lock is held by the same thread."""

    async def go_async() -> None:
        limiter = _limiter(LoadLimits(requests_in_flight=2))
        ended = await limiter.take_async()
        clock = limiter._now

        def clock_that_collects() -> float:
            ended.leave()  # what the `finally` of an abandoned call does
            return clock()

        limiter._now = clock_that_collects
        second = await limiter.take_async()
        assert limiter.in_flight == 1
        second.leave()
        assert limiter.in_flight == 0

    run_in_virtual_time(asyncio.wait_for(go_async(), 10))


def test_a_refusal_halves_how_many_are_under_way_once() -> None:
    throttling = Throttling()
    for _ in range(2):
        throttling.refused(1.0, sent_at=0.5, in_flight=20, stated_s=None)
        assert throttling.at_once == 10
