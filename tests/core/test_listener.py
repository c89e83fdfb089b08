"""How results reach whoever collects them."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
from typing import TYPE_CHECKING
from unittest import SkipTest

import pytest
from tests.core.support import SAFE, result_of

from rampart.core import listener as module
from rampart.core.listener import (
    context_listener,
    emit_call,
    emit_population,
    emit_result,
    exit_types,
    listening,
    process_listener,
    record_result,
    set_process_listener,
    skip_types,
)
from rampart.core.population import PopulationResult

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rampart.core.result import Result


class Collects:
    """Keeps what it is handed; empty and therefore false, as a container may be."""

    def __init__(self) -> None:
        self.results: list[Result] = []
        self.populations: list[tuple[PopulationResult, str]] = []

    def __len__(self) -> int:
        return 0

    def on_result(self, result: Result, /) -> None:
        self.results.append(result)

    def on_population(self, population: PopulationResult, /, *, population_id: str) -> None:
        self.populations.append((population, population_id))


class Fails:
    def on_result(self, result: Result, /) -> None:
        raise OSError("disk full")

    def on_population(self, population: PopulationResult, /, *, population_id: str) -> None:
        raise OSError("disk full")


@pytest.fixture(autouse=True)
def no_listener() -> Iterator[None]:
    with listening(None):
        yield


@pytest.fixture
def result() -> Result:
    return result_of(SAFE)


@pytest.fixture
def population() -> PopulationResult:
    return PopulationResult(results=[], threshold=1.0)


def test_without_a_listener_nothing_happens(result: Result, population: PopulationResult) -> None:
    emit_result(result)
    emit_population(population, population_id="p")
    record_result(result)


def test_the_listener_of_the_process_gets_everything(result: Result, population: PopulationResult) -> None:
    collects = Collects()
    assert set_process_listener(collects) is None
    emit_result(result)
    record_result(result)
    emit_population(population, population_id="p")
    assert [id(one) for one in collects.results] == [id(result), id(result)]
    assert [(id(one), name) for one, name in collects.populations] == [(id(population), "p")]


def test_the_one_before_is_handed_back() -> None:
    first, second = Collects(), Collects()
    set_process_listener(first)
    assert process_listener() is first
    assert set_process_listener(second) is first
    assert set_process_listener(None) is second
    assert process_listener() is None


def test_a_listener_in_the_context_takes_precedence(result: Result) -> None:
    everywhere, here = Collects(), Collects()
    set_process_listener(everywhere)
    token = context_listener.set(here)
    emit_result(result)
    context_listener.reset(token)
    emit_result(result)
    assert (len(here.results), len(everywhere.results)) == (1, 1)


def test_tasks_inherit_the_context_and_do_not_disturb_each_other(result: Result) -> None:
    listeners = [Collects(), Collects()]

    async def emit(listener: Collects, others_turn: asyncio.Barrier) -> None:
        context_listener.set(listener)
        await others_turn.wait()
        await asyncio.create_task(emit_later())

    async def emit_later() -> None:
        emit_result(result)

    async def overlap() -> None:
        barrier = asyncio.Barrier(2)
        await asyncio.gather(*(emit(listener, barrier) for listener in listeners))

    asyncio.run(overlap())
    assert [len(listener.results) for listener in listeners] == [1, 1]


@pytest.mark.parametrize("error", [SystemExit, GeneratorExit, asyncio.CancelledError, pytest.skip.Exception])
def test_a_listener_neither_skips_a_test_nor_ends_the_run(
    error: type[BaseException], result: Result, population: PopulationResult, caplog: pytest.LogCaptureFixture
) -> None:
    class Ends:
        def on_result(self, result: Result, /) -> None:
            raise error

        def on_population(self, population: PopulationResult, /, *, population_id: str) -> None:
            raise error

    with listening(Ends()), caplog.at_level(logging.ERROR, logger="rampart"):
        emit_result(result)
        emit_population(population, population_id="p")
    assert len(caplog.records) == 2


def test_ctrl_c_in_a_listener_goes_through(result: Result, population: PopulationResult) -> None:
    class Interrupted:
        def on_result(self, result: Result, /) -> None:
            raise KeyboardInterrupt

        def on_population(self, population: PopulationResult, /, *, population_id: str) -> None:
            raise KeyboardInterrupt

    with listening(Interrupted()):
        with pytest.raises(KeyboardInterrupt):
            emit_result(result)
        with pytest.raises(KeyboardInterrupt):
            emit_population(population, population_id="p")


@pytest.mark.parametrize("in_context", [False, True], ids=["process", "context"])
def test_a_failing_listener_is_logged_and_harms_nothing(
    in_context: bool, result: Result, population: PopulationResult, caplog: pytest.LogCaptureFixture
) -> None:
    token = context_listener.set(Fails()) if in_context else None
    if not in_context:
        set_process_listener(Fails())
    with caplog.at_level(logging.ERROR, logger="rampart"):
        emit_result(result)
        record_result(result)
        emit_population(population, population_id="p")
    if token is not None:
        context_listener.reset(token)
    assert [record.message for record in caplog.records] == [
        "a result could not be collected",
        "a result could not be collected",
        "a population could not be collected",
    ]
    assert all("disk full" in (record.exc_text or "") for record in caplog.records)


def test_listening_replaces_both_for_a_while(result: Result) -> None:
    outside, inside = Collects(), Collects()
    set_process_listener(outside)
    token = context_listener.set(outside)
    with listening(inside):
        emit_result(result)
        assert process_listener() is inside
    assert process_listener() is outside
    assert context_listener.get() is outside
    context_listener.reset(token)
    assert (len(inside.results), len(outside.results)) == (1, 0)


def test_listening_to_nothing_collects_nothing(result: Result) -> None:
    outside = Collects()
    set_process_listener(outside)
    with listening(None):
        emit_result(result)
    assert outside.results == []


class Call:
    """A call that was made and not awaited yet."""

    awaited = False
    what = "execute_async"

    def close(self) -> None: ...


class TestCalls:
    def test_a_listener_that_wants_to_is_told(self) -> None:
        told = []

        class Attends(Collects):
            def on_call(self, call: object) -> None:
                told.append(call)

        call = Call()
        with listening(Attends()):
            emit_call(call)
        assert told == [call]

    @pytest.mark.parametrize("listener", [None, Collects()], ids=["nobody", "without-interest"])
    def test_others_are_not(self, listener: Collects | None) -> None:
        with listening(listener):
            emit_call(Call())


class Skips(BaseException):
    pass


class Exits(BaseException):
    pass


class TestOutcomes:
    @pytest.fixture(autouse=True)
    def no_runner(self) -> Iterator[None]:
        """The plugin that runs these tests has told of its outcomes."""
        with module.runner_outcomes(skips=(), exits=()):
            yield

    def test_out_of_the_box(self) -> None:
        assert skip_types() == (SkipTest,)
        assert exit_types() == (KeyboardInterrupt, SystemExit)

    def test_a_runner_adds_its_own_for_a_while(self) -> None:
        with module.runner_outcomes(skips=(Skips,), exits=(Exits,)):
            assert skip_types() == (SkipTest, Skips)
            assert exit_types() == (KeyboardInterrupt, SystemExit, Exits)
        assert skip_types() == (SkipTest,)
        assert exit_types() == (KeyboardInterrupt, SystemExit)

    def test_they_are_put_back_after_a_failure(self) -> None:
        def fail_inside() -> None:
            with module.runner_outcomes(skips=(Skips,), exits=()):
                raise RuntimeError

        with pytest.raises(RuntimeError):
            fail_inside()
        assert skip_types() == (SkipTest,)

    def test_unittest_is_looked_for_and_not_imported(self) -> None:
        code = (
            "import sys\n"
            "from rampart.core.listener import skip_types\n"
            "assert skip_types() == () and 'unittest' not in sys.modules\n"
            "import unittest\n"
            "assert skip_types() == (unittest.SkipTest,)\n"
        )
        subprocess.run([sys.executable, "-c", code], check=True)
