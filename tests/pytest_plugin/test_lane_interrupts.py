"""Interrupts of the lane: the job is cancelled and cleans up, and what comes later is never left waiting."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import threading
from typing import TYPE_CHECKING

import pytest

from rampart.pytest_plugin._async_errors import LaneUnusableError
from rampart.pytest_plugin._async_thread import ThreadLane
from rampart.pytest_plugin._lane import Lane

if TYPE_CHECKING:
    from collections.abc import Awaitable, Iterator
    from types import FrameType


@pytest.fixture(autouse=True)
def _heeds_sigint() -> Iterator[None]:
    """As a job in the foreground does; these tests may themselves run in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def inline() -> Iterator[Lane]:
    lane = Lane()
    yield lane
    lane.close()


async def nothing() -> str:
    return "nothing"


def interrupt_main_thread() -> None:
    ident = threading.main_thread().ident
    assert ident is not None
    signal.pthread_kill(ident, signal.SIGINT)


def test_ctrl_c_cancels_waits_for_cleanup_and_leaves_the_lane_usable(inline: Lane) -> None:
    steps: list[str] = []

    async def job() -> None:
        asyncio.get_running_loop().call_later(0.01, signal.raise_signal, signal.SIGINT)
        try:
            await asyncio.sleep(5)
        except asyncio.CancelledError:
            await asyncio.sleep(0.01)
            steps.append("cleaned up")
            raise

    with pytest.raises(KeyboardInterrupt):
        inline.run(job)
    assert steps == ["cleaned up"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert inline.run(nothing) == "nothing"


@pytest.mark.parametrize("cleanup", [False, True], ids=["other-job", "cleanup"])
def test_ctrl_c_before_the_job_has_begun(inline: Lane, *, cleanup: bool) -> None:
    """A job that is just starting does not run to its end first; a tear-down does."""
    steps: list[str] = []

    def start() -> Awaitable[None]:
        async def job() -> None:
            steps.append("begun")
            await asyncio.sleep(0.01)
            steps.append("ended")

        return job()

    inline.run(nothing)
    create_future = inline._loop.create_future

    def create_and_interrupt() -> asyncio.Future[None]:
        inline._loop.create_future = create_future  # type: ignore[method-assign] # once only
        inline._loop.call_soon(signal.raise_signal, signal.SIGINT)  # precedes the waking of the lane
        return create_future()

    inline._loop.create_future = create_and_interrupt  # type: ignore[method-assign] # see its comment
    with pytest.raises(KeyboardInterrupt):
        inline.run(start, cleanup=cleanup)
    assert steps == (["begun", "ended"] if cleanup else ["begun"])


def test_ctrl_c_is_not_lost_when_the_job_swallows_the_cancellation(inline: Lane) -> None:
    async def job() -> None:
        signal.raise_signal(signal.SIGINT)
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(5)

    with pytest.raises(KeyboardInterrupt):
        inline.run(job)


def test_second_ctrl_c_gives_up_on_a_job_that_does_not_end(caplog: pytest.LogCaptureFixture) -> None:
    async def job() -> None:
        loop = asyncio.get_running_loop()
        loop.call_later(0.01, signal.raise_signal, signal.SIGINT)
        loop.call_later(0.02, signal.raise_signal, signal.SIGINT)
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(5)
        with contextlib.suppress(asyncio.CancelledError):  # the one of closing
            await asyncio.sleep(5)

    lane = Lane()
    with pytest.raises(KeyboardInterrupt):
        lane.run(job)
    assert not lane.is_usable
    with pytest.raises(LaneUnusableError, match="no other async test or fixture"):
        lane.run(nothing)
    lane.close()
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no interval timers on this platform")
def test_handler_of_others_that_raises_out_of_the_loop(inline: Lane) -> None:
    """As pytest-timeout does. The suspended job has to end, or the next one would wait for ever."""
    steps: list[str] = []

    def ring(signum: int, frame: FrameType | None) -> None:
        del signum, frame
        raise pytest.fail.Exception("too slow")

    async def job() -> None:
        try:
            await asyncio.sleep(5)
        finally:
            await asyncio.sleep(0)
            steps.append("cleaned up")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        with pytest.raises(pytest.fail.Exception, match="too slow"):
            inline.run(job)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert steps == ["cleaned up"]
    assert inline.run(nothing) == "nothing"


def test_ctrl_c_reaches_the_job_in_another_thread() -> None:
    steps: list[str] = []

    async def job() -> None:
        asyncio.get_running_loop().call_later(0.02, interrupt_main_thread)
        try:
            await asyncio.sleep(5)
        finally:
            await asyncio.sleep(0.01)
            steps.append("cleaned up")

    lane = ThreadLane()
    with pytest.raises(KeyboardInterrupt):
        lane.run(job)
    assert steps == ["cleaned up"]
    assert lane.run(nothing) == "nothing"
    lane.close()


def test_second_ctrl_c_gives_up_on_another_thread() -> None:
    release = threading.Event()

    async def job() -> None:
        loop = asyncio.get_running_loop()
        loop.call_later(0.02, interrupt_main_thread)
        loop.call_later(0.06, interrupt_main_thread)
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(5)
        while not release.is_set():  # noqa: ASYNC110 - the other thread has no way to wake this loop
            await asyncio.sleep(0.01)

    lane = ThreadLane()
    with pytest.raises(KeyboardInterrupt):
        lane.run(job)
    assert not lane.is_usable
    with pytest.raises(LaneUnusableError):
        lane.run(nothing)
    release.set()
    lane.close()
