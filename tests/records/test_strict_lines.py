"""A line that says two things is refused: names that stand twice, results beside populations, odd figures."""

from __future__ import annotations

import json
import re
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from tests.records.support import full_result, result_of

from rampart.core.errors import SchemaError
from rampart.core.result import SafetyStatus
from rampart.records import deserialize_record, iter_records, prepare_record, serialize_record
from rampart.records.codec import decode_line
from rampart.records.population import encode_population, population_object

if TYPE_CHECKING:
    from pathlib import Path

SAFE, UNSAFE = SafetyStatus.SAFE, SafetyStatus.UNSAFE
UNDETERMINED, ERROR = SafetyStatus.UNDETERMINED, SafetyStatus.ERROR

LINE = serialize_record(record=prepare_record(result=full_result(), pytest_nodeid="a.py::t"))


def plain_line(**given: Any) -> str:
    return serialize_record(record=prepare_record(result=result_of(**given)))


class TestNamesThatStandTwice:
    def test_a_second_verdict_is_refused(self, tmp_path: Path) -> None:
        line = plain_line(status=UNSAFE).replace('"status":"unsafe"', '"status":"unsafe","status":"safe"')
        with pytest.raises(SchemaError, match=r"^result\.status: stands twice in the same object"):
            deserialize_record(data=line)
        path = tmp_path / "results.jsonl"
        path.write_text(plain_line() + "\n" + line + "\n")
        records = iter_records(path=path)
        next(records)
        with pytest.raises(SchemaError, match=r"line 2: result\.status: stands twice"):
            next(records)

    @pytest.mark.parametrize(
        ("old", "new", "place"),
        [
            pytest.param('{"version"', '{"version":"rampart.trace.v1","version"', "version", id="version"),
            pytest.param('{"version"', '{"losses":[],"losses":[],"version"', "losses", id="default"),
            pytest.param('{"version"', '{"x":1,"x":1,"version"', "[...]", id="unknown-name"),
            pytest.param('{"version"', '{"x":[{"a b":{}, "a b":1}],"version"', "[...][0][...]", id="unread"),
            pytest.param('"metadata":{}', '"metadata":{"k":1,"k":1}', "result.metadata[...]", id="free-name"),
            pytest.param(
                '"metadata":{}',
                '"metadata":{"k":1,"\\u006b":1}',
                "result.metadata[...]",
                id="spelt-otherwise",
            ),
            pytest.param(
                '"metadata":{}',
                '"metadata":{"k":[[{"":0,"":0}]]}',
                "result.metadata[...][0][0][...]",
                id="deep",
            ),
            pytest.param(
                '"turns":[]',
                '"turns":[{"request":{"prompt":"a","prompt":"b"},"response":{"text":""}}]',
                "result.turns[0].request.prompt",
                id="in-a-list",
            ),
        ],
    )
    def test_the_place_is_named_and_the_data_is_not(self, old: str, new: str, place: str) -> None:
        line = plain_line()
        assert old in line
        with pytest.raises(SchemaError, match=f"^{re.escape(place)}: stands twice"):
            deserialize_record(data=line.replace(old, new, 1))

    def test_in_a_population(self) -> None:
        line = encode_population(figures([SAFE])).replace(b'"size"', b'"size":5,"size"')
        with pytest.raises(SchemaError, match=r"^population\.size: stands twice"):
            decode_line(line)

    @pytest.mark.parametrize(
        "rewritten",
        [
            lambda line: line,
            lambda line: f"  {line}\n",
            lambda line: json.dumps(json.loads(line), indent=1),
            lambda line: json.dumps(json.loads(line), ensure_ascii=True),
            lambda line: line.replace('{"version"', '{"size":1e3,"digits":' + "9" * 5000 + ',"version"', 1),
        ],
        ids=["as-written", "spaces", "indented", "ascii", "unknown-numbers"],
    )
    def test_once_in_each_object_is_enough(self, rewritten: Any) -> None:
        assert deserialize_record(data=rewritten(LINE)) == deserialize_record(data=LINE)


class TestResultsBesidePopulations:
    def test_they_are_refused(self) -> None:
        document = json.loads(LINE) | {"population": figures([SAFE])}
        with pytest.raises(SchemaError, match=r"^record: a result and a population have a line each$"):
            decode_line(json.dumps(document).encode())


def figures(statuses: list[SafetyStatus], *, size: int = 0, **given: Any) -> dict[str, Any]:
    facts: dict[str, Any] = {"population_id": "p", "pytest_nodeid": None, "threshold": 0.5}
    return population_object(size=size or len(statuses), statuses=statuses, **(facts | given))


def line_of(population: dict[str, Any]) -> bytes:
    return json.dumps({"version": "rampart.trace.v1", "population": population}).encode()


MIXED = [SAFE, SAFE, UNSAFE, UNDETERMINED]


class TestFigures:
    @pytest.mark.parametrize("threshold", [0.0, 1 / 3, 0.5, 1 - 1 / 3, 1.0])
    @pytest.mark.parametrize("cut_short", [False, True])
    def test_those_of_real_populations_agree(self, threshold: float, cut_short: bool) -> None:
        for count in range(5):
            for statuses in product(SafetyStatus, repeat=count):
                population = figures(list(statuses), size=5, threshold=threshold, cut_short=cut_short)
                assert decode_line(encode_population(population)) == population

    @pytest.mark.parametrize("errors", [1, 7, 99_999])
    def test_those_of_large_populations_agree(self, errors: int) -> None:
        for safe in (0, 1, 5_000, 100_000 - errors):
            statuses = [ERROR] * errors + [SAFE] * safe + [UNSAFE] * (100_000 - errors - safe)
            population = figures(statuses[:100_000])
            assert decode_line(encode_population(population)) == population

    @pytest.mark.parametrize(
        ("statuses", "change", "field"),
        [
            pytest.param(MIXED, {"size": 3}, "executed", id="more-executed-than-asked-for"),
            pytest.param(
                [SAFE], {"safe_count": 2, "pass_rate": 1.0}, "safe_count", id="more-safe-than-executed"
            ),
            pytest.param(MIXED, {"pass_rate": 1.0}, "pass_rate", id="rate"),
            pytest.param([], {"size": 1, "pass_rate": 1.0}, "pass_rate", id="rate-of-none"),
            pytest.param(MIXED, {"decided_early": True}, "decided_early", id="early-although-all-ran"),
            pytest.param(MIXED, {"size": 9}, "decided_early", id="not-early-although-some-did-not-run"),
            pytest.param(
                MIXED,
                {"status": None, "size": 9, "decided_early": True},
                "decided_early",
                id="early-and-cut-short",
            ),
            pytest.param([UNSAFE, UNSAFE, SAFE], {"status": "safe"}, "status", id="safe-below-the-threshold"),
            pytest.param(
                [UNSAFE, UNSAFE], {"safe_count": 0, "status": "safe"}, "status", id="safe-without-any"
            ),
            pytest.param(MIXED, {"status": "unsafe"}, "status", id="unsafe-at-the-threshold"),
            pytest.param(MIXED, {"status": "undetermined"}, "status", id="undetermined-at-the-threshold"),
            pytest.param(MIXED, {"threshold": 0.51}, "status", id="another-threshold"),
            pytest.param([SAFE], {"status": "error"}, "status", id="error-although-all-are-safe"),
            pytest.param([UNDETERMINED], {"status": "safe"}, "status", id="safe-although-nothing-was-seen"),
            pytest.param(MIXED, {"interval": None}, "interval", id="no-interval"),
            pytest.param(MIXED, {"interval": [0.0, 1.0]}, "interval", id="another-interval"),
            pytest.param(MIXED, {"interval": [0.9, 0.1]}, "interval", id="interval-upside-down"),
            pytest.param([ERROR, SAFE], {"interval": None}, "interval", id="no-interval-beside-an-error"),
            pytest.param([ERROR, SAFE], {"interval": [0.2, 0.9]}, "interval", id="interval-beside-an-error"),
            pytest.param([ERROR], {"interval": [0.0, 0.8]}, "interval", id="interval-of-errors-only"),
            pytest.param(MIXED, {"executed": -1}, "executed", id="negative-executed"),
            pytest.param(MIXED, {"safe_count": -1}, "safe_count", id="negative-safe"),
            pytest.param(MIXED, {"size": -4}, "size", id="negative-size"),
        ],
    )
    def test_contradictions_are_refused(
        self, statuses: list[SafetyStatus], change: dict[str, Any], field: str
    ) -> None:
        population = figures(statuses, size=len(statuses) or 1)
        decode_line(line_of(population))
        with pytest.raises(SchemaError, match=rf"^population\.{field}: "):
            decode_line(line_of(population | change))
        with pytest.raises(SchemaError, match=rf"^population\.{field}: "):
            encode_population(population | change)

    def test_a_journal_names_the_line(self, tmp_path: Path) -> None:
        path = tmp_path / "results.jsonl"
        path.write_bytes(LINE.encode() + b"\n" + line_of(figures(MIXED) | {"pass_rate": 1.0}) + b"\n")
        with pytest.raises(SchemaError, match=r"line 2: population\.pass_rate: contradicts"):
            list(iter_records(path=path))
