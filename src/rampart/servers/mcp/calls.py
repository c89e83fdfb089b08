"""What agents called through a proxy."""

from __future__ import annotations

import copy
import threading
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any


@dataclass(kw_only=True)
class McpCall:
    """One call of a tool, as the agent made it and with the result that the agent got.

    Attributes:
        tool: The tool's name.
        arguments: What it was called with.
        content: The content blocks of the result, in the form that the protocol gives them.
        structured_content: The structured result, None where there was none.
        is_error: Whether the tool itself reported a failure; `content` says which.
        error: Why there is no result: an error of the protocol, a server that ended, a cancelled call.
        finished: Whether the call has ended.
        timestamp: When it began, in UTC.
        duration_seconds: How long it took, None while it runs.
    """

    tool: str
    arguments: dict[str, Any] = field(default_factory=dict)
    content: list[dict[str, Any]] = field(default_factory=list)
    structured_content: Any = None
    is_error: bool = False
    error: str | None = None
    finished: bool = False
    timestamp: datetime = field(default_factory=lambda: datetime.now(UTC))
    duration_seconds: float | None = None


class CallLog:
    """Calls in the order in which they were made; safe to read from any thread."""

    def __init__(self) -> None:
        self._calls: list[McpCall] = []
        self._lock = threading.Lock()

    def copies(self) -> list[McpCall]:
        """The calls so far; later changes do not reach these objects."""
        with self._lock:
            return copy.deepcopy(self._calls)

    def add(self, call: McpCall) -> None:
        """Append a call."""
        with self._lock:
            self._calls.append(call)


class RunningCall:
    """A call that has begun, noted in each of several logs."""

    def __init__(self, *, params: dict[str, Any], logs: list[CallLog]) -> None:
        arguments = copy.deepcopy(params.get("arguments") or {})
        self._call = McpCall(tool=str(params.get("name")), arguments=arguments)
        self._began = time.monotonic()
        for log in logs:
            log.add(self._call)

    def returned(self, result: dict[str, Any]) -> None:
        """Note the result that the agent gets."""
        result = copy.deepcopy(result)
        self._call.content = result.get("content") or []
        self._call.structured_content = result.get("structuredContent")
        self._call.is_error = bool(result.get("isError"))
        self._end()

    def failed(self, error: str) -> None:
        """Note why there is no result."""
        self._call.error = error
        self._end()

    def _end(self) -> None:
        self._call.duration_seconds = time.monotonic() - self._began
        self._call.finished = True
