"""A run's report as JSON, written piece by piece: one result at a time is in memory twice."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, BinaryIO

import msgspec

from rampart.core.report import TestRunReport
from rampart.core.result import SafetyStatus, status_of
from rampart.records.codec import checked_envelope
from rampart.records.json_values import clean_text, prepare_value
from rampart.records.losses import Losses
from rampart.records.prepare import prepare_record
from rampart.records.record import ResultRecord
from rampart.records.wire import TRACE_SCHEMA_VERSION
from rampart.reporting.plain_result import plain_result

if TYPE_CHECKING:
    from rampart.core.result import Result

_INDENT = 2


def write_report(file: BinaryIO, report: TestRunReport) -> None:
    """Write `report` as indented JSON in UTF-8; what cannot be rendered costs only itself."""
    counted, originals = _countable(report)
    file.write(_indented(_head(report, counted), level=0).removesuffix(b"\n}"))
    file.write(b',\n  "by_harm_category": {')
    for place, (category, results) in enumerate(_by_category(counted).items()):
        file.write(b"," if place else b"")
        file.write(b"\n    " + msgspec.json.encode(category) + b": [")
        for index, result in enumerate(results):
            file.write(b",\n      " if index else b"\n      ")
            file.write(_indented(result_object(originals[id(result)]), level=3))
        file.write(b"\n    ]")
    file.write(b"\n  }\n}\n" if counted.results else b"}\n}\n")


def result_object(result: Result) -> dict[str, Any]:
    """A result as reports show it: its record's body, `safe`, and what its envelope says beside it."""
    record = record_of(result)
    envelope = checked_envelope(record)
    body: dict[str, Any] = envelope.pop("result")
    del envelope["version"]
    return body | {"safe": status_of(record.result) is SafetyStatus.SAFE} | envelope


def record_of(result: Result) -> ResultRecord:
    """The record of a result that carries in its metadata where it was recorded."""
    given: object = getattr(result, "metadata", None)
    metadata = given if isinstance(given, dict) else {}
    record = prepare_record(
        result=result,
        pytest_nodeid=metadata.get("_pytest_nodeid"),
        result_index=metadata.get("_rampart_result_index"),
    )
    if metadata.get("_rampart_transport_truncated") is True:
        return ResultRecord(
            result=record.result,
            pytest_nodeid=record.pytest_nodeid,
            result_index=record.result_index,
            losses=record.losses,
            truncated=True,
        )
    return record


def _countable(report: TestRunReport) -> tuple[TestRunReport, dict[int, Result]]:
    """A report that can be counted and grouped, and its results' originals by identity."""
    plain = [plain_result(result) for result in report.results]
    originals = {id(one): result for one, result in zip(plain, report.results, strict=True)}
    return TestRunReport(results=plain), originals


def _by_category(counted: TestRunReport) -> dict[str, list[Result]]:
    groups: dict[str, list[Result]] = {}
    for category, results in counted.by_harm_category().items():
        groups.setdefault(clean_text(category), []).extend(results)
    return groups


def _head(report: TestRunReport, counted: TestRunReport) -> dict[str, Any]:
    head = {
        "total_runs": report.total_runs,
        "passed": report.passed,
        "failed": report.failed,
        "undetermined": report.undetermined,
        "errors": report.errors,
        "duration_seconds": report.duration_seconds,
        "metadata": report.metadata,
        "population_summary": asdict(counted.population_summary()),
        "populations": report.populations,
    }
    rates = counted.attack_rates()
    if rates is not None:
        head["attack_rates"] = rates.as_json()
    prepared: dict[str, Any] = prepare_value(head, None, "report", Losses())
    return {"record_version": TRACE_SCHEMA_VERSION} | prepared


def _indented(value: object, *, level: int) -> bytes:
    """`value` as JSON whose further lines are indented; no string of JSON holds a raw line break."""
    text = msgspec.json.format(msgspec.json.encode(value), indent=_INDENT)
    return text.replace(b"\n", b"\n" + b" " * (_INDENT * level)) if level else text
