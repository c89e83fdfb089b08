"""The lane: coroutines run one after another in one task of one loop, in this thread or in another."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from rampart.pytest_plugin._async_errors import LaneBusyError, LaneRefusalError
from rampart.pytest_plugin._async_thread import open_lane
from rampart.pytest_plugin._lane import Lane

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from rampart.pytest_plugin._async_thread import AnyLane

COLOUR: contextvars.ContextVar[str] = contextvars.ContextVar("COLOUR", default="none")


@pytest.fixture(params=["same-thread", "own-thread"])
def lane(request: pytest.FixtureRequest) -> Iterator[AnyLane]:
    lane = open_lane(in_thread=request.param == "own-thread")
    yield lane
    lane.close()


@pytest.fixture
def inline() -> Iterator[Lane]:
    lane = Lane()
    yield lane
    lane.close()


async def colour() -> str:
    return COLOUR.get()


async def paint(value: str) -> None:
    await asyncio.sleep(0)
    COLOUR.set(value)


async def where() -> tuple[asyncio.AbstractEventLoop, asyncio.Task[Any] | None, set[asyncio.Task[Any]]]:
    await asyncio.sleep(0)
    return asyncio.get_running_loop(), asyncio.current_task(), asyncio.all_tasks()


async def fail_with(error: BaseException) -> None:
    await asyncio.sleep(0)
    raise error


class TestOneTask:
    def test_all_jobs_share_loop_and_task(self, lane: AnyLane) -> None:
        first, second = lane.run(where), lane.run(where)
        assert first == second
        assert first[2] == {first[1]}, "nothing but the job's own task runs, as under asyncio.run"

    def test_the_result_comes_back(self, lane: AnyLane) -> None:
        assert lane.run(partial(asyncio.sleep, 0, "x")) == "x"

    def test_any_awaitable_will_do_and_is_made_inside_the_loop(self, lane: AnyLane) -> None:
        def start() -> asyncio.Future[int]:
            future = asyncio.get_running_loop().create_future()
            future.set_result(3)
            return future

        assert lane.run(start) == 3

    def test_the_loop_of_the_thread_is_left_alone(self, inline: Lane) -> None:
        inline.run(colour)
        assert asyncio.run(where())[0] is not inline.run(where)[0]

    def test_the_thread_is_another_one_only_where_asked_for(self) -> None:
        async def thread() -> threading.Thread:
            return threading.current_thread()

        here, there = open_lane(in_thread=False), open_lane(in_thread=True)
        assert here.run(thread) is threading.current_thread()
        assert there.run(thread) is not threading.current_thread()
        here.close()
        there.close()

    @pytest.mark.parametrize("in_thread", [False, True], ids=["same-thread", "own-thread"])
    def test_a_loop_that_cannot_be_made_is_an_error(
        self, monkeypatch: pytest.MonkeyPatch, in_thread: bool
    ) -> None:
        def refuse() -> asyncio.AbstractEventLoop:
            raise OSError("too many open files")

        monkeypatch.setattr(asyncio, "new_event_loop", refuse)
        with pytest.raises(OSError, match="too many open files"):
            open_lane(in_thread=in_thread)


class TestScopesAcrossJobs:
    def test_task_group_spans_jobs(self, lane: AnyLane) -> None:
        group = asyncio.TaskGroup()
        lane.run(group.__aenter__)
        child = lane.run(partial(_start, group, asyncio.sleep(0, "child")))
        lane.run(partial(group.__aexit__, None, None, None))
        assert child.result() == "child"

    def test_failed_child_is_reported_where_the_group_is_left(self, lane: AnyLane) -> None:
        group = asyncio.TaskGroup()
        lane.run(group.__aenter__)
        child = lane.run(partial(_start, group, fail_with(ValueError("child"))))
        with pytest.raises(asyncio.CancelledError):
            lane.run(partial(asyncio.sleep, 5))
        with pytest.raises(ExceptionGroup, match="TaskGroup") as caught:
            lane.run(partial(group.__aexit__, None, None, None))
        assert caught.group_contains(ValueError, match="child")
        assert child.done()
        assert lane.run(colour) == "none"

    @pytest.mark.parametrize("cleanup", [False, True], ids=["other-job", "cleanup"])
    def test_child_that_fails_between_two_jobs(self, lane: AnyLane, *, cleanup: bool) -> None:
        """It cancels the next test, which may be waiting for that child, but not the tear-down."""
        group = asyncio.TaskGroup()
        children: list[asyncio.Task[None]] = []

        async def enter() -> None:
            await group.__aenter__()
            children.append(group.create_task(fail_now()))

        async def fail_now() -> None:
            raise ValueError("child")

        async def next_job() -> str:
            task = asyncio.current_task()
            await asyncio.sleep(0.01)
            return "disturbed" if task is None or task.cancelling() else "undisturbed"

        lane.run(enter)
        if cleanup:
            assert lane.run(next_job, cleanup=True) == "undisturbed"
        else:
            with pytest.raises(asyncio.CancelledError):
                lane.run(next_job)
        with pytest.raises(ExceptionGroup):
            lane.run(partial(group.__aexit__, None, None, None), cleanup=True)
        assert lane.run(next_job) == "undisturbed"

    def test_failed_child_of_an_anyio_group(self, lane: AnyLane) -> None:
        """anyio cancels the host task in every cycle of the loop until the group is left."""
        group = lane.run(_anyio_group)
        lane.run(group.__aenter__)
        lane.run(partial(_start_anyio, group))
        with pytest.raises(asyncio.CancelledError):
            lane.run(partial(asyncio.sleep, 5))
        assert lane.run(colour) == "none", "what does not wait is not cancelled"
        with pytest.raises(ExceptionGroup) as caught:
            lane.run(partial(group.__aexit__, None, None, None), cleanup=True)
        assert caught.group_contains(ValueError, match="child")
        lane.run(partial(asyncio.sleep, 0.001))


async def _start(group: asyncio.TaskGroup, work: Any) -> asyncio.Task[Any]:
    return group.create_task(work)


async def _anyio_group() -> Any:
    return anyio.create_task_group()


async def _start_anyio(group: Any) -> None:
    group.start_soon(fail_with, ValueError("child"))


class TestContext:
    def test_job_sees_the_context_of_its_submitter(self, lane: AnyLane) -> None:
        token = COLOUR.set("red")
        assert lane.run(colour) == "red"
        COLOUR.reset(token)
        assert lane.run(colour) == "none"

    def test_what_a_job_sets_is_not_seen_by_the_next_one(self, lane: AnyLane) -> None:
        lane.run(partial(paint, "red"))
        assert lane.run(colour) == "none"
        assert COLOUR.get() == "none"

    def test_two_jobs_in_one_context(self, lane: AnyLane) -> None:
        context = contextvars.copy_context()
        lane.run(partial(paint, "red"), context=context)
        assert lane.run(colour, context=context) == "red"

    def test_a_token_can_be_used_in_a_later_job_of_the_context(self, lane: AnyLane) -> None:
        async def fixture() -> AsyncIterator[None]:
            token = COLOUR.set("red")
            yield
            COLOUR.reset(token)

        context, generator = contextvars.copy_context(), fixture()
        lane.run(generator.__anext__, context=context)
        with pytest.raises(StopAsyncIteration):
            lane.run(generator.__anext__, context=context)
        assert COLOUR not in context

    def test_tasks_threads_and_callbacks_of_a_job_share_its_context(self, lane: AnyLane) -> None:
        async def job() -> list[str]:
            called = asyncio.get_running_loop().create_future()
            asyncio.get_running_loop().call_soon(lambda: called.set_result(COLOUR.get()))
            return [await asyncio.create_task(colour()), await asyncio.to_thread(COLOUR.get), await called]

        token = COLOUR.set("red")
        assert lane.run(job) == ["red"] * 3
        COLOUR.reset(token)


class TestErrors:
    @pytest.mark.parametrize(
        "error",
        [
            pytest.param(ValueError("no"), id="exception"),
            pytest.param(SystemExit(3), id="system-exit"),
            pytest.param(KeyboardInterrupt(), id="raised-by-the-job-itself"),
            pytest.param(asyncio.CancelledError(), id="escaping-cancellation"),
            pytest.param(pytest.skip.Exception("later"), id="skip"),
            pytest.param(pytest.exit.Exception("stop"), id="exit"),
            pytest.param(ExceptionGroup("many", [ValueError("one")]), id="group"),
        ],
    )
    def test_error_reaches_the_submitter_and_the_lane_goes_on(
        self, lane: AnyLane, error: BaseException
    ) -> None:
        with pytest.raises(type(error)) as caught:
            lane.run(partial(fail_with, error))
        assert caught.value is error
        assert lane.run(colour) == "none"

    def test_stop_iteration_from_the_call_itself(self, lane: AnyLane) -> None:
        def start() -> Any:
            raise StopIteration

        with pytest.raises(RuntimeError, match="StopIteration"):
            lane.run(start)
        assert lane.run(colour) == "none"

    def test_the_coroutine_handles_what_is_thrown_into_it(self, lane: AnyLane) -> None:
        async def job() -> str:
            try:
                async with asyncio.timeout(0):
                    await asyncio.sleep(5)
            except TimeoutError:
                return "timed out"
            return "not reached"

        assert lane.run(job) == "timed out"

    def test_cancelling_oneself_does_not_cancel_the_next_job(self, lane: AnyLane) -> None:
        async def job() -> None:
            task = asyncio.current_task()
            assert task is not None
            task.cancel()

        async def cancelling() -> int:
            await asyncio.sleep(0)
            task = asyncio.current_task()
            assert task is not None
            return task.cancelling()

        lane.run(job)
        assert lane.run(cancelling) == 0

    def test_stopping_the_loop_ends_the_job(self, inline: Lane) -> None:
        cleaned: list[str] = []

        async def job() -> None:
            asyncio.get_running_loop().stop()
            try:
                await asyncio.sleep(5)
            finally:
                cleaned.append("yes")

        with pytest.raises(RuntimeError, match="stopped before Future completed"):
            inline.run(job)
        assert cleaned == ["yes"]
        assert inline.run(colour) == "none"


class TestRefusals:
    def test_job_inside_a_job(self, lane: AnyLane) -> None:
        async def job() -> None:
            lane.run(colour)

        with pytest.raises(LaneBusyError, match=r"cannot wait for another one.*getfixturevalue"):
            lane.run(job)

    def test_job_from_another_thread_while_one_runs(self, lane: AnyLane) -> None:
        async def job() -> None:
            await asyncio.to_thread(lane.run, colour)

        with pytest.raises(LaneBusyError):
            lane.run(job)

    def test_inside_another_event_loop(self, inline: Lane) -> None:
        async def elsewhere() -> None:
            inline.run(colour)

        with pytest.raises(LaneRefusalError, match=r"another event loop is running.*asyncio.run"):
            asyncio.run(elsewhere())
        assert inline.run(colour) == "none"

    def test_own_thread_works_inside_another_event_loop(self) -> None:
        async def elsewhere() -> str:
            lane = open_lane(in_thread=True)
            try:
                return lane.run(colour)
            finally:
                lane.close()

        assert asyncio.run(elsewhere()) == "none"

    def test_after_closing(self, lane: AnyLane) -> None:
        lane.close()
        with pytest.raises(LaneRefusalError, match="closed, since the test run is over"):
            lane.run(colour)


class TestClosing:
    def test_cancels_what_is_left_and_may_be_repeated(self, lane: AnyLane) -> None:
        ends: list[str] = []

        async def straggler() -> None:
            try:
                await asyncio.sleep(60)
            finally:
                ends.append("cleaned")

        async def job() -> asyncio.Task[None]:
            task = asyncio.create_task(straggler())
            await asyncio.sleep(0)
            return task

        task = lane.run(job)
        lane.close()
        lane.close()
        assert task.cancelled()
        assert ends == ["cleaned"]
        assert task.get_loop().is_closed()

    def test_an_unused_lane(self, lane: AnyLane) -> None:
        lane.close()
        assert not lane.is_usable
