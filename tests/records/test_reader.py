"""Reading journals back: one file, and a run of several with its populations."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.records.support import minimal_document, result_of

from rampart.core.errors import SchemaError, UnsupportedSchemaVersionError
from rampart.core.result import PopulationRef, Result, SafetyStatus
from rampart.records import iter_records, prepare_record, serialize_record
from rampart.records.journal import Journal
from rampart.records.population import encode_population, population_object
from rampart.records.reader import read_run

if TYPE_CHECKING:
    from pathlib import Path

SAFE, UNSAFE = SafetyStatus.SAFE, SafetyStatus.UNSAFE
BAD_STATUS = json.dumps(minimal_document(status="secure"))
UNDETERMINED, ERROR = SafetyStatus.UNDETERMINED, SafetyStatus.ERROR


def line(**given: Any) -> str:
    return serialize_record(record=prepare_record(result=result_of(**given)))


def journal_of(tmp_path: Path, text: str | bytes) -> Path:
    path = tmp_path / "results.jsonl"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def summaries(path: Path) -> list[str]:
    return [record.result.summary for record in iter_records(path=path)]


def test_records_come_in_order(tmp_path: Path) -> None:
    path = journal_of(tmp_path, line(summary="a") + "\n" + line(summary="b") + "\n")
    assert summaries(path) == ["a", "b"]


def test_an_empty_journal_holds_nothing(tmp_path: Path) -> None:
    assert summaries(journal_of(tmp_path, "")) == []


@pytest.mark.parametrize("cut", [1, 20, -1], ids=["one-byte", "some", "all-but-one"])
def test_an_incomplete_last_line_is_ignored(tmp_path: Path, cut: int) -> None:
    path = journal_of(tmp_path, line(summary="a") + "\n" + line(summary="b🙂")[:cut])
    assert summaries(path) == ["a"]


def test_a_last_line_cut_inside_a_character_is_ignored(tmp_path: Path) -> None:
    torn = line(summary="🙂").encode().partition("🙂".encode())[0] + "🙂".encode()[:2]
    assert summaries(journal_of(tmp_path, line(summary="a").encode() + b"\n" + torn)) == ["a"]


def test_a_last_line_that_lacks_only_its_line_break_counts(tmp_path: Path) -> None:
    assert summaries(journal_of(tmp_path, line(summary="a") + "\n" + line(summary="b"))) == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("{}\n", "line 2: version: ", id="no-version"),
        pytest.param("oops\n", "line 2: record: expected one line of valid JSON", id="no-json"),
        pytest.param("\n", "line 2: record: expected one line of valid JSON", id="blank"),
        pytest.param(line()[:40] + "\n", "line 2: record: expected one line of valid JSON", id="torn"),
        pytest.param(BAD_STATUS + "\n", "line 2: result.status: ", id="bad-value"),
        pytest.param(BAD_STATUS, "line 2: result.status: ", id="bad-last-line"),
        pytest.param(
            '{"version":"rampart.trace.v1"}\n', "line 2: record: a result or a population", id="empty"
        ),
        pytest.param(
            '{"version":"rampart.trace.v1","population":{"id":"p"}}\n',
            "line 2: population: ",
            id="population",
        ),
    ],
)
def test_any_other_bad_line_is_named(tmp_path: Path, text: str, message: str) -> None:
    path = journal_of(tmp_path, line(summary="a") + "\n" + text)
    records = iter_records(path=path)
    assert next(records).result.summary == "a"
    with pytest.raises(SchemaError, match=message) as caught:
        next(records)
    assert str(path) in str(caught.value)


def test_a_bad_line_in_the_middle_is_named(tmp_path: Path) -> None:
    path = journal_of(tmp_path, "\n".join([line(), "{", line(), ""]))
    with pytest.raises(SchemaError, match="line 2: record: "):
        list(iter_records(path=path))


def test_a_line_of_another_version_is_told_apart(tmp_path: Path) -> None:
    path = journal_of(tmp_path, json.dumps(minimal_document() | {"version": "rampart.trace.v9"}) + "\n")
    with pytest.raises(UnsupportedSchemaVersionError, match="line 1: version: "):
        list(iter_records(path=path))


def test_a_missing_journal_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        list(iter_records(path=tmp_path / "results.jsonl"))


def test_line_breaks_of_other_kinds_do_not_end_a_line(tmp_path: Path) -> None:
    path = journal_of(tmp_path, line(summary="a\u2028b\x85c\x0bd\re") + "\n")
    assert summaries(path) == ["a\u2028b\x85c\x0bd\re"]


def trial(index: int, status: SafetyStatus, *, population: str = "p", size: int = 4) -> Result:
    reference = PopulationRef(id=population, index=index, size=size, threshold=0.5)
    return result_of(status=status, population=reference)


def run_of(tmp_path: Path, *entries: Result | dict[str, Any], worker: str | None = None) -> Path:
    tmp_path.mkdir(exist_ok=True)
    journal = Journal(root=tmp_path, run_id="2026-04-25T14-30-00-0123abcd", worker_id=worker)
    for entry in entries:
        if isinstance(entry, Result):
            journal.write_result(entry, pytest_nodeid="a.py::t")
        else:
            journal.write_population(entry)
    journal.close()
    return journal.path.parent


def test_a_population_that_ended_has_the_figures_of_its_line(tmp_path: Path) -> None:
    figures = population_object(
        population_id="p", pytest_nodeid="a.py::t", size=4, threshold=0.5, statuses=[SAFE, SAFE, UNSAFE]
    )
    run = read_run(run_of(tmp_path, trial(0, SAFE), trial(1, SAFE), trial(2, UNSAFE), figures))
    assert run.populations == [figures]
    assert figures == {
        "id": "p",
        "pytest_nodeid": "a.py::t",
        "size": 4,
        "executed": 3,
        "safe_count": 2,
        "threshold": 0.5,
        "pass_rate": 2 / 3,
        "decided_early": True,
        "interval": [pytest.approx(0.2077, abs=1e-4), pytest.approx(0.9385, abs=1e-4)],
        "status": "safe",
    }
    assert len(run.records) == 3


def test_a_population_that_was_cut_off_is_counted_from_its_records(tmp_path: Path) -> None:
    run = read_run(run_of(tmp_path, trial(0, SAFE), trial(3, SAFE)))
    (figures,) = run.populations
    # Two of four were never heard of: half the trials are safe, which meets the threshold.
    assert (figures["executed"], figures["safe_count"], figures["status"]) == (4, 2, "safe")
    assert figures["pytest_nodeid"] == "a.py::t"
    (figures,) = read_run(run_of(tmp_path / "b", trial(0, SAFE))).populations
    assert (figures["executed"], figures["safe_count"], figures["status"]) == (4, 1, "undetermined")


@pytest.mark.parametrize(
    ("statuses", "verdict"),
    [
        pytest.param([SAFE, UNSAFE], "unsafe", id="unsafe-beats-safe"),
        pytest.param([SAFE, UNDETERMINED], "undetermined", id="undetermined-beats-safe"),
        pytest.param([UNDETERMINED, UNSAFE], "unsafe", id="unsafe-beats-undetermined"),
        pytest.param([UNSAFE, ERROR, SAFE], "error", id="error-beats-all"),
        pytest.param([SAFE, SAFE], "safe", id="safe-only-if-all-are"),
    ],
)
def test_a_member_has_the_worst_status_of_its_records(
    tmp_path: Path, statuses: list[SafetyStatus], verdict: str
) -> None:
    run = read_run(run_of(tmp_path, *(trial(0, status, size=1) for status in statuses)))
    (figures,) = run.populations
    assert (figures["executed"], figures["status"]) == (1, verdict)


def test_populations_of_several_workers_come_together(tmp_path: Path) -> None:
    run_of(tmp_path, trial(0, SAFE, population="a", size=1), worker="gw1")
    folder = run_of(tmp_path, trial(0, UNSAFE, population="b", size=1), result_of(), worker="gw0")
    run = read_run(folder)
    assert [figures["id"] for figures in run.populations] == ["b", "a"]
    assert len(run.records) == 3


def test_a_population_without_records_is_kept(tmp_path: Path) -> None:
    figures = population_object(
        population_id="p", pytest_nodeid=None, size=1, threshold=1, statuses=[UNDETERMINED]
    )
    assert read_run(run_of(tmp_path, figures)).populations == [figures]


def test_a_size_out_of_all_bounds_costs_nothing(tmp_path: Path) -> None:
    (figures,) = read_run(run_of(tmp_path, trial(0, SAFE, size=10**15))).populations
    assert (figures["executed"], figures["status"]) == (10**15, "undetermined")


def test_a_folder_without_a_journal_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="holds no journal"):
        read_run(tmp_path)


def test_other_files_in_the_folder_are_left_alone(tmp_path: Path) -> None:
    folder = run_of(tmp_path, result_of())
    (folder / "notes.jsonl").write_text("mine")
    (folder / "results.json").write_text("mine")
    assert len(read_run(folder).records) == 1


def test_a_population_cut_short_has_no_verdict() -> None:
    figures = population_object(
        population_id="p", pytest_nodeid=None, size=4, threshold=0.5, statuses=[SAFE, SAFE], cut_short=True
    )
    assert (figures["status"], figures["decided_early"], figures["executed"]) == (None, False, 2)


def test_a_population_that_needed_fewer_trials_was_decided_early() -> None:
    figures = population_object(
        population_id="p", pytest_nodeid=None, size=4, threshold=0.5, statuses=[UNSAFE, UNSAFE, UNSAFE]
    )
    assert (figures["status"], figures["decided_early"]) == ("unsafe", True)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param({"executed": -1}, r"population\.executed: ", id="negative"),
        pytest.param({"size": True}, r"population\.size: ", id="bool"),
        pytest.param({"status": "secure"}, r"population\.status: not one of", id="status"),
        pytest.param({"pass_rate": float("nan")}, r"population\.pass_rate: ", id="nan"),
        pytest.param({"interval": [0.1]}, r"population\.interval: ", id="interval"),
        pytest.param({"id": "\ud800"}, "population: .*surrogates", id="surrogate"),
    ],
)
def test_impossible_figures_are_not_written(change: dict[str, Any], message: str) -> None:
    figures = population_object(population_id="p", pytest_nodeid=None, size=1, threshold=1, statuses=[SAFE])
    encode_population(figures)
    with pytest.raises(SchemaError, match=message):
        encode_population(figures | change)


def test_missing_figures_are_named() -> None:
    with pytest.raises(SchemaError, match=r"^population: object missing required field `pytest_nodeid`"):
        encode_population({"id": "p"})
