"""What was done is taken back in reverse, each step until it succeeds."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from rampart.surfaces.undo import Undo


class Steps:
    """Makes steps that note when they ran and fail when they are told to."""

    def __init__(self) -> None:
        self.ran: list[str] = []
        self.failing: dict[str, BaseException] = {}

    def step(self, name: str) -> Callable[[], Awaitable[None]]:
        async def run() -> None:
            await asyncio.sleep(0)
            if name in self.failing:
                raise self.failing[name]
            self.ran.append(name)

        return run


@pytest.fixture
def steps() -> Steps:
    return Steps()


@pytest.fixture
def undo(steps: Steps) -> Undo:
    undo = Undo()
    for name in "abc":
        undo.add(steps.step(name))
    return undo


async def test_steps_run_last_first_and_once(undo: Undo, steps: Steps) -> None:
    await undo.run_async()
    await undo.run_async()
    assert steps.ran == ["c", "b", "a"]


async def test_a_failing_step_keeps_none_from_running_and_is_tried_again(undo: Undo, steps: Steps) -> None:
    steps.failing["b"] = OSError("locked")
    for _ in range(2):
        with pytest.raises(OSError, match="locked"):
            await undo.run_async()
    assert steps.ran == ["c", "a"]
    steps.failing.clear()
    await undo.run_async()
    assert steps.ran == ["c", "a", "b"]


async def test_several_failures_are_raised_together_and_tried_again_in_order(
    undo: Undo, steps: Steps
) -> None:
    steps.failing = {"a": OSError("one"), "c": ValueError("two")}
    with pytest.raises(ExceptionGroup, match="2 steps failed") as caught:
        await undo.run_async()
    assert [str(error) for error in caught.value.exceptions] == ["two", "one"]
    steps.failing.clear()
    await undo.run_async()
    assert steps.ran == ["b", "c", "a"]


@pytest.mark.parametrize("rounds", [1, 2, 3])
async def test_a_cancelled_run_goes_on_where_it_was(undo: Undo, steps: Steps, rounds: int) -> None:
    steps.failing["c"] = OSError("locked")
    run = asyncio.create_task(undo.run_async())
    for _ in range(rounds):
        await asyncio.sleep(0)
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    steps.failing.clear()
    await undo.run_async()
    assert sorted(steps.ran) == ["a", "b", "c"]
    assert steps.ran.index("b") < steps.ran.index("a")


async def test_a_step_may_be_added_after_a_run(undo: Undo, steps: Steps) -> None:
    await undo.run_async()
    undo.add(steps.step("d"))
    await undo.run_async()
    assert steps.ran == ["c", "b", "a", "d"]
