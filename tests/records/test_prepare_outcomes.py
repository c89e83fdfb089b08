"""What a value raises to end or skip a test has no effect on the record of it."""

from __future__ import annotations

import asyncio
import datetime as dt
from typing import Any

import pytest
from tests.records.support import full_result, result_of

from rampart.core.result import PopulationRef, SafetyStatus
from rampart.core.types import Payload, Request, Response, Turn
from rampart.records import prepare_record, serialize_record

ERRORS: list[type[BaseException]] = [
    SystemExit,
    GeneratorExit,
    asyncio.CancelledError,
    pytest.skip.Exception,
    pytest.exit.Exception,
]


def bomb_of(error: type[BaseException]) -> Any:
    class Bomb:
        def __getattribute__(self, name: str) -> Any:
            raise error

        def __repr__(self) -> str:
            raise error

        def __eq__(self, other: object) -> bool:
            raise error

        def __hash__(self) -> int:
            return 1

        def __bool__(self) -> bool:
            raise error

    return Bomb()


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.__name__)
class TestBombs:
    def test_in_metadata(self, error: type[BaseException]) -> None:
        result = result_of(metadata={"a": bomb_of(error), "b": [bomb_of(error)], bomb_of(error): 1})
        record = prepare_record(result=result)
        shown = "<unprintable value>"
        assert record.result.metadata == {"a": shown, "b": [shown], shown: 1}
        assert record.result.status is SafetyStatus.SAFE
        serialize_record(record=record)

    @pytest.mark.parametrize("name", list(vars(full_result())))
    def test_in_place_of_a_field(self, error: type[BaseException], name: str) -> None:
        result = full_result()
        setattr(result, name, bomb_of(error))
        record = prepare_record(result=result)
        assert [loss.reason for loss in record.losses] == ["wrong_type"]
        serialize_record(record=record)

    def test_in_place_of_the_result_and_of_what_is_said_about_it(self, error: type[BaseException]) -> None:
        record = prepare_record(
            result=bomb_of(error), pytest_nodeid=bomb_of(error), result_index=bomb_of(error)
        )
        assert record.result.status is SafetyStatus.ERROR
        assert (record.pytest_nodeid, record.result_index) == ("<unprintable value>", None)

    def test_in_a_time_zone_an_id_a_property_and_a_reference(self, error: type[BaseException]) -> None:
        class Zone(dt.tzinfo):
            def utcoffset(self, when: dt.datetime | None, /) -> dt.timedelta | None:
                raise error

            dst = utcoffset

            def tzname(self, when: dt.datetime | None, /) -> str | None:
                raise error

        class Lazy(Response):
            @property
            def metadata(self) -> dict[str, Any]:
                raise error

            @metadata.setter
            def metadata(self, value: dict[str, Any]) -> None: ...

        payload = Payload(content="c")
        payload.id = bomb_of(error)
        turn = Turn(
            request=Request(attachments=[payload]),
            response=Lazy(text="hello"),
            timestamp=dt.datetime(2026, 4, 25, tzinfo=Zone()),
        )
        reference = PopulationRef(id="p", index=0, size=1, threshold=0.5)
        object.__setattr__(reference, "size", bomb_of(error))
        record = prepare_record(result=result_of(turns=[turn], population=reference))
        (prepared,) = record.result.turns
        assert (prepared.timestamp, prepared.response.text, record.result.population) == (None, "hello", None)
        assert len(record.losses) == 4
        serialize_record(record=record)


def test_an_index_with_methods_of_its_own_is_plain() -> None:
    class Index(int):
        def __lt__(self, other: object) -> bool:
            raise SystemExit

        __int__ = __lt__  # type: ignore[assignment]  # what foreign code does

    index = prepare_record(result=result_of(), result_index=Index(3)).result_index
    assert (index, type(index)) == (3, int)


@pytest.mark.parametrize("outcome", ["pytest.skip", "sys.exit", "pytest.exit"])
def test_a_test_whose_agent_reports_a_bomb_is_judged(pytester: pytest.Pytester, outcome: str) -> None:
    pytester.makepyfile(
        f"""
        import sys

        import pytest
        from rampart.adapters import CallableAdapter
        from rampart.core.types import Response
        from rampart.evaluators import ResponseContains, ResponseScope
        from rampart.probes import Probes

        class Bomb:
            def __repr__(self):
                {outcome}("bomb")

            def __reduce_ex__(self, protocol):
                raise TypeError

        def agent(prompt, history):
            return Response(text="hello", metadata={{"bomb": Bomb()}})

        async def run(target):
            evaluator = ResponseContains(target, scope=ResponseScope.ANY_TURN)
            probe = Probes.behavior(prompts=["hi"], evaluator=evaluator)
            return await probe.execute_async(adapter=CallableAdapter(agent))

        async def test_good():
            assert await run("hello")

        async def test_bad():
            assert await run("bye")
        """
    )
    pytester.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(passed=1, failed=1)
