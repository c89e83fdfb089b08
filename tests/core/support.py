"""What the tests of several records share."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any

from rampart.core.result import Result, SafetyStatus
from rampart.core.types import ObservabilityLevel

REQUIRED = "<required>"

SAFE, UNSAFE = SafetyStatus.SAFE, SafetyStatus.UNSAFE
UNDETERMINED, ERROR = SafetyStatus.UNDETERMINED, SafetyStatus.ERROR


def field_table(record: type) -> dict[str, Any]:
    """The fields of a record with their defaults, in order; it must be keyword-only throughout."""
    table: dict[str, Any] = {}
    for item in fields(record):
        assert item.kw_only, f"{record.__name__}.{item.name} can be given by position"
        if item.default_factory is not MISSING:
            table[item.name] = item.default_factory()
        else:
            table[item.name] = REQUIRED if item.default is MISSING else item.default
    return table


def result_of(status: SafetyStatus, **given: Any) -> Result:
    """A result with the least that a result needs."""
    facts: dict[str, Any] = {"summary": "made by hand", "observability_level": ObservabilityLevel.TOOL_ONLY}
    return Result(status=status, **(facts | given))


def results_of(**counts: int) -> list[Result]:
    """Results by verdict, such as `results_of(safe=2, error=1)`."""
    return [result_of(SafetyStatus(value)) for value, count in counts.items() for _ in range(count)]
