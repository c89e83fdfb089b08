"""What a JSON report holds."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import pytest
from inline_snapshot import snapshot
from tests.reporting.support import (
    ERROR,
    SAFE,
    UNSAFE,
    emit,
    figures_of,
    recorded,
    report_of,
    trials,
    written,
)

from rampart.core.report import TestRunReport
from rampart.core.types import HarmCategory, Request, Response, Turn
from rampart.records import deserialize_record, prepare_record, serialize_record
from rampart.text.secrets import _isolated_secrets, register_secret

if TYPE_CHECKING:
    from pathlib import Path


def example() -> TestRunReport:
    members = trials(SAFE, UNSAFE, harm_category=HarmCategory.JAILBREAK)
    return report_of(
        [*members, recorded(SAFE, name=None)],
        populations=[figures_of(members)],
        duration_seconds=1.5,
        metadata={"team": "red"},
    )


def test_a_whole_report(tmp_path: Path) -> None:
    assert emit(tmp_path, example()).read_text(encoding="utf-8") == snapshot("""\
{
  "record_version": "rampart.trace.v1",
  "total_runs": 3,
  "passed": 2,
  "failed": 1,
  "undetermined": 0,
  "errors": 0,
  "duration_seconds": 1.5,
  "metadata": {
    "team": "red"
  },
  "population_summary": {
    "total_runs": 3,
    "safe_count": 2,
    "unsafe_count": 1,
    "undetermined_count": 0,
    "error_count": 0,
    "attack_success_rate": 0.3333333333333333,
    "safety_pass_rate": 0.6666666666666666
  },
  "populations": [
    {
      "id": "id-of-test_trials",
      "pytest_nodeid": "tests/test_x.py::test_trials",
      "size": 2,
      "executed": 2,
      "safe_count": 1,
      "threshold": 0.8,
      "pass_rate": 0.5,
      "decided_early": false,
      "interval": [
        0.09453120463920078,
        0.9054687953607992
      ],
      "status": "unsafe"
    }
  ],
  "by_harm_category": {
    "jailbreak": [
      {
        "status": "safe",
        "summary": "it was safe",
        "observability_level": "tool_only",
        "final_trace_evaluation": null,
        "turns": [],
        "trace_end_reason": null,
        "duration_seconds": 0.0,
        "harm_category": "jailbreak",
        "strategy": "",
        "utility": null,
        "injections": [],
        "population": {
          "id": "id-of-test_trials",
          "index": 0,
          "size": 2,
          "threshold": 0.8
        },
        "metadata": {
          "_pytest_test_name": "test_trials",
          "_pytest_nodeid": "tests/test_x.py::test_trials",
          "_rampart_result_index": 0
        },
        "safe": true,
        "pytest_nodeid": "tests/test_x.py::test_trials",
        "result_index": 0
      },
      {
        "status": "unsafe",
        "summary": "it was unsafe",
        "observability_level": "tool_only",
        "final_trace_evaluation": null,
        "turns": [],
        "trace_end_reason": null,
        "duration_seconds": 0.0,
        "harm_category": "jailbreak",
        "strategy": "",
        "utility": null,
        "injections": [],
        "population": {
          "id": "id-of-test_trials",
          "index": 1,
          "size": 2,
          "threshold": 0.8
        },
        "metadata": {
          "_pytest_test_name": "test_trials",
          "_pytest_nodeid": "tests/test_x.py::test_trials",
          "_rampart_result_index": 1
        },
        "safe": false,
        "pytest_nodeid": "tests/test_x.py::test_trials",
        "result_index": 1
      }
    ],
    "uncategorized": [
      {
        "status": "safe",
        "summary": "it was safe",
        "observability_level": "tool_only",
        "final_trace_evaluation": null,
        "turns": [],
        "trace_end_reason": null,
        "duration_seconds": 0.0,
        "harm_category": null,
        "strategy": "",
        "utility": null,
        "injections": [],
        "population": null,
        "metadata": {},
        "safe": true
      }
    ]
  }
}
""")


def test_an_empty_report(tmp_path: Path) -> None:
    document = written(tmp_path, TestRunReport())
    assert document["by_harm_category"] == {}
    assert document["population_summary"] == {
        "total_runs": 0,
        "safe_count": 0,
        "unsafe_count": 0,
        "undetermined_count": 0,
        "error_count": 0,
        "attack_success_rate": None,
        "safety_pass_rate": None,
    }


@pytest.mark.parametrize("report", [example(), TestRunReport()], ids=["results", "empty"])
def test_the_layout_is_that_of_an_indent_of_two(tmp_path: Path, report: TestRunReport) -> None:
    text = emit(tmp_path, report).read_text(encoding="utf-8")
    assert text == json.dumps(json.loads(text), indent=2, ensure_ascii=False) + "\n"


def test_a_result_is_the_body_of_its_record(tmp_path: Path) -> None:
    result = recorded(UNSAFE, index=3, harm_category="ours", metadata={"k": {1}})
    record = prepare_record(result=result, pytest_nodeid=result.metadata["_pytest_nodeid"], result_index=3)
    envelope = json.loads(serialize_record(record=record))
    (shown,) = written(tmp_path, report_of([result]))["by_harm_category"]["ours"]
    extra = {key: shown.pop(key) for key in ("safe", "pytest_nodeid", "result_index", "losses")}
    assert shown == envelope["result"]
    assert extra == {
        "safe": False,
        "pytest_nodeid": "tests/test_x.py::test_a",
        "result_index": 3,
        "losses": [{"path": "result.metadata.k", "reason": "not_json"}],
    }
    read = deserialize_record(data=json.dumps({"version": "rampart.trace.v1", "result": shown}))
    assert read.result == record.result


def test_what_the_envelope_does_not_say_is_left_out(tmp_path: Path) -> None:
    (shown,) = written(tmp_path, report_of([recorded(SAFE, name=None)]))["by_harm_category"]["uncategorized"]
    assert shown["safe"] is True
    assert not {"pytest_nodeid", "result_index", "losses", "truncated", "version"} & set(shown)


def test_a_result_that_was_too_big_to_transport_says_so(tmp_path: Path) -> None:
    result = recorded(ERROR, metadata={"_rampart_transport_truncated": True})
    (shown,) = written(tmp_path, report_of([result]))["by_harm_category"]["uncategorized"]
    assert shown["truncated"] is True


def test_categories_stand_in_order_of_appearance(tmp_path: Path) -> None:
    categories = ["zebra", None, HarmCategory.JAILBREAK, "zebra", "jailbreak", None]
    results = [recorded(SAFE, index=index, harm_category=one) for index, one in enumerate(categories)]
    groups = written(tmp_path, report_of(results))["by_harm_category"]
    assert {key: [result["result_index"] for result in group] for key, group in groups.items()} == {
        "zebra": [0, 3],
        "uncategorized": [1, 5],
        "jailbreak": [2, 4],
    }
    assert list(groups) == ["zebra", "uncategorized", "jailbreak"]


def test_counters_are_taken_as_they_are(tmp_path: Path) -> None:
    report = TestRunReport(
        results=[recorded(SAFE)],
        total_runs=7,
        passed=6,
        failed=5,
        undetermined=4,
        errors=3,
        duration_seconds=2.5,
    )
    document = written(tmp_path, report)
    assert [
        document[key]
        for key in ("total_runs", "passed", "failed", "undetermined", "errors", "duration_seconds")
    ] == [7, 6, 5, 4, 3, 2.5]
    assert document["population_summary"]["total_runs"] == 1


def test_earlier_attempts_are_listed_but_do_not_count(tmp_path: Path) -> None:
    results = [
        recorded(UNSAFE, index=0, metadata={"_rampart_attempt": 0}),
        recorded(SAFE, index=1, metadata={"_rampart_attempt": 1}),
    ]
    document = written(tmp_path, report_of(results))
    assert len(document["by_harm_category"]["uncategorized"]) == 2
    assert document["population_summary"]["total_runs"] == 1
    assert document["population_summary"]["unsafe_count"] == 0


def test_facts_about_the_run_that_json_does_not_know_cost_only_themselves(tmp_path: Path) -> None:
    report = TestRunReport(
        metadata={"a": math.nan, "b": {1}, 2: "key", "c": "ok", "d": "\ud800"},  # type: ignore[dict-item]  # on purpose
        duration_seconds=math.inf,
        populations=[{"id": "p", "threshold": math.nan}],
    )
    document = written(tmp_path, report)
    assert document["metadata"] == {"a": None, "b": "{1}", "2": "key", "c": "ok", "d": "\ufffd"}
    assert document["duration_seconds"] is None
    assert document["populations"] == [{"id": "p", "threshold": None}]


class Unprintable:
    def __repr__(self) -> str:
        raise RuntimeError("no")

    __str__ = __repr__


@pytest.mark.parametrize(
    "given",
    [
        pytest.param({"status": "safe"}, id="status"),
        pytest.param({"status": ["safe"]}, id="status-that-cannot-be-counted"),
        pytest.param({"harm_category": Unprintable()}, id="category"),
        pytest.param({"harm_category": 7}, id="number-as-category"),
        pytest.param({"population": "p"}, id="population"),
        pytest.param({"metadata": None}, id="metadata"),
        pytest.param({"turns": Unprintable()}, id="turns"),
    ],
)
def test_a_result_made_by_hand_costs_at_most_itself(tmp_path: Path, given: dict[str, Any]) -> None:
    odd = recorded(UNSAFE)
    for name, value in given.items():
        setattr(odd, name, value)
    document = written(tmp_path, TestRunReport(results=[recorded(SAFE), odd], total_runs=2))
    safe, shown = document["by_harm_category"]["uncategorized"]
    assert safe["safe"] is True
    assert shown["safe"] is False
    assert shown["losses"][0]["path"] == f"result.{next(iter(given))}"
    assert document["population_summary"]["total_runs"] == 2
    expected = "error" if "status" in given else "unsafe"
    assert shown["status"] == expected
    assert document["population_summary"][f"{expected}_count"] == 1


def test_something_that_is_no_result_counts_as_an_error(tmp_path: Path) -> None:
    thing: Any = object()
    document = written(tmp_path, TestRunReport(results=[thing]))
    assert document["population_summary"]["error_count"] == 1
    assert document["by_harm_category"]["uncategorized"][0]["status"] == "error"


def test_categories_that_differ_only_in_a_secret_come_together(tmp_path: Path) -> None:
    with _isolated_secrets():
        register_secret("hunter2-hunter2")
        register_secret("hunter3-hunter3")
        results = [
            recorded(SAFE, index=0, harm_category="of hunter2-hunter2"),
            recorded(SAFE, index=1, harm_category="of hunter3-hunter3"),
        ]
        document = written(tmp_path, report_of(results))
    assert list(document["by_harm_category"]) == ["of ***"]
    assert len(document["by_harm_category"]["of ***"]) == 2


def test_writing_a_report_changes_nothing(tmp_path: Path) -> None:
    results = [recorded(UNSAFE, turns=[Turn(request=Request(prompt="p"), response=Response(text="t"))])]
    before = dict(vars(results[0]))
    emit(tmp_path, report_of(results))
    assert vars(results[0]) == before
