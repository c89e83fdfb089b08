"""Which reads of a verdict count, and who shares the mark that they leave."""

from __future__ import annotations

import asyncio
import copy
import dataclasses
import inspect
import pickle
import pprint
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest
from tests.core.support import SAFE, UNSAFE, result_of

from rampart.core.checked import forget_reads, mark_of, was_read
from rampart.core.population import PopulationResult, population_was_read
from rampart.core.result import Result, status_of
from rampart.execution.base import BaseExecution
from rampart.execution.events import ExecutionEvent, ExecutionEventData, ExecutionEventHandler
from rampart.execution.trials import execute_trials_async
from rampart.testing import ScriptedAgent

if TYPE_CHECKING:
    from collections.abc import Callable

    from rampart.core.adapter import AgentAdapter


def result() -> Result:
    return result_of(UNSAFE)


def population() -> PopulationResult:
    return PopulationResult(results=[result(), result()], threshold=1.0)


def ask_if(obj: object) -> bool:
    return bool(obj)


def assert_it(obj: object) -> None:
    with pytest.raises(AssertionError):
        assert obj


READS_OF_BOTH: dict[str, Callable[[Any], object]] = {
    "bool": ask_if,
    "assert": assert_it,
    "not": lambda obj: not obj,
    "safe": lambda obj: obj.safe,
    "status": lambda obj: obj.status,
    "getattr": lambda obj: getattr(obj, "status"),  # noqa: B009  # as a user's helper may do
    "any": lambda obj: any([obj]),
}

NO_READS_OF_BOTH: dict[str, Callable[[Any], object]] = {
    "nothing": lambda obj: None,
    "repr": repr,
    "str": str,
    "format": lambda obj: f"{obj}",
    "summary": lambda obj: obj.summary,
    "pprint": pprint.pformat,
    "asdict": dataclasses.asdict,
    "astuple": dataclasses.astuple,
    "replace": lambda obj: dataclasses.replace(obj),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda obj: pickle.loads(pickle.dumps(obj)),
    "getmembers": lambda obj: inspect.getmembers(obj),
}


class TestResult:
    @pytest.mark.parametrize("read", READS_OF_BOTH.values(), ids=READS_OF_BOTH)
    def test_counts(self, read: Callable[[Any], object]) -> None:
        one, other = result(), result()
        read(one)
        assert was_read(one)
        assert not was_read(other)

    @pytest.mark.parametrize("use", NO_READS_OF_BOTH.values(), ids=NO_READS_OF_BOTH)
    def test_does_not_count(self, use: Callable[[Any], object]) -> None:
        one = result()
        use(one)
        assert not was_read(one)

    @pytest.mark.parametrize(
        "use",
        [
            pytest.param(lambda one: one == result(), id="equality"),
            pytest.param(lambda one: one in [result(), result()], id="membership"),
            pytest.param(lambda one: one.turns, id="turns"),
            pytest.param(lambda one: one.final_trace_evaluation, id="final-evaluation"),
            pytest.param(lambda one: one.turn_evaluations, id="turn-evaluations"),
            pytest.param(lambda one: setattr(one, "status", SAFE), id="setting-the-status"),
        ],
    )
    def test_other_fields_and_equality_do_not_count(self, use: Callable[[Any], object]) -> None:
        one = result()
        use(one)
        assert not was_read(one)

    def test_a_pattern_counts(self) -> None:
        one = result()
        match one:
            case Result(status=status):
                assert status is UNSAFE
        assert was_read(one)

    def test_the_status_without_a_read(self) -> None:
        one = result()
        assert status_of(one) is UNSAFE
        assert not was_read(one)

    @pytest.mark.parametrize(
        "reader",
        [
            "rampart",
            "rampart.reporting.json",
            "_pytest.assertion.util",
            "dataclasses",
            "copy",
            "pprint",
            "inspect",
            "rich.pretty",
        ],
    )
    def test_reads_by_the_framework_and_by_what_prints_and_copies_do_not_count(self, reader: str) -> None:
        module = ModuleType(reader)
        exec("def look(obj): return (obj.safe, obj.status, bool(obj))", module.__dict__)
        one = result()
        assert module.look(one) == (False, UNSAFE, False)
        assert not was_read(one)

    @pytest.mark.parametrize("reader", ["test_agent", "tests.rampart", "rampart_helpers", "__main__"])
    def test_reads_by_others_do_count(self, reader: str) -> None:
        module = ModuleType(reader)
        exec("def look(obj): return obj.safe", module.__dict__)
        one = result()
        assert module.look(one) is False
        assert was_read(one)

    def test_code_without_a_module_counts(self) -> None:
        one = result()
        names: dict[str, Any] = {}
        exec("def look(obj): return obj.safe", names)
        names.pop("__name__", None)
        assert names["look"](one) is False
        assert was_read(one)


COPIES: dict[str, Callable[[Any], Any]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "dataclasses.replace": dataclasses.replace,
}
if sys.version_info >= (3, 13):
    COPIES["copy.replace"] = copy.replace


@pytest.mark.parametrize("make", [result, population], ids=["result", "population"])
class TestCopies:
    @pytest.mark.parametrize("duplicate", COPIES.values(), ids=COPIES)
    def test_reading_the_copy_checks_the_original(
        self, make: Callable[[], Any], duplicate: Callable[[Any], Any]
    ) -> None:
        original = make()
        bystander = make()
        assert not duplicate(original).safe
        assert was_read(original)
        assert not was_read(bystander)

    @pytest.mark.parametrize("duplicate", COPIES.values(), ids=COPIES)
    def test_reading_the_original_checks_the_copy(
        self, make: Callable[[], Any], duplicate: Callable[[Any], Any]
    ) -> None:
        original = make()
        made = duplicate(original)
        assert not original.safe
        assert was_read(made)

    @pytest.mark.parametrize("duplicate", COPIES.values(), ids=COPIES)
    def test_a_copy_of_something_read_is_read(
        self, make: Callable[[], Any], duplicate: Callable[[Any], Any]
    ) -> None:
        original = make()
        assert not original.safe
        assert was_read(duplicate(original))

    @pytest.mark.parametrize("duplicate", COPIES.values(), ids=COPIES)
    def test_copies_of_copies_share_as_well(
        self, make: Callable[[], Any], duplicate: Callable[[Any], Any]
    ) -> None:
        original = make()
        assert not duplicate(duplicate(original)).safe
        assert was_read(original)

    @pytest.mark.parametrize("duplicate", COPIES.values(), ids=COPIES)
    def test_copies_are_equal(self, make: Callable[[], Any], duplicate: Callable[[Any], Any]) -> None:
        original = make()
        assert duplicate(original) == original
        assert duplicate(original) is not original

    def test_a_pickled_copy_goes_its_own_way(self, make: Callable[[], Any]) -> None:
        original = make()
        loaded = pickle.loads(pickle.dumps(original))
        assert repr(loaded) == repr(original)
        assert not loaded.safe
        assert not was_read(original)

    def test_a_pickled_copy_remembers(self, make: Callable[[], Any]) -> None:
        original = make()
        assert not original.safe
        assert was_read(pickle.loads(pickle.dumps(original)))


def test_changes_that_come_with_a_copy_leave_the_mark_alone() -> None:
    original = result()
    changed = dataclasses.replace(original, summary="another", metadata={"a": 1})
    assert (changed.summary, original.summary) == ("another", "made by hand")
    assert not was_read(original)
    assert not changed.safe
    assert was_read(original)


class TestPopulation:
    @pytest.mark.parametrize("read", READS_OF_BOTH.values(), ids=READS_OF_BOTH)
    def test_counts_as_for_a_result(self, read: Callable[[Any], object]) -> None:
        asked = population()
        read(asked)
        assert population_was_read(asked)
        assert not any(map(was_read, asked.results))

    @pytest.mark.parametrize(
        "read",
        [
            pytest.param(lambda asked: asked.pass_rate, id="pass_rate"),
            pytest.param(lambda asked: asked.safe_count, id="safe_count"),
            pytest.param(lambda asked: asked.interval, id="interval"),
            pytest.param(lambda asked: asked == population(), id="equality"),
            pytest.param(lambda asked: asked != population(), id="inequality"),
            pytest.param(lambda asked: population() == asked, id="equality-the-other-way-round"),
            pytest.param(lambda asked: asked == 3, id="equality-with-something-else"),
        ],
    )
    def test_figures_and_equality_count(self, read: Callable[[Any], object]) -> None:
        asked = population()
        read(asked)
        assert population_was_read(asked)

    @pytest.mark.parametrize("use", NO_READS_OF_BOTH.values(), ids=NO_READS_OF_BOTH)
    def test_does_not_count(self, use: Callable[[Any], object]) -> None:
        asked = population()
        use(asked)
        assert not population_was_read(asked)

    @pytest.mark.parametrize(
        "use",
        [
            pytest.param(lambda asked: asked.executed_count, id="executed_count"),
            pytest.param(lambda asked: asked.results, id="results"),
            pytest.param(lambda asked: asked.threshold, id="threshold"),
            pytest.param(lambda asked: asked.requested_count, id="requested_count"),
            pytest.param(lambda asked: len(asked.results), id="length"),
        ],
    )
    def test_what_is_no_verdict_does_not_count(self, use: Callable[[Any], object]) -> None:
        asked = population()
        use(asked)
        assert not population_was_read(asked)

    def test_reading_every_member_counts(self) -> None:
        asked = population()
        assert not any(one.safe for one in asked.results)
        assert population_was_read(asked)
        assert not was_read(asked)

    def test_reading_some_members_does_not(self) -> None:
        asked = population()
        assert not asked.results[0].safe
        assert not population_was_read(asked)

    def test_having_no_members_to_read_does_not(self) -> None:
        assert not population_was_read(PopulationResult(results=[], threshold=0.5))

    def test_reading_the_population_reads_no_member(self) -> None:
        asked = population()
        assert not asked
        assert not any(map(was_read, asked.results))


def test_a_read_can_be_forgotten() -> None:
    one = result()
    assert not one.safe
    forget_reads(one)
    assert not was_read(one)
    assert not one.safe
    assert was_read(one)


def test_forgetting_holds_for_copies_too() -> None:
    one = result()
    made = copy.copy(one)
    assert not made.safe
    forget_reads(one)
    assert not was_read(made)


def test_what_nobody_has_touched_carries_no_mark() -> None:
    assert set(vars(result())) == {item.name for item in dataclasses.fields(Result)}
    one = result()
    assert mark_of(one) is mark_of(one)


class Judges(BaseExecution):
    """Gives an UNSAFE result, whatever the agent is."""

    @property
    def strategy_name(self) -> str:
        return "judges"

    async def _execute_async(self, *, adapter: AgentAdapter) -> Result:
        return result()


class Reads(ExecutionEventHandler):
    """Looks at the verdict, and keeps the object for later."""

    def __init__(self) -> None:
        self.seen: list[Result] = []

    async def on_event_async(self, *, event_data: ExecutionEventData) -> None:
        if event_data.event is ExecutionEvent.ON_POST_EXECUTE:
            assert event_data.result is not None
            assert not event_data.result.safe
            self.seen.append(event_data.result)


class TestExecutions:
    def test_an_event_handler_is_no_reader(self) -> None:
        handler = Reads()
        execution = Judges(event_handlers=[handler])
        returned = asyncio.run(execution.execute_async(adapter=ScriptedAgent([])))
        assert handler.seen == [returned]
        assert not was_read(returned)
        assert not returned.safe
        assert was_read(returned)

    def test_a_population_comes_unread(self) -> None:
        asked = asyncio.run(
            execute_trials_async(
                execution_factory=lambda: Judges(event_handlers=[Reads()]), adapter=ScriptedAgent([]), n=3
            )
        )
        assert not population_was_read(asked)
        assert not any(map(was_read, asked.results))
        assert not asked
        assert population_was_read(asked)
