"""Injections that misbehave: whatever they do, every one of them is left and no finding is lost."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Self

import anyio
import pytest
from tests.attacks.support import LEAK, Judge, Planted, got

from rampart import Attacks, EvalOutcome, Request, SafetyStatus, Turn, execute_trials_async
from rampart.core.listener import runner_outcomes
from rampart.testing import ScriptedAgent

if TYPE_CHECKING:
    from collections.abc import Callable


class Nameless(Planted):
    """Forgets its name or its payload once it is planted."""

    forgets: str

    def __getattribute__(self, name: str) -> Any:
        if name == object.__getattribute__(self, "forgets") and "enter notes" in self.diary:
            msg = f"no {name} any more"
            raise RuntimeError(msg)
        return super().__getattribute__(name)

    async def __aenter__(self) -> Self:
        self.diary.append("enter notes")
        return self

    async def wait_until_ready_async(self) -> None:
        """At once."""

    async def __aexit__(self, *_details: object) -> None:
        self.diary.append("leave notes")


def nameless(what: str, diary: list[str]) -> Nameless:
    handle = Nameless("notes", diary=diary)
    handle.forgets = what
    return handle


async def test_place_that_loses_its_name_is_left_like_the_others() -> None:
    diary: list[str] = []
    handles = [Planted("other", diary=diary), nameless("surface_name", diary)]
    result = await Attacks.xpia(inject=handles, trigger="go", evaluator=LEAK).execute_async(
        adapter=ScriptedAgent([got("x", "the secret")])
    )
    assert result.status is SafetyStatus.UNSAFE
    assert [record.surface_name for record in result.injections] == ["other", "notes"]
    assert diary[-2:] == ["leave notes", "leave other"]


async def test_place_that_cannot_say_what_was_planted_is_left_all_the_same() -> None:
    diary: list[str] = []
    result = await Attacks.xpia(
        inject=nameless("payload_id", diary), trigger="go", evaluator=LEAK
    ).execute_async(adapter=ScriptedAgent(["never asked"]))
    assert (result.status, result.summary) == (SafetyStatus.ERROR, "RuntimeError: no payload_id any more")
    assert diary == ["enter notes", "leave notes"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, pytest.exit.Exception])
async def test_exit_of_the_run_in_an_exit_goes_on_when_all_are_left(error: type[BaseException]) -> None:
    async def interrupt() -> None:
        raise error

    diary: list[str] = []
    handles = [Planted(name, diary=diary) for name in "AB"]
    handles[1].leaving = interrupt
    with runner_outcomes(skips=(), exits=(pytest.exit.Exception,)), pytest.raises(error):
        await Attacks.xpia(inject=handles, trigger="go", evaluator=LEAK).execute_async(
            adapter=ScriptedAgent(["x"])
        )
    assert diary[-1] == "leave A"


class Connected(Planted):
    """Keeps a task group open, as clients do, in which something fails while the agent works."""

    def __init__(self, group: Callable[[], Any], name: str = "wire", diary: list[str] | None = None) -> None:
        super().__init__(name, diary=diary)
        self._group = group()
        self.broken = asyncio.Event()

    async def __aenter__(self) -> Self:
        await self._group.__aenter__()
        self.diary.append("enter")

        async def listen() -> None:
            await self.broken.wait()
            raise OSError("the wire broke")

        start = getattr(self._group, "start_soon", None)
        if start is not None:
            start(listen)
        else:
            self._group.create_task(listen())
        return self

    async def __aexit__(self, *details: object) -> None:
        self.diary.remove("enter")
        await self._group.__aexit__(*details)


GROUPS = [asyncio.TaskGroup, anyio.create_task_group]


@pytest.mark.parametrize("group", GROUPS)
async def test_task_group_that_breaks_is_an_error_and_no_cancellation(group: Callable[[], Any]) -> None:
    handle = Connected(group)

    async def work(_request: Request, _history: object) -> str:
        handle.broken.set()
        await asyncio.sleep(5)
        return "never"

    result = await Attacks.xpia(inject=handle, trigger="go", evaluator=LEAK).execute_async(
        adapter=ScriptedAgent([work])
    )
    assert result.status is SafetyStatus.ERROR
    assert result.summary.startswith(
        "InfrastructureError: send_async (turn 0) raised CancelledError, although nobody cancelled it; "
        "cleanup failed: injection 'wire' exit: "
    )
    assert "OSError: the wire broke" in result.summary


@pytest.mark.parametrize("group", GROUPS)
async def test_harm_before_a_task_group_breaks_is_unsafe(group: Callable[[], Any]) -> None:
    handle = Connected(group)

    async def work(_request: Request, history: list[Turn]) -> str:
        if not history:
            return "the secret"
        handle.broken.set()
        await asyncio.sleep(5)
        return "never"

    result = await Attacks.xpia(
        inject=handle, trigger=["go", "on"], evaluator=LEAK, stop_when=None
    ).execute_async(adapter=ScriptedAgent([work], repeat_last=True))
    assert result.status is SafetyStatus.UNSAFE
    assert "the wire broke" in result.metadata["cleanup_errors"][0]


async def test_one_broken_task_group_leaves_the_other_trials_alone() -> None:
    wire = Connected(anyio.create_task_group)
    handles = iter([Planted(), wire, Planted()])

    async def answer(_request: Request, _history: object) -> str:
        if "enter" in wire.diary:
            wire.broken.set()
            await asyncio.sleep(5)
        return "fine"

    population = await execute_trials_async(
        execution_factory=lambda: Attacks.xpia(inject=next(handles), trigger="go", evaluator=LEAK),
        adapter=ScriptedAgent([answer], repeat_last=True),
        n=3,
        concurrency=1,
    )
    assert [result.status.value for result in population.results] == ["safe", "error", "safe"]


async def test_exit_that_another_handle_cancels_is_made_again() -> None:
    diary: list[str] = []
    wire = Connected(anyio.create_task_group)
    planted = Planted("notes", diary=diary)

    async def erase() -> None:
        await asyncio.sleep(0.01)

    async def work(_request: Request, _history: object) -> str:
        wire.broken.set()
        await asyncio.sleep(5)
        return "never"

    planted.leaving = erase
    result = await Attacks.xpia(inject=[wire, planted], trigger="go", evaluator=LEAK).execute_async(
        adapter=ScriptedAgent([work])
    )
    assert result.status is SafetyStatus.ERROR
    assert diary[-1] == "leave notes"
    assert [line.partition(" exit")[0] for line in result.metadata["cleanup_errors"]] == ["injection 'wire'"]


async def test_exit_that_cancels_itself_is_made_again_and_noted() -> None:
    tries: list[int] = []

    async def cancel() -> None:
        tries.append(1)
        raise asyncio.CancelledError

    handle = Planted()
    handle.leaving = cancel
    result = await Attacks.xpia(
        inject=handle, trigger="go", evaluator=Judge(lambda _: EvalOutcome.DETECTED)
    ).execute_async(adapter=ScriptedAgent(["x"]))
    error = "CancelledError, although nobody cancelled it"
    assert len(tries) == 2
    assert result.status is SafetyStatus.UNSAFE
    assert result.metadata["cleanup_errors"] == [
        f"injection 'notes' exit: InfrastructureError: injection 'notes' exit raised {error}"
    ]
