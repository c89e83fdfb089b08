"""Tasks of A2A agents that did not come to their end."""

from __future__ import annotations

from typing import Any

from rampart.text.oneline import quote

_KEYS = ("status_code", "http_status")


class A2ATaskError(Exception):
    """A task failed, or was cancelled by the agent.

    Attributes:
        status_code: The HTTP status of the cause, where the agent told it; None otherwise.
    """

    def __init__(self, state: str, told: str, *, status_code: int | None) -> None:
        self.status_code = status_code
        super().__init__(f"the task ended as {state}" + (f": {quote(told)}" if told else " without a word"))


def status_told(status: Any) -> int | None:
    """The HTTP status in the metadata of a task's last message: what made the agent fail."""
    if status is None or not status.HasField("message"):
        return None
    fields = status.message.metadata.fields
    for key in _KEYS:
        if key in fields and fields[key].HasField("number_value"):
            return int(fields[key].number_value)
    return None
