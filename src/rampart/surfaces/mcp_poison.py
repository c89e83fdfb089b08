"""Payloads in the answers of MCP servers, as JSON has them."""

from __future__ import annotations

from typing import Any

from rampart.surfaces.tool_result_text import Mode, Path, changed_at, longest_first, with_payload


def poisoned_tool_result(
    result: dict[str, Any], payload: str, *, mode: Mode, at: Path | None, schema: dict[str, Any] | None
) -> tuple[dict[str, Any], str | None]:
    """The result of a call with the payload in its content and in its structured content.

    Args:
        result: The result as the server gave it.
        payload: What is put into it.
        mode: Whether it follows what is there or takes its place.
        at: Where in the structured content; None for the longest string that the schema lets be changed.
        schema: The schema of the structured content, if the tool declares one.

    Returns:
        The new result, and why its structured content is as it was, if it is: clients that read nothing
        else have not got the payload.
    """
    changed = {**result, "content": _content(result.get("content") or [], payload, mode)}
    structured = result.get("structuredContent")
    if structured is None:
        return changed, None
    paths = [at] if at is not None else longest_first(structured)
    for path in paths:
        try:
            candidate = changed_at(structured, path, lambda text: with_payload(text, payload, mode))
        except LookupError as error:
            return changed, f"there is no text at {list(path)!r} of the structured content ({error})"
        if schema is None or _fits(candidate, schema):
            return {**changed, "structuredContent": candidate}, None
    why = "holds no text" if not paths else "has no text that its schema lets be changed"
    return changed, f"the structured content {why}, and only the content blocks carry the payload"


def poisoned_description(
    listing: dict[str, Any], tool: str, payload: str, mode: Mode
) -> dict[str, Any] | None:
    """A page of the list of tools with the payload in one description, None if the tool is not on it."""
    tools = listing.get("tools") or []
    if not any(one.get("name") == tool for one in tools):
        return None
    return {
        **listing,
        "tools": [
            {**one, "description": with_payload(one.get("description") or "", payload, mode)}
            if one.get("name") == tool
            else one
            for one in tools
        ],
    }


def poisoned_resource(result: dict[str, Any], payload: str, mode: Mode) -> dict[str, Any] | None:
    """The contents of a resource with the payload in the first text, None if there is none."""
    contents = list(result.get("contents") or [])
    for position, item in enumerate(contents):
        if isinstance(item.get("text"), str):
            contents[position] = {**item, "text": with_payload(item["text"], payload, mode)}
            return {**result, "contents": contents}
    return None


def poisoned_prompt(result: dict[str, Any], payload: str, mode: Mode) -> dict[str, Any] | None:
    """The messages of a prompt with the payload in the last text, None if there is none."""
    messages = list(result.get("messages") or [])
    for position in reversed(range(len(messages))):
        content = messages[position].get("content")
        if isinstance(content, dict) and isinstance(content.get("text"), str):
            text = with_payload(content["text"], payload, mode)
            messages[position] = {**messages[position], "content": {**content, "text": text}}
            return {**result, "messages": messages}
    return None


def _content(blocks: list[dict[str, Any]], payload: str, mode: Mode) -> list[dict[str, Any]]:
    if mode == "replace":
        return [{"type": "text", "text": payload}]
    blocks = list(blocks)
    for position in reversed(range(len(blocks))):
        if blocks[position].get("type") == "text":
            text = with_payload(blocks[position].get("text") or "", payload, mode)
            blocks[position] = {**blocks[position], "text": text}
            return blocks
    return [*blocks, {"type": "text", "text": payload}]


def _fits(value: Any, schema: dict[str, Any]) -> bool:
    """Whether a value is what the schema asks for; one that cannot be read lets nothing be changed."""
    from jsonschema.validators import validator_for  # noqa: PLC0415  # comes with mcp
    from referencing import Registry  # noqa: PLC0415  # comes with mcp

    try:
        # An empty registry of its own: references to other places are not fetched.
        return bool(validator_for(schema)(schema, registry=Registry()).is_valid(value))
    except Exception:
        return False
