"""Tool calls in data parts of A2A messages, by the convention of the agent at hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rampart.adapters.framework_library import library
from rampart.adapters.reply import response_of
from rampart.core.types import ToolCall

if TYPE_CHECKING:
    from collections.abc import Callable


def calls_in(data: Any, convention: str | Callable[[Any], Any], *, source: str) -> list[ToolCall]:
    """The calls that a data part reports.

    Args:
        data: The protobuf value.
        convention: The key of the calls, or a function that takes the data and gives them or None.
        source: Who sent it, for messages.

    Raises:
        ReplyError: If what is found there describes no calls.
    """
    plain = _whole(
        library("google.protobuf.json_format", needed_by="A2AAdapter", extra="a2a").MessageToDict(data)
    )
    if isinstance(convention, str):
        found = plain.get(convention) if isinstance(plain, dict) else None
    else:
        found = convention(plain)
    if found is None:
        return []
    listed = [found] if isinstance(found, Mapping | ToolCall) else found
    return response_of({"text": "", "tool_calls": listed}, source=source).tool_calls


def _whole(value: Any) -> Any:
    """Whole numbers as such again, of which protobuf makes floats."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: _whole(item) for key, item in value.items()}
    return [_whole(item) for item in value] if isinstance(value, list) else value
