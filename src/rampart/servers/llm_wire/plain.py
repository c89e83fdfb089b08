"""Parts of JSON documents that others wrote, taken for what they are."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rampart.core.types import Usage

if TYPE_CHECKING:
    from collections.abc import Mapping

_TEXT_PARTS = frozenset({"text", "input_text", "output_text"})


def parsed(data: bytes | str) -> Any:
    """A JSON document; None if it is none."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def mapping(value: object) -> dict[str, Any]:
    """An object; an empty one in place of anything else."""
    return value if isinstance(value, dict) else {}


def mappings(value: object) -> list[dict[str, Any]]:
    """The objects of a list."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def text(value: object) -> str:
    """Text; an empty one in place of anything else."""
    return value if isinstance(value, str) else ""


def some_id(value: object) -> str | None:
    """An id; None where there is none, also where a server leaves it empty."""
    return value if isinstance(value, str) and value else None


def content_value(content: object) -> Any:
    """What a message or a result holds: its text if it is text alone, else what stands there."""
    if not isinstance(content, list):
        return content
    parts = mappings(content)
    if len(parts) == len(content) and all(_is_text(part) for part in parts):
        return "".join(part["text"] for part in parts)
    return content


def content_text(content: object) -> str:
    """The text in it."""
    if isinstance(content, str):
        return content
    return "".join(part["text"] for part in mappings(content) if _is_text(part))


def usage(counts: Mapping[str, object]) -> Usage | None:
    """Usage out of counts; None if none of them is a number."""
    known: dict[str, Any] = {
        name: value
        for name, value in counts.items()
        if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
    }
    return Usage(**known, requests=1) if known else None


def error_message(error: object) -> str:
    """What an error says."""
    if isinstance(error, dict):
        return text(error.get("message")) or text(error.get("code")) or text(error.get("type")) or "an error"
    return error if isinstance(error, str) and error else "an error"


def _is_text(part: dict[str, Any]) -> bool:
    return part.get("type") in _TEXT_PARTS and isinstance(part.get("text"), str)
