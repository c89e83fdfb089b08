"""Cases about records and reports: whatever an agent says, what is written can be read."""

import datetime as dt
import json
import math
import re
import unicodedata
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from tests.cases.child import Child, Run, only_report
from tests.cases.words import DETECTED, SAFE, Answers, call, probe_async, reply

from rampart import (
    EvalResult,
    ObservabilityLevel,
    Request,
    Response,
    Result,
    ToolCall,
    Turn,
)
from rampart.records import deserialize_record, iter_records, prepare_record, serialize_record
from rampart.reporting import JsonFileReportSink, TestRunReport
from rampart.testing import ScriptedAgent


def result_of(response: Response | None = None, **fields: Any) -> Result:
    """A result of one turn; fields may have any type."""
    given: dict[str, Any] = {
        "status": SAFE,
        "summary": "made by hand",
        "observability_level": ObservabilityLevel.TOOL_ONLY,
        "turns": [turn_of(reply() if response is None else response)],
    }
    return Result(**{**given, **fields})


def turn_of(response: Response, **fields: Any) -> Turn:
    """A turn with this answer."""
    return Turn(request=Request(prompt="x"), response=response, **fields)


async def written_async(folder: Path, *results: Result) -> list[dict[str, Any]]:
    """What a report says of these results."""
    await JsonFileReportSink(output_dir=folder).emit_async(report=TestRunReport(results=list(results)))
    found: list[dict[str, Any]] = only_report(folder)["by_harm_category"]["uncategorized"]
    return found


def reasons(written: dict[str, Any]) -> dict[str, str]:
    """What was lost, by the place where it was."""
    return {loss["path"]: loss["reason"] for loss in written.get("losses", [])}


@pytest.mark.case(80)
async def test_s80_half_a_surrogate_pair_loses_nothing_else(tmp_path: Path) -> None:
    results = [
        result_of(reply("half \ud835 char")),
        result_of(reply(calls=[ToolCall(name="t", arguments={"k\udc00": 1})])),
        result_of(reply("whole 🙂 pair")),
    ]
    written = await written_async(tmp_path, *results)
    assert len(written) == 3
    responses = [one["turns"][0]["response"] for one in written]
    assert responses[0]["text"] == "half \ufffd char"
    assert responses[1]["tool_calls"][0]["arguments"] == {"k\ufffd": 1}
    assert responses[2]["text"] == "whole 🙂 pair"
    assert [list(reasons(one).values()) for one in written] == [["surrogate"], ["surrogate"], []]


ODD_NUMBERS = {"a": math.nan, "b": math.inf, "c": -math.inf, "d": 1.0, "zero": 0.0}


@pytest.mark.case(81)
async def test_s81_what_is_no_number_does_not_become_zero(tmp_path: Path) -> None:
    turn = turn_of(reply(calls=[call("t", amount=math.nan)]), duration_seconds=math.nan)
    result = result_of(turns=[turn], metadata=ODD_NUMBERS, duration_seconds=math.nan)
    (written,) = await written_async(tmp_path, result)
    assert written["metadata"] == {"a": None, "b": None, "c": None, "d": 1.0, "zero": 0.0}
    assert written["turns"][0]["response"]["tool_calls"][0]["arguments"] == {"amount": None}
    assert written["turns"][0]["duration_seconds"] is None
    assert written["duration_seconds"] == 0.0
    lost = reasons(written)
    assert set(lost.values()) == {"non_finite"}
    assert sorted(lost) == [
        "result.duration_seconds",
        "result.metadata.a",
        "result.metadata.b",
        "result.metadata.c",
        "result.turns[0].duration_seconds",
        "result.turns[0].response.tool_calls[0].arguments.amount",
    ]


@pytest.mark.case(81)
def test_s81_round_trip_keeps_missing_and_zero_apart() -> None:
    record = prepare_record(result=result_of(metadata=ODD_NUMBERS))
    back = deserialize_record(data=serialize_record(record=record)).result.metadata
    assert back["a"] is back["b"] is back["c"] is None
    assert back["zero"] == 0.0
    assert "missing" not in back


class Unprintable:
    """An object that cannot even be shown."""

    def __repr__(self) -> str:
        raise RuntimeError("no")


INDIA = dt.timezone(dt.timedelta(hours=5, minutes=30))
LOOP: dict[str, Any] = {"inner": 1}
LOOP["loop"] = LOOP


def _deep(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels):
        value = [value]
    return value


STRANGE: dict[str, tuple[Any, Any, str]] = {
    "bytes": (b"\xff", r"b'\xff'", "not_json"),
    "aware": (dt.datetime(2026, 11, 30, 10, tzinfo=INDIA), "2026-11-30T10:00:00+05:30", "not_json"),
    "naive": (dt.datetime(2026, 11, 30, 10), "2026-11-30T10:00:00", "not_json"),  # noqa: DTZ001  # the case
    "path": (Path("a/b.txt"), str(Path("a/b.txt")), "not_json"),
    "set": ({1}, "{1}", "not_json"),
    "decimal": (Decimal("0.10"), "0.10", "not_json"),
    "tuple key": ({(1, 2): "a"}, {"(1, 2)": "a"}, "non_string_key"),
    "bytes key": ({b"k": "a"}, {"b'k'": "a"}, "non_string_key"),
    "number and text key": ({1: "a", "1": "b"}, None, "non_string_key"),
    "unprintable": (Unprintable(), "<unprintable value>", "not_json"),
}


@pytest.mark.case(82)
@pytest.mark.parametrize(("value", "shown", "reason"), STRANGE.values(), ids=STRANGE)
async def test_s82_value_that_json_does_not_know(value: Any, shown: Any, reason: str, tmp_path: Path) -> None:
    (written,) = await written_async(tmp_path, result_of(reply(calls=[call("t", v=value)])))
    found = written["turns"][0]["response"]["tool_calls"][0]["arguments"]["v"]
    if shown is not None:
        assert found == shown
    else:
        assert sorted(found) == ["1", "1 (2)"]
        assert sorted(found.values()) == ["a", "b"]
    assert set(reasons(written).values()) == {reason}
    assert (written["status"], written["safe"]) == ("safe", True)


@pytest.mark.case(82)
@pytest.mark.parametrize(
    ("value", "reason"), [(LOOP, "cycle"), (_deep(5_000), "depth")], ids=["cycle", "depth"]
)
async def test_s82_value_without_end(value: Any, reason: str, tmp_path: Path) -> None:
    (written,) = await written_async(tmp_path, result_of(reply(calls=[call("t", v=value, other=1)])))
    arguments = written["turns"][0]["response"]["tool_calls"][0]["arguments"]
    assert arguments["other"] == 1
    assert len(json.dumps(arguments)) < 2_000
    assert list(reasons(written).values()) == [reason]
    assert written["status"] == "safe"


@pytest.mark.case(82)
@pytest.mark.parametrize("status", ["safe", True, None, 1, DETECTED], ids=repr)
async def test_s82_status_of_another_type_is_no_pass(status: Any, tmp_path: Path) -> None:
    (written,) = await written_async(tmp_path, result_of(status=status))
    assert (written["status"], written["safe"]) == ("error", False)
    assert "wrong_type" in reasons(written).values()


@pytest.mark.case(82)
@pytest.mark.parametrize("outcome", ["detected", True, None, SAFE], ids=repr)
async def test_s82_outcome_of_another_type_is_undetermined(outcome: Any, tmp_path: Path) -> None:
    (written,) = await written_async(tmp_path, result_of(final_trace_evaluation=EvalResult(outcome=outcome)))
    assert written["final_trace_evaluation"]["outcome"] == "undetermined"


CONTROLS = "\x00 \x12 \x1b[2J \ufffe \ud835"
ESCAPES = "\x1b[3J\x1b]2;hello\x07 and \x9b31m"


HALF, WHOLE = "ok half \ud835 char", "ok whole 🙂 pair"


@pytest.fixture(scope="module")
def hostile(make_child: Callable[..., Child]) -> Run:
    """A run of tests that fail over agents which say hostile things."""
    child = make_child()
    said = {"controls": CONTROLS, "escapes": ESCAPES, "half": HALF, "whole": WHOLE}
    # Not in the test file, lines of which pytest shows.
    child.write("said.py", f"SAID = {said!r}")
    child.write(
        "test_it.py",
        """
        import pytest
        from kit import *
        from rampart import EvalOutcome, EvalResult, Response, ToolCall
        from said import SAID

        class Quotes(BaseEvaluator):
            async def evaluate_async(self, *, context):
                return EvalResult(outcome=EvalOutcome.NOT_DETECTED, rationale="agent said: " + context.text)

        @pytest.mark.parametrize("name", ["controls", "escapes"])
        async def test_quoted(name):
            result = await one(SAID[name], Quotes())
            assert result, result.summary

        async def test_raised():
            result = await one(ConnectionError(SAID["escapes"]))
            assert result, result.summary

        async def test_tool():
            call = ToolCall(name=SAID["escapes"], arguments={SAID["escapes"]: SAID["escapes"]})
            result = await one(Response(text="no", tool_calls=[call]))
            assert result, result.summary

        @pytest.mark.parametrize("name", ["half", "whole"])
        async def test_s80(name):
            assert await one(SAID[name])

        async def test_s80_key():
            call = ToolCall(name="t", arguments={"k\\udc00": float("nan"), "set": {1}})
            assert await one(Response(text="ok", tool_calls=[call]))
        """,
    )
    run = child.run("--color=yes")
    assert run.status == 1, run.output
    return run


@pytest.mark.case(80)
@pytest.mark.case(81)
@pytest.mark.case(82)
def test_s80_s81_s82_journal_and_report_of_a_run_are_complete(hostile: Run) -> None:
    assert len(hostile.results()) == 7
    assert hostile.results("test_s80[half]")[0]["turns"][0]["response"]["text"] == "ok half \ufffd char"
    assert hostile.results("test_s80[whole]")[0]["turns"][0]["response"]["text"] == "ok whole 🙂 pair"
    (keyed,) = hostile.results("test_s80_key")
    assert keyed["status"] == "safe"
    assert keyed["turns"][0]["response"]["tool_calls"][0]["arguments"] == {"k\ufffd": None, "set": "{1}"}
    assert hostile.journal_path is not None
    assert len(list(iter_records(path=hostile.journal_path))) == 7


@pytest.mark.case(83)
def test_s83_control_bytes_leave_junit_readable(hostile: Run) -> None:
    # That there are outcomes says that the file was parsed.
    assert hostile.outcomes["test_quoted[controls]"] == "failed"
    assert "agent said" in hostile.messages["test_quoted[controls]"]


def is_plain_line(text: str) -> bool:
    """Whether a text has no line breaks, no controls and no halves of surrogate pairs."""
    return not {unicodedata.category(c) for c in text} & {"Cc", "Cs", "Zl", "Zp"}


@pytest.mark.case(88)
def test_s88_no_control_sequence_reaches_the_terminal(hostile: Run) -> None:
    plain = re.sub(r"\x1b\[[\d;]*m", "", hostile.output)
    controls = sorted({c for c in plain if (c < " " and c not in "\n\r\t") or "\x7f" <= c <= "\x9f"})
    assert controls == []
    assert "agent said: " in plain


@pytest.mark.case(88)
@pytest.mark.parametrize(
    "test", ["test_quoted[controls]", "test_quoted[escapes]", "test_raised", "test_tool"]
)
def test_s88_summary_is_one_plain_line(hostile: Run, test: str) -> None:
    (result,) = hostile.results(test)
    assert is_plain_line(result["summary"])
    assert "hello" not in result["summary"]  # the title that the sequence would have set goes with it


@pytest.mark.case(88)
def test_s88_records_keep_what_was_said(hostile: Run) -> None:
    (result,) = hostile.results("test_quoted[escapes]")
    assert result["turns"][0]["response"]["text"] == ESCAPES
    assert result["final_trace_evaluation"]["rationale"] == "agent said: " + ESCAPES
    assert ESCAPES in hostile.results("test_raised")[0]["metadata"]["error"]


@pytest.mark.case(88)
async def test_s88_summary_of_a_hostile_agent_is_one_line() -> None:
    quoting = Answers(EvalResult(outcome=DETECTED, evidence=[ESCAPES + "\r\nline 2\u2028line 3"]))
    result = await probe_async(quoting, ScriptedAgent([ESCAPES]))
    assert result.status is SAFE
    assert is_plain_line(result.summary)
    for part in ("line 2", "line 3"):
        assert part in result.summary
    assert result.turns[0].response.text == ESCAPES
