"""The unit of the record format: one result with where it came from and what it lost on the way."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from rampart.records.schema import json_schema
from rampart.records.wire import TRACE_SCHEMA_VERSION

if TYPE_CHECKING:
    from rampart.core.result import Result


@dataclass(frozen=True, kw_only=True)
class Loss:
    """One value that could not be kept as it was.

    Attributes:
        path: Where, such as `result.turns[0].response.metadata.started`; empty for the note that
            counts losses which are not listed.
        reason: Why: `non_finite`, `non_string_key`, `not_json`, `cycle`, `depth`, `surrogate`,
            `wrong_type` or `artifact`.
    """

    path: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class ResultRecord:
    """A result as it is written to journals and reports.

    Attributes:
        result: The result; of a prepared or decoded record it holds JSON values only.
        pytest_nodeid: The test that recorded it.
        result_index: Its place among the results of that test, from 0.
        losses: What preparing it changed: the first 100 changes, then one entry that counts the rest.
        truncated: Whether the result was replaced by a marker because it was too big to transport.
    """

    VERSION: ClassVar[str] = TRACE_SCHEMA_VERSION

    result: Result
    pytest_nodeid: str | None = None
    result_index: int | None = None
    losses: list[Loss] = field(default_factory=list)
    truncated: bool = False

    @staticmethod
    def json_schema() -> dict[str, Any]:
        """The JSON Schema (Draft 2020-12) of a serialised record; a fresh dict each time."""
        return json_schema()
