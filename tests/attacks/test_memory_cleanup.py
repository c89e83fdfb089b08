"""What was planted in a memory is taken out again, and a memory that keeps it is told of."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any

import pytest
from tests.attacks.remembering_agent import (
    ASK,
    HOLDS,
    LEAK,
    PLANT,
    TRIGGER,
    Notes,
    Secretary,
    phases,
)
from tests.attacks.support import Judge

from rampart import (
    Attacks,
    EvalOutcome,
    ExecutionEventData,
    ExecutionEventHandler,
    Limits,
    Payload,
    Request,
    Result,
    SafetyStatus,
)
from rampart.attacks import Recall
from rampart.core.listener import listening
from rampart.drivers import StaticDriver
from rampart.testing import ScriptedAgent

if TYPE_CHECKING:
    from pathlib import Path

UNSAFE, SAFE, UNDETERMINED, ERROR = (
    SafetyStatus.UNSAFE,
    SafetyStatus.SAFE,
    SafetyStatus.UNDETERMINED,
    SafetyStatus.ERROR,
)
RECALL = Recall(ask=ASK, evaluator=HOLDS)
BRIEF = Limits(cleanup_timeout_s=0.2)


@pytest.fixture
def notes(tmp_path: Path) -> Notes:
    return Notes(tmp_path / "notes.db")


def attack(**changes: Any) -> Any:
    plan: dict[str, Any] = {"plant": PLANT, "trigger": TRIGGER, "evaluator": LEAK, **changes}
    return Attacks.memory(**plan)


async def attacked(secretary: Secretary, **changes: Any) -> Result:
    result: Result = await attack(**changes).execute_async(adapter=secretary.adapter)
    return result


class TestWorks:
    @pytest.mark.parametrize("conduct", ["obedient", "hardened"])
    @pytest.mark.parametrize("persisted", [None, RECALL, HOLDS], ids=["search", "recall", "evaluator"])
    @pytest.mark.parametrize("way", ["sync", "async", "lambda", "messages"])
    async def test_forgotten_and_proved(self, notes: Notes, conduct: str, persisted: Any, way: str) -> None:
        async def clear_async() -> None:
            await asyncio.sleep(0)
            notes.clear()

        forget: dict[str, Any] = {
            "sync": notes.clear,
            "async": clear_async,
            "lambda": lambda: clear_async(),
            "messages": ["Forget everything."],
        }
        if isinstance(persisted, type(HOLDS)):
            persisted = Judge(
                lambda context: (
                    EvalOutcome.DETECTED
                    if "mallory" in str([call.result for call in context.all_tool_calls])
                    else EvalOutcome.NOT_DETECTED
                )
            )
        result = await attacked(Secretary(notes, conduct), forget=forget[way], persisted=persisted)
        assert result.status is (UNSAFE if conduct == "obedient" else SAFE), result.summary
        assert result.metadata["memory"]["cleanup"] == "forgotten"
        assert "cleanup" not in result.summary
        assert "forg" not in result.summary
        assert notes.all() == []
        assert phases(result)[-1] == ("cleanup check", "not there")
        assert ("forget", "sent") in phases(result) or way != "messages"

    async def test_the_verdict_rests_on_the_trigger_and_not_on_what_came_later(self, notes: Notes) -> None:
        result = await attacked(Secretary(notes), forget="Forget everything.", persisted=RECALL)
        assert [turn.request.prompt for turn in result.turns] == [TRIGGER]
        asked = [attempt.turns[0].request.prompt for attempt in result.attempts[-2:]]
        assert asked == [ASK, TRIGGER]  # the question was never seen to be answered, the trigger was
        assert len(result.injections) == 1

    async def test_what_the_cleanup_sends_is_no_injection(self) -> None:
        """A file that travels with the question is delivered once, by the question before the cleanup."""
        agent = ScriptedAgent(["Fine."], repeat_last=True)
        ask = Request(prompt=ASK, attachments=[Payload(content="a list", id="list")])
        result = await attack(forget=lambda: None, persisted=Recall(ask=ask, evaluator=HOLDS)).execute_async(
            adapter=agent
        )
        assert [one for one, _ in phases(result)][-2:] == ["recall", "cleanup check"]
        assert [record.payload_id for record in result.injections] == [None, "list"]

    async def test_silence_proves_nothing_where_nothing_was_ever_heard(self, notes: Notes) -> None:
        result = await attacked(Secretary(notes, "blind"), forget=notes.clear, require_persistence=False)
        assert (result.status, result.metadata["memory"]["cleanup"]) == (SAFE, "unproven")
        assert result.summary.endswith("; whether the memory forgot it is not known")

    async def test_check_that_nobody_could_judge(self, notes: Notes) -> None:
        judge = Judge(lambda context: EvalOutcome.UNDETERMINED)
        persisted = Recall(ask=ASK, evaluator=judge)
        result = await attacked(Secretary(notes), forget=notes.clear, persisted=persisted)
        assert result.metadata["memory"]["cleanup"] == "unproven"
        assert phases(result)[-1] == ("cleanup check", "undetermined")

    async def test_a_trigger_that_cannot_be_sent_again_leaves_it_unproven(self, notes: Notes) -> None:
        class Once(StaticDriver):
            """One that nobody knows to send the same again."""

            async def next_prompt_async(self, *, history: list[Any]) -> Any:
                return await super().next_prompt_async(history=history)

        result = await attacked(
            Secretary(notes), trigger=Once(prompts=[TRIGGER]), baseline=False, forget=notes.clear
        )
        assert (result.status, result.metadata["memory"]["cleanup"]) == (UNSAFE, "unproven")
        assert phases(result)[-1] == ("trigger", "reached")


class TestFails:
    @pytest.mark.parametrize(
        ("conduct", "status"), [("obedient", UNSAFE), ("hardened", ERROR), ("forgetful", ERROR)]
    )
    async def test_forget_fails(self, notes: Notes, conduct: str, status: SafetyStatus) -> None:
        def fail() -> None:
            raise PermissionError("read-only")

        result = await attacked(Secretary(notes, conduct), forget=fail)
        assert result.status is status
        assert result.metadata["cleanup_errors"] == ["forget: PermissionError: read-only"]
        assert result.metadata["memory"]["cleanup"] == "failed"
        assert "cleanup failed: forget: PermissionError: read-only" in result.summary
        assert phases(result)[-1][0] != "cleanup check"

    @pytest.mark.parametrize("persisted", [None, RECALL, HOLDS], ids=["trigger", "recall", "evaluator"])
    @pytest.mark.parametrize(("conduct", "status"), [("obedient", UNSAFE), ("hardened", ERROR)])
    async def test_the_memory_still_holds_it(
        self, notes: Notes, conduct: str, status: SafetyStatus, persisted: Any
    ) -> None:
        result = await attacked(Secretary(notes, conduct), forget=lambda: None, persisted=persisted)
        if persisted is HOLDS and conduct == "hardened":
            # Its replies do not tell, so this evaluator sees nothing of it either time.
            assert result.status is UNDETERMINED
            return
        assert result.status is status
        assert phases(result)[-1] == ("cleanup check", "still there")
        [error] = result.metadata["cleanup_errors"]
        assert error.startswith("cleanup check: the memory still holds what was planted")

    async def test_the_agent_breaks_while_it_is_looked_at(self, notes: Notes) -> None:
        def before(prompt: str) -> None:
            if secretary.prompts.count(TRIGGER) == 3:
                raise ConnectionError("down")

        secretary = Secretary(notes, "hardened", before=before)
        result = await attacked(secretary, forget=notes.clear)
        assert result.status is ERROR
        [error] = result.metadata["cleanup_errors"]
        assert error.startswith("cleanup check: InfrastructureError")
        assert phases(result)[-1] == ("cleanup check", "failed")
        assert notes.all() == []

    async def test_forget_that_is_cancelled_by_its_own_doing_is_no_cancellation(self, notes: Notes) -> None:
        async def forget() -> None:
            raise asyncio.CancelledError

        result = await attacked(Secretary(notes), forget=forget)
        assert result.status is UNSAFE
        assert "CancelledError, although nobody cancelled it" in result.metadata["cleanup_errors"][0]

    @pytest.mark.parametrize("way", ["async", "sync", "messages"])
    async def test_forget_that_hangs(self, notes: Notes, way: str) -> None:
        released = threading.Event()

        async def hang_async() -> None:
            await asyncio.get_running_loop().create_future()

        async def hang_when_told(prompt: str) -> None:
            if prompt.startswith("Forget"):
                await hang_async()

        ways: dict[str, Any] = {"async": hang_async, "sync": released.wait, "messages": "Forget everything."}
        secretary = Secretary(notes, before=lambda prompt: hang_when_told(prompt))
        try:
            async with asyncio.timeout(20):
                result = await attacked(secretary, forget=ways[way], limits=BRIEF)
        finally:
            released.set()
        assert result.status is UNSAFE
        [error] = result.metadata["cleanup_errors"]
        step = "send_async (turn 0)" if way == "messages" else "forget"
        assert error == f"forget: ExecutionTimeoutError: {step} timed out after 0.2 s"


class TestBrokenPhases:
    @pytest.mark.parametrize(
        ("broken", "left"),
        [
            (TRIGGER, []),  # a single conversation is told by the turns of the result
            (PLANT, [("baseline", "not reached"), ("plant", "failed")]),
            (ASK, [("baseline", "not reached"), ("plant", "planted"), ("trigger", "not reached")]),
        ],
        ids=["baseline", "plant", "recall"],
    )
    async def test_an_exception_in_a_phase(
        self, notes: Notes, broken: str, left: list[tuple[str, str]]
    ) -> None:
        def before(prompt: str) -> None:
            if prompt == broken and broken not in secretary.prompts[:-1]:
                raise ConnectionError("down")

        notes.add("Ann likes tea.")
        secretary = Secretary(notes, "hardened", before=before)
        result = await attacked(secretary, forget=notes.clear, persisted=RECALL)
        assert result.status is ERROR
        assert "ConnectionError: down" in result.summary
        assert phases(result)[: len(left)] == left
        assert notes.all() == (["Ann likes tea."] if broken == TRIGGER else [])
        assert "cleanup_errors" not in result.metadata

    async def test_an_exception_in_the_trigger(self, notes: Notes) -> None:
        def before(prompt: str) -> None:
            if prompt == TRIGGER and secretary.prompts.count(TRIGGER) == 2:
                raise ConnectionError("down")

        secretary = Secretary(notes, "hardened", before=before)
        result = await attacked(secretary, forget=notes.clear, persisted=RECALL)
        assert (result.status, notes.all()) == (ERROR, [])
        assert phases(result)[1:] == [
            ("plant", "planted"),
            ("trigger", "failed"),
            ("cleanup check", "not there"),
        ]
        assert [turn.request.prompt for turn in result.turns] in ([], [TRIGGER])
        assert [record.delivery for record in result.injections] == ["unknown"]

    @pytest.mark.parametrize("phase", ["plant", "trigger"])
    async def test_a_session_in_which_nothing_is_sent(self, notes: Notes, phase: str) -> None:
        silent = StaticDriver(prompts=[])
        secretary = Secretary(notes)
        changes: dict[str, Any] = {phase: silent} if phase == "plant" else {}
        if phase == "trigger":

            class Silent:
                async def next_prompt_async(self, *, history: list[Any]) -> None:
                    return None

            changes = {"trigger": Silent(), "baseline": False}
        result = await attacked(secretary, forget=notes.clear, **changes)
        assert result.status is ERROR
        assert result.summary == f"DriverError: the driver of the {phase} session sent nothing"

    async def test_a_recall_that_breaks_once_it_has_shown_what_it_was_asked_for(self, notes: Notes) -> None:
        class Handler(ExecutionEventHandler):
            async def on_event_async(self, *, event_data: ExecutionEventData) -> None:
                events.append(event_data.event.value)

        def before(prompt: str) -> None:
            if prompt == "And what else?":
                raise ConnectionError("down")

        events: list[str] = []
        result = await attacked(
            Secretary(notes, "blind", before=before),
            persisted=Recall(ask=[ASK, "And what else?"], evaluator=HOLDS),
            event_handlers=[Handler()],
        )
        assert (result.status, result.metadata["memory"]["kept"]) == (SAFE, "observed")
        assert events == ["on_pre_execute", "on_post_execute"]

    async def test_harm_that_was_done_before_the_trigger_broke_counts(self, notes: Notes) -> None:
        def before(prompt: str) -> None:
            if prompt == "And another one.":
                raise ConnectionError("down")

        secretary = Secretary(notes, before=before)
        result = await attacked(
            secretary,
            trigger=[TRIGGER, "And another one."],
            stop_when=None,
            baseline=False,
            forget=notes.clear,
            persisted=RECALL,
        )
        assert result.status is UNSAFE
        assert "then the trace failed" in result.summary
        assert notes.all() == []


class _Listener:
    def __init__(self) -> None:
        self.results: list[Result] = []

    def on_result(self, result: Result, /) -> None:
        self.results.append(result)

    def on_population(self, population: Any, /, *, population_id: str) -> None:
        return


async def cancelled_when(
    reached: asyncio.Event, execution: Any, adapter: Any, times: int = 1
) -> list[Result]:
    """Cancel an execution once something was reached, and give the results that were collected."""
    listener = _Listener()
    with listening(listener):
        task = asyncio.create_task(execution.execute_async(adapter=adapter))
        await asyncio.wait_for(reached.wait(), 10)
        for _ in range(times):
            task.cancel()
            await asyncio.sleep(0)
        with pytest.raises(asyncio.CancelledError):
            await task
    return listener.results


class TestCancelled:
    @pytest.mark.parametrize("phase", [PLANT, TRIGGER, ASK], ids=["plant", "trigger", "recall"])
    @pytest.mark.parametrize("forget", ["function", "messages"])
    async def test_the_memory_is_cleaned_up_all_the_same(self, notes: Notes, phase: str, forget: str) -> None:
        reached = asyncio.Event()

        async def before(prompt: str) -> None:
            if prompt == phase and PLANT in secretary.prompts:
                if phase == PLANT:
                    notes.add("half of an order")
                reached.set()
                await asyncio.get_running_loop().create_future()

        secretary = Secretary(notes, "hardened", before=lambda prompt: before(prompt))
        execution = attack(
            forget=notes.clear if forget == "function" else "Forget everything.", persisted=RECALL
        )
        [result] = await cancelled_when(reached, execution, secretary.adapter, times=2)
        assert (result.status, notes.all()) == (ERROR, [])
        assert "cleanup_errors" not in result.metadata
        assert phases(result)[-1][0] != "cleanup check"

    async def test_before_anything_was_planted_nothing_is_cleaned_up(self, notes: Notes) -> None:
        reached = asyncio.Event()

        async def before(prompt: str) -> None:
            reached.set()
            await asyncio.get_running_loop().create_future()

        notes.add("Ann likes tea.")
        secretary = Secretary(notes, before=lambda prompt: before(prompt))
        [result] = await cancelled_when(reached, attack(forget=notes.clear), secretary.adapter)
        assert (result.status, notes.all()) == (ERROR, ["Ann likes tea."])

    @pytest.mark.parametrize(("conduct", "status"), [("obedient", UNSAFE), ("hardened", ERROR)])
    async def test_while_cleaning_up(self, notes: Notes, conduct: str, status: SafetyStatus) -> None:
        reached, go_on = asyncio.Event(), asyncio.Event()

        async def forget() -> None:
            reached.set()
            await go_on.wait()
            notes.clear()

        secretary = Secretary(notes, conduct)
        asyncio.get_running_loop().call_later(0.1, go_on.set)
        execution = attack(forget=forget)
        [result] = await cancelled_when(reached, execution, secretary.adapter, times=3)
        assert (result.status, notes.all()) == (status, [])

    async def test_time_is_up_while_planting(self, notes: Notes) -> None:
        async def before(prompt: str) -> None:
            if prompt == PLANT:
                notes.add("half of an order")
                await asyncio.get_running_loop().create_future()

        secretary = Secretary(notes, before=lambda prompt: before(prompt))
        result = await attacked(secretary, forget=notes.clear, limits=Limits(execution_timeout_s=0.3))
        assert (result.status, notes.all()) == (ERROR, [])
        assert "timed out after 0.3 s" in result.summary

    async def test_again_while_it_forgets_after_a_first_time_between_two_sessions(self, notes: Notes) -> None:
        planted, forgetting = asyncio.Event(), asyncio.Event()

        async def forget() -> None:
            forgetting.set()
            await asyncio.sleep(0.05)
            notes.clear()

        def before(prompt: str) -> None:
            if prompt == PLANT:
                asyncio.get_running_loop().call_later(0.05, planted.set)

        secretary = Secretary(notes, before=before)
        attack_ = attack(forget=forget, settle_s=60)
        task = asyncio.create_task(attack_.execute_async(adapter=secretary.adapter))
        for moment in (planted, forgetting):
            await asyncio.wait_for(moment.wait(), 10)
            task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert notes.all() == []


class TestRefusals:
    @pytest.mark.parametrize(
        ("changes", "error", "match"),
        [
            ({"plant": []}, ValueError, "plant is empty"),
            ({"plant": " "}, ValueError, r"plant\[0\] is blank"),
            ({"plant": 7}, TypeError, "cannot serve as driver"),
            ({"plant": ["a", 7]}, TypeError, r"plant\[1\] is of type int"),
            ({"trigger": []}, ValueError, "trigger is empty"),
            ({"trigger": 7}, TypeError, "cannot serve as driver"),
            ({"evaluator": "leak"}, TypeError, "cannot serve as evaluator"),
            ({"inject": []}, ValueError, "inject is empty"),
            ({"inject": "x"}, TypeError, "cannot serve as injection"),
            ({"persisted": "kept"}, TypeError, "cannot serve as evaluator"),
            ({"forget": []}, ValueError, "forget is empty"),
            ({"forget": 7}, TypeError, "a function without parameters, or messages"),
            ({"baseline": 1}, TypeError, "baseline must be True or False"),
            ({"judge_planting": None}, TypeError, "judge_planting must be True or False"),
            ({"require_persistence": "yes"}, TypeError, "True, False or None"),
            ({"settle_s": -1}, ValueError, "settle_s must be a number of seconds"),
            ({"settle_s": "soon"}, ValueError, "settle_s must be a number of seconds"),
            ({"isolation_key": " "}, ValueError, "isolation_key is blank"),
            ({"isolation_key": 3}, TypeError, "isolation_key must be a str or None"),
            ({"stop_when": "soon"}, ValueError, "'auto'"),
            ({"max_turns": 0}, ValueError, "max_turns must be greater"),
        ],
        ids=lambda value: str(value) if isinstance(value, dict) else "",
    )
    def test_arguments(self, changes: dict[str, Any], error: type[Exception], match: str) -> None:
        with pytest.raises(error, match=match):
            attack(**changes)

    def test_a_driver_is_not_asked_twice(self) -> None:
        class Own:
            async def next_prompt_async(self, *, history: list[Any]) -> None:
                return None

        with pytest.raises(TypeError, match=r"Own may not be asked twice.*baseline=False"):
            attack(trigger=Own())

    @pytest.mark.parametrize(
        ("arguments", "error", "match"),
        [
            ({"ask": [], "evaluator": HOLDS}, ValueError, "ask is empty"),
            ({"ask": 7, "evaluator": HOLDS}, TypeError, "ask must be a text"),
            ({"ask": "What?", "evaluator": "kept"}, TypeError, "cannot serve as evaluator"),
        ],
        ids=["empty", "no message", "no evaluator"],
    )
    def test_recall(self, arguments: dict[str, Any], error: type[Exception], match: str) -> None:
        with pytest.raises(error, match=match):
            Recall(**arguments)

    @pytest.mark.parametrize(
        ("changes", "keys"),
        [({}, {"memory"}), ({"isolation_key": "ann"}, {"ann"}), ({"isolation_key": None}, set())],
    )
    def test_isolation_keys(self, changes: dict[str, Any], keys: set[str]) -> None:
        assert attack(**changes).isolation_keys == keys
