"""What messages of LangChain say: their text, what models used, and results of tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rampart.adapters.turn_log import usage_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rampart.core.types import Usage

_DEEPEST = 4


def message_text(message: Any) -> str:
    """The text of a message, without what models think and without calls."""
    content = getattr(message, "content", None)
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "".join(part if isinstance(part, str) else _block_text(part) for part in parts)


def _block_text(block: object) -> str:
    if isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str):
        return str(block["text"])
    return ""


def message_usage(message: Any) -> Usage | None:
    """What the call of the model that wrote a message used; None if the model does not say."""
    counts = getattr(message, "usage_metadata", None)
    if not isinstance(counts, dict):
        return None
    into = counts.get("input_token_details") or {}
    out = counts.get("output_token_details") or {}
    return usage_of(
        {
            "input_tokens": counts.get("input_tokens"),
            "cached_input_tokens": into.get("cache_read"),
            "output_tokens": counts.get("output_tokens"),
            "reasoning_tokens": out.get("reasoning"),
        }
    )


def server_blocks(message: Any) -> list[dict[str, Any]]:
    """Calls of tools that the model's provider ran itself, and their results, in LangChain's common form."""
    if not isinstance(getattr(message, "content", None), list):
        return []
    blocks = getattr(message, "content_blocks", None)
    return [block for block in blocks or [] if isinstance(block, dict)]


def tool_messages(given: object, depth: int = 0) -> Iterator[Any]:
    """The results of tools in what a node hands on: a state, messages, commands, or a list of these."""
    if depth > _DEEPEST:
        return
    if getattr(given, "type", None) == "tool" and hasattr(given, "tool_call_id"):
        yield given
    elif isinstance(given, dict):
        for value in list(given.values()):
            yield from tool_messages(value, depth + 1)
    elif isinstance(given, list | tuple):
        for value in list(given):
            yield from tool_messages(value, depth + 1)
    elif type(given).__name__ == "Command":
        yield from tool_messages(getattr(given, "update", None), depth + 1)
