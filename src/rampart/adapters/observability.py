"""What an adapter over a function may claim to report.

A claim is never higher than what is known: without a declaration it rests on recorded tools, or on
replies that declare it themselves, and each session lowers its own as soon as a call of it may be
missing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rampart.adapters.tool_reach import reaches_recorded_tool
from rampart.core.types import ObservabilityLevel

if TYPE_CHECKING:
    from rampart.adapters.tool_log import ToolLog

_RANK = {
    ObservabilityLevel.RESPONSE_ONLY: 0,
    ObservabilityLevel.TOOL_ONLY: 1,
    ObservabilityLevel.TOOL_AND_SIDE_EFFECTS: 2,
}

METADATA_KEY = "observability"
"""The key of `Response.metadata` under which a reply declares what its turn reports."""


def lower(first: ObservabilityLevel, second: ObservabilityLevel) -> ObservabilityLevel:
    """The lower of two levels."""
    return min(first, second, key=_RANK.__getitem__)


def higher(first: ObservabilityLevel, second: ObservabilityLevel) -> ObservabilityLevel:
    """The higher of two levels."""
    return max(first, second, key=_RANK.__getitem__)


def declared_level(metadata: dict[str, object]) -> ObservabilityLevel | None:
    """The level that a reply declares in its metadata, None without one.

    Raises:
        ValueError: If what stands there is no level.
    """
    value = metadata.get(METADATA_KEY)
    if value is None or isinstance(value, ObservabilityLevel):
        return value
    try:
        return ObservabilityLevel(value)
    except ValueError:
        levels = ", ".join(repr(level.value) for level in ObservabilityLevel)
        msg = f"metadata[{METADATA_KEY!r}] must be an ObservabilityLevel or one of {levels}, got {value!r}"
        raise ValueError(msg) from None


class AdapterObservability:
    """What is known of all sessions of one adapter.

    Args:
        declared: The level that the user declared; None leaves it to what is found.
        roots: The functions in which recorded tools are looked for.
    """

    def __init__(self, *, declared: ObservabilityLevel | None, roots: tuple[object, ...]) -> None:
        self.declared = declared
        self._roots = roots
        self._records_tools: bool | None = None
        self._best_reply = ObservabilityLevel.RESPONSE_ONLY

    @property
    def base(self) -> ObservabilityLevel:
        """The level of a turn whose reply declares nothing."""
        if self.declared is not None:
            return self.declared
        if self._records_tools is None:
            self._records_tools = reaches_recorded_tool(*self._roots)
        return ObservabilityLevel.TOOL_ONLY if self._records_tools else ObservabilityLevel.RESPONSE_ONLY

    @property
    def level(self) -> ObservabilityLevel:
        """The highest level that a session of the adapter may have."""
        base = self.base
        if self.declared is not None:
            return base
        return max(base, self._best_reply, key=_RANK.__getitem__)

    def learn(self, log: ToolLog, reply: ObservabilityLevel | None = None) -> None:
        """Remember what a session showed: a recorded tool of its own, a reply that declares its level."""
        if log.knows_tools:
            self._records_tools = True
        if reply is not None:
            self._best_reply = max(self._best_reply, reply, key=_RANK.__getitem__)


class SessionObservability:
    """What one session reports.

    Args:
        adapter: What is known of the adapter.
        log: The calls of the session's recorded tools.
    """

    def __init__(self, adapter: AdapterObservability, log: ToolLog) -> None:
        self._adapter = adapter
        self._log = log
        self._turns: list[ObservabilityLevel | None] = []

    def note_turn(self, reply: ObservabilityLevel | None) -> None:
        """Note what the reply of a turn declared, None for nothing."""
        self._turns.append(reply)
        self._adapter.learn(self._log, reply)

    @property
    def level(self) -> ObservabilityLevel:
        """The lowest level of its turns; RESPONSE_ONLY while a call is missing from them."""
        if not self._log.reports_all:
            return ObservabilityLevel.RESPONSE_ONLY
        self._adapter.learn(self._log)
        base = self._adapter.base
        level = self._adapter.level
        for reply in self._turns or [None]:
            level = lower(level, base if reply is None else reply)
        return level
