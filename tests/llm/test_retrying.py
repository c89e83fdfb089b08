"""Calls are made again, in their endpoint's limiter, as often and as late as they should be."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from tests.llm.endpoints import Bucket, Closed, Endpoint, Slots, Window, lost_calls_async
from tests.llm.virtual_time import run_in_virtual_time

from rampart.core.errors import ChatModelError, RateLimitError
from rampart.llm.limiter import EndpointLimiter
from rampart.llm.load_limits import LoadLimits
from rampart.llm.retrying import TransientError, call_with_retries_async

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.llm.endpoints import Gate

    from rampart.llm.limiter import Place


class _Scripted:
    """Fails with each of the errors given, then answers; notes when it was asked."""

    def __init__(self, *errors: BaseException) -> None:
        self.asked: list[float] = []
        self.held: list[int] = []
        self._errors = list(errors)

    async def call_async(self, *, max_retries: int = 2) -> str:
        loop = asyncio.get_running_loop()
        self.limiter = EndpointLimiter(LoadLimits(tokens_per_minute=60_000), now=loop.time)

        async def attempt_async() -> str:
            self.asked.append(loop.time())
            self.held.append(self.limiter.in_flight)
            if self._errors:
                raise self._errors.pop(0)
            return "answer"

        try:
            return await call_with_retries_async(
                attempt_async, limiter=self.limiter, max_retries=max_retries, tokens=10, used=len
            )
        finally:
            assert (self.limiter.in_flight, self.limiter.waiting) == (0, 0)

    @property
    def waits(self) -> list[float]:
        return [later - earlier for earlier, later in pairwise(self.asked)]


def _refusal(retry_after_s: float | None = None) -> TransientError:
    return TransientError(RateLimitError("too many requests"), retry_after_s=retry_after_s)


def _failure() -> TransientError:
    return TransientError(ChatModelError("connection lost"))


@pytest.mark.parametrize("error", [_refusal, _failure], ids=["refused", "failed"])
def test_two_failures_then_an_answer(error: Callable[[], TransientError]) -> None:
    scripted = _Scripted(error(), error())
    assert run_in_virtual_time(scripted.call_async()) == "answer"
    assert scripted.held == [1, 1, 1]
    first, second = scripted.waits
    assert 0.5 <= first <= 0.75
    assert 1.0 <= second <= 1.5


def test_delays_grow_up_to_a_limit_and_are_not_the_same_twice() -> None:
    first, second = (_Scripted(*(_failure() for _ in range(7))) for _ in range(2))
    for scripted in (first, second):
        run_in_virtual_time(scripted.call_async(max_retries=7))
        assert len(scripted.waits) == 7
        for wait, least in zip(scripted.waits, [0.5, 1, 2, 4, 8, 8, 8], strict=True):
            assert least <= wait <= least * 1.5
    assert first.waits != second.waits


@pytest.mark.case(93)
def test_without_retries_there_is_one_attempt_and_no_wait() -> None:
    scripted = _Scripted(_refusal(30), _refusal())

    async def go_async() -> float:
        with pytest.raises(RateLimitError, match=r"^too many requests$"):
            await scripted.call_async(max_retries=0)
        return asyncio.get_running_loop().time()

    assert run_in_virtual_time(go_async()) == 0.0
    assert len(scripted.asked) == 1


def test_the_last_error_is_raised_and_says_how_often_it_was_tried() -> None:
    cause = OSError("socket")
    last = _refusal()
    last.__cause__ = cause
    scripted = _Scripted(_failure(), _refusal(), last)
    with pytest.raises(RateLimitError, match=r"^too many requests \(3 attempts\)$") as caught:
        run_in_virtual_time(scripted.call_async())
    assert caught.value is last.error
    assert caught.value.__cause__ is cause
    assert len(scripted.asked) == 3


@pytest.mark.case(93)
@pytest.mark.parametrize("stated_s", [0.01, 1, 7.5, 59, 60])
def test_no_wait_is_shorter_than_what_the_server_states(stated_s: float) -> None:
    scripted = _Scripted(_refusal(stated_s), _refusal(stated_s))
    assert run_in_virtual_time(scripted.call_async()) == "answer"
    assert all(wait >= stated_s - 1e-6 for wait in scripted.waits)
    assert sum(scripted.waits) <= 2 * max(stated_s, 1.5) + 1


@pytest.mark.case(93)
def test_a_stated_wait_of_more_than_a_minute_ends_the_attempts() -> None:
    scripted = _Scripted(_refusal(60.5))
    with pytest.raises(
        RateLimitError, match=r"\(not tried again, as the server asks for a wait of 60.5 s and "
    ):
        run_in_virtual_time(scripted.call_async())
    assert len(scripted.asked) == 1


@pytest.mark.parametrize("error", [ValueError("x"), ChatModelError("x"), asyncio.CancelledError()], ids=type)
def test_everything_else_goes_straight_on(error: BaseException) -> None:
    scripted = _Scripted(error)
    with pytest.raises(type(error)):
        run_in_virtual_time(scripted.call_async())
    assert len(scripted.asked) == 1


def test_no_place_is_held_between_attempts() -> None:
    scripted = _Scripted(_failure())

    async def go_async() -> int:
        task = asyncio.ensure_future(scripted.call_async())
        await asyncio.sleep(0.25)
        held = scripted.limiter.in_flight
        await task
        return held

    assert run_in_virtual_time(go_async()) == 0


def test_a_failure_that_is_no_refusal_holds_nobody_else_up() -> None:
    async def go_async(error: TransientError) -> float:
        loop = asyncio.get_running_loop()
        limiter = EndpointLimiter(LoadLimits(), now=loop.time)

        async def fail_async() -> str:
            raise error

        with pytest.raises(ChatModelError):
            await call_with_retries_async(fail_async, limiter=limiter, max_retries=0, tokens=0, used=len)
        (await limiter.take_async()).leave()
        return loop.time()

    assert run_in_virtual_time(go_async(_failure())) == 0
    assert run_in_virtual_time(go_async(_refusal(5))) == pytest.approx(5)
    unavailable = TransientError(ChatModelError("unavailable"), retry_after_s=5)
    assert run_in_virtual_time(go_async(unavailable)) == pytest.approx(5)


async def _made_async(
    gate: Gate,
    *,
    calls: int,
    limits: LoadLimits | None = None,
    says_when: bool = False,
    takes_s: float = 0.05,
) -> tuple[int, float, float]:
    """Calls that were lost, the share that was refused, and how long it took."""
    loop = asyncio.get_running_loop()
    endpoint = Endpoint(gate, clock=loop.time, says_when=says_when, takes_s=takes_s)
    lost = await lost_calls_async(endpoint, limits=limits or LoadLimits(), calls=calls)
    return lost, endpoint.refused / len(endpoint.asked), loop.time()


def test_calls_at_the_rate_that_is_set_are_not_refused_and_lose_no_time() -> None:
    made = _made_async(
        Bucket(per_second=100, burst=5), calls=1000, limits=LoadLimits(requests_per_minute=6000), takes_s=0.1
    )
    lost, refused, took_s = run_in_virtual_time(made)
    assert (lost, refused) == (0, 0)
    assert took_s == pytest.approx(10, rel=0.02)


@pytest.mark.parametrize("says_when", [True, False], ids=["says-when", "does-not-say-when"])
@pytest.mark.parametrize(
    ("gate", "most_refused", "longest_s"),
    [
        pytest.param(lambda: Bucket(per_second=100, burst=20), 0.06, 30, id="bucket"),
        pytest.param(lambda: Bucket(per_second=100, burst=1), 0.06, 40, id="bucket-without-bursts"),
        pytest.param(lambda: Bucket(per_second=5, burst=5), 0.06, 250, id="slow-bucket"),
        pytest.param(lambda: Window(calls=500, seconds=60), 0.06, 120, id="calls-a-minute"),
        pytest.param(lambda: Slots(4), 0.06, 60, id="calls-at-once"),
        pytest.param(lambda: Closed(until=20), 0.06, 60, id="closed-for-a-while"),
        pytest.param(lambda: Closed(until=55), 0.06, 100, id="closed-for-long"),
    ],
)
def test_no_call_is_lost_to_an_endpoint_whose_limits_nobody_set(
    gate: Callable[[], Gate], most_refused: float, longest_s: float, says_when: bool
) -> None:
    lost, refused, took_s = run_in_virtual_time(_made_async(gate(), calls=1000, says_when=says_when))
    assert lost == 0
    assert 0 < refused <= most_refused
    assert took_s <= longest_s


def test_an_endpoint_that_never_serves_is_given_up_and_not_queued_for() -> None:
    lost, refused, took_s = run_in_virtual_time(_made_async(Closed(until=1e9), calls=1000))
    assert (lost, refused) == (1000, 1)
    # 50 rounds of 20 calls with waits of up to 2.25 s, after the minute in which it was tried one by one.
    assert took_s <= 60 + 50 * 2.25 + 30


def test_calls_are_lost_where_an_endpoint_serves_fewer_than_it_has_to_refuse() -> None:
    """Three calls a minute, and not a word of it: calls have no more than three attempts each."""
    lost, _, _ = run_in_virtual_time(_made_async(Window(calls=3, seconds=60), calls=60))
    assert 0 < lost < 30
    limits = LoadLimits(requests_per_minute=3)
    assert run_in_virtual_time(_made_async(Window(calls=3, seconds=60), calls=60, limits=limits))[0] == 0


def test_attempts_tell_the_limiter_how_many_could_follow() -> None:
    told: list[tuple[bool, int]] = []

    class Telling(EndpointLimiter):
        async def take_async(self, *, tokens: int = 0, is_retry: bool = False, spare: int = 0) -> Place:
            told.append((is_retry, spare))
            return await super().take_async(tokens=tokens, is_retry=is_retry, spare=spare)

    async def fail_async() -> str:
        raise _failure()

    async def go_async() -> None:
        limiter = Telling(LoadLimits(), now=asyncio.get_running_loop().time)
        with pytest.raises(ChatModelError, match=r"\(3 attempts\)$"):
            await call_with_retries_async(fail_async, limiter=limiter, max_retries=2, tokens=0, used=len)

    run_in_virtual_time(go_async())
    assert told == [(False, 2), (True, 1), (True, 0)]


def test_a_stated_wait_is_kept_for_a_call_whose_endpoint_opens_earlier_for_others() -> None:
    """The limiter's pause and the call's own wait are two things: the longer one counts."""
    scripted = _Scripted(_refusal(0.01))
    run_in_virtual_time(scripted.call_async())
    assert scripted.waits[0] >= 0.5


@pytest.mark.parametrize("takes_s", [0.2, 5])
def test_an_endpoint_with_few_slots_is_kept_busy(takes_s: float) -> None:
    """Fewer at once, and more again: neither refused all the time nor left idle."""
    lost, refused, took_s = run_in_virtual_time(_made_async(Slots(4), calls=1000, takes_s=takes_s))
    assert lost <= 3
    assert refused <= 0.15
    assert took_s <= 1.5 * 1000 * takes_s / 4
