"""The phases of an injection attack: what happens in which order, and what holds meanwhile."""

from __future__ import annotations

import asyncio
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Self

import pytest
from tests.attacks.support import LEAK, Planted

from rampart import Attacks, BaseExecution, Payload, Request, SafetyStatus, execute_trials_async
from rampart.attacks import XPIAExecution
from rampart.drivers import StaticDriver
from rampart.testing import ScriptedAgent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

WHERE: ContextVar[str] = ContextVar("where", default="nowhere")


def agent_with_diary(diary: list[str]) -> ScriptedAgent:
    def answer(request: Request, _history: object) -> str:
        diary.append(f"ask {request.prompt}")
        return "fine"

    return ScriptedAgent(
        [answer],
        on_open=lambda: diary.append("open"),
        on_close=lambda: diary.append("close"),
        repeat_last=True,
    )


async def test_everything_happens_in_order() -> None:
    diary: list[str] = []
    handles = [Planted(name, diary=diary) for name in "AB"]
    result = await Attacks.xpia(inject=handles, trigger=["one", "two"], evaluator=LEAK).execute_async(
        adapter=agent_with_diary(diary)
    )
    assert result.status is SafetyStatus.SAFE
    assert diary == [
        *("enter A", "enter B"),
        *("ready A", "ready B"),
        *("open", "ask one", "ask two", "close"),
        *("leave B", "leave A"),
    ]
    assert result.strategy == "xpia"


async def test_context_of_the_entry_is_seen_by_the_session_and_the_agent() -> None:
    seen: list[str] = []

    class Setting(Planted):
        async def __aenter__(self) -> Self:
            WHERE.set("planted")
            return self

    def answer(_request: Request, _history: object) -> str:
        seen.append(WHERE.get())
        return "fine"

    agent = ScriptedAgent([answer], on_open=lambda: seen.append(WHERE.get()))
    assert await Attacks.xpia(inject=Setting(), trigger="go", evaluator=LEAK).execute_async(adapter=agent)
    assert seen == ["planted", "planted"]
    assert WHERE.get() == "nowhere"


async def test_entry_and_exit_happen_in_one_task() -> None:
    tasks: list[asyncio.Task[object] | None] = []

    async def note() -> None:
        tasks.append(asyncio.current_task())

    handle = Planted()
    handle.entering = handle.leaving = note
    assert await Attacks.xpia(inject=handle, trigger="go", evaluator=LEAK).execute_async(
        adapter=ScriptedAgent(["fine"])
    )
    assert len(tasks) == 2
    assert tasks[0] is tasks[1]


async def test_readiness_is_awaited_for_all_at_once() -> None:
    waiting = asyncio.Barrier(3)

    async def meet() -> None:
        async with asyncio.timeout(5):
            await waiting.wait()

    handles = [Planted(name) for name in "ABC"]
    for handle in handles:
        handle.waiting = meet
    assert await Attacks.xpia(inject=handles, trigger="go", evaluator=LEAK).execute_async(
        adapter=ScriptedAgent(["fine"])
    )


async def test_two_that_fail_to_get_ready_leave_the_first_failure_and_no_warning() -> None:
    async def fail() -> None:
        raise OSError("not there")

    handles = [Planted(name) for name in "ABC"]
    for handle in handles[:2]:
        handle.waiting = fail
    result = await Attacks.xpia(inject=handles, trigger="go", evaluator=LEAK).execute_async(
        adapter=ScriptedAgent(["never asked"])
    )
    assert (result.status, result.summary) == (SafetyStatus.ERROR, "OSError: not there")
    assert [one.diary[-1] for one in handles] == ["leave A", "leave B", "leave C"]


async def test_stray_cancellation_of_a_readiness_is_an_error_and_no_cancellation() -> None:
    async def fail() -> None:
        raise asyncio.CancelledError

    for others in ([], [Planted("other")]):
        handle = Planted("odd")
        handle.waiting = fail
        result = await Attacks.xpia(inject=[handle, *others], trigger="go", evaluator=LEAK).execute_async(
            adapter=ScriptedAgent(["never asked"])
        )
        assert result.status is SafetyStatus.ERROR
        assert "injection 'odd' readiness raised CancelledError" in result.summary


async def test_methods_that_are_not_async_are_named() -> None:
    class Sync(Planted):
        def wait_until_ready_async(self) -> None:  # type: ignore[override]  # the fault under test
            return None

    sync: Any = Sync()
    result = await Attacks.xpia(inject=sync, trigger="go", evaluator=LEAK).execute_async(
        adapter=ScriptedAgent(["never asked"])
    )
    assert result.status is SafetyStatus.ERROR
    assert "write it as `async def wait_until_ready_async`" in result.summary


async def test_trials_with_one_key_take_turns_and_others_overlap() -> None:
    inside = 0
    most: dict[str, int] = {}

    def keyed(key: str | None, name: str) -> Planted:
        handle = Planted("same surface")
        if key is not None:
            handle.isolation_key = key  # type: ignore[attr-defined]  # optional on handles
        kind = name

        async def enter() -> None:
            nonlocal inside
            inside += 1
            most[kind] = max(most.get(kind, 0), inside)
            await asyncio.sleep(0.005)

        async def leave() -> None:
            nonlocal inside
            inside -= 1

        handle.entering, handle.leaving = enter, leave
        return handle

    kinds: dict[str, Callable[[int], str | None]] = {
        "by-surface": lambda _n: None,
        "one-key": lambda _n: "k",
        "own-keys": lambda n: f"k{n}",
    }
    for name, key_of in kinds.items():
        count = iter(range(6))

        def factory(
            name: str = name, key_of: Callable[[int], str | None] = key_of, count: Iterator[int] = count
        ) -> BaseExecution:
            return Attacks.xpia(inject=keyed(key_of(next(count)), name), trigger="go", evaluator=LEAK)

        population = await execute_trials_async(
            execution_factory=factory,
            adapter=ScriptedAgent(["fine"], repeat_last=True),
            n=6,
        )
        assert population, population.summary
    assert most["by-surface"] == most["one-key"] == 1
    assert most["own-keys"] > 1


def test_keys_are_those_of_the_handles() -> None:
    keyed = Planted("A")
    keyed.isolation_key = "key of A"  # type: ignore[attr-defined]  # optional on handles
    execution = XPIAExecution(
        handles=[keyed, Planted("B")], driver=StaticDriver(prompts=["go"]), evaluator=LEAK
    )
    assert execution.isolation_keys == {"key of A", "B"}


@pytest.mark.parametrize("attached", [True, False])
async def test_nothing_was_sent_is_an_error(attached: bool) -> None:
    trigger = [Request(prompt="go", attachments=[Payload(content="x")])] if attached else []
    result = await Attacks.xpia(
        inject=Planted(), trigger=trigger, evaluator=LEAK, max_turns=0 if attached else 5
    ).execute_async(adapter=ScriptedAgent(["never asked"]))
    assert result.status is SafetyStatus.ERROR
    assert result.summary == (
        "error: no turn was allowed, so the agent was never asked"
        if attached
        else "error: the driver sent nothing"
    )
    assert [record.surface_name for record in result.injections] == ["notes"]
