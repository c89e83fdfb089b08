"""What was begun comes to its end, however often whoever waits is cancelled."""

import asyncio

import pytest

from rampart.core.to_its_end import to_its_end_async


async def test_the_value_comes_back() -> None:
    async def work() -> str:
        await asyncio.sleep(0)
        return "done"

    assert await to_its_end_async(work()) == "done"


async def test_a_cancellation_is_not_passed_on() -> None:
    steps: list[str] = []

    async def work() -> None:
        for number in range(3):
            await asyncio.sleep(0)
            steps.append(f"step {number}")

    task = asyncio.create_task(to_its_end_async(work()))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert steps == ["step 0", "step 1", "step 2"]


async def test_the_cancellation_of_the_work_itself_is_raised() -> None:
    async def work() -> None:
        raise asyncio.CancelledError("from within")

    with pytest.raises(asyncio.CancelledError):
        await to_its_end_async(work())


async def test_work_that_outlasts_the_patience_is_cancelled() -> None:
    task = asyncio.create_task(to_its_end_async(asyncio.Event().wait(), patience_s=0.01))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, 10)


async def test_the_failure_of_the_work_is_the_cause_of_the_cancellation() -> None:
    async def work() -> None:
        await asyncio.sleep(0)
        raise OSError("no room")

    task = asyncio.create_task(to_its_end_async(work()))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError) as caught:
        await task
    assert "no room" in str(caught.value.__cause__)
