"""The items of OpenAI's responses: messages, calls of 14 kinds, what became of them, and what is neither.

Format: the `openai` package 3.57, `ResponseOutputItem` and `ResponseInputItem`. Kinds of which it does not
know are read by their form: what ends in `_call` is a call, what ends in `_output` its outcome.
"""

from __future__ import annotations

import re
from typing import Any

from rampart.servers.llm_wire.items import Answered, Asked, Item, OfferedTool, Said
from rampart.servers.llm_wire.plain import (
    content_text,
    content_value,
    error_message,
    mapping,
    mappings,
    some_id,
    text,
)

_BY_PROVIDER = frozenset(
    {
        "web_search_call",
        "file_search_call",
        "code_interpreter_call",
        "image_generation_call",
        "mcp_call",
        "program",
    }
)
_WITH_NAMES = frozenset({"function_call", "custom_tool_call", "mcp_call", "mcp_approval_request"})
_BOOKKEEPING = frozenset(
    {
        "id", "call_id", "type", "status", "name", "namespace", "caller", "created_by", "fingerprint",
        "result", "results", "output", "outputs", "error", "pending_safety_checks", "approval_request_id",
    }
)  # fmt: skip
_RESULTS = ("output", "outputs", "results", "result")
_VERSION = re.compile(r"(_preview)?(_\d{4}_\d{2}_\d{2})?$")


def items_of(listed: object) -> list[Item]:
    """The items of an input or an output."""
    return [one for item in mappings(listed) for one in _read(item)]


def offered_tools(listed: object) -> list[OfferedTool]:
    """The tools of a request, those in namespaces too; a tool of the provider goes by its kind."""
    tools: list[OfferedTool] = []
    named_spaces = [tool for tool in mappings(listed) if tool.get("type") == "namespace"]
    inner = [tool for space in named_spaces for tool in mappings(space.get("tools"))]
    for tool in [*mappings(listed), *inner]:
        kind = text(tool.get("type")) or "function"
        named = kind in {"function", "custom"}
        function = mapping(tool.get("function")) or tool  # some servers take chat completions' form too
        name = text(function.get("name")) if named else _VERSION.sub("", kind)
        if name and kind not in {"mcp", "namespace"}:
            tools.append(
                OfferedTool(
                    name=name,
                    description=text(function.get("description")),
                    schema=function.get("parameters"),
                )
            )
    return tools


def _read(item: dict[str, Any]) -> list[Item]:
    kind = text(item.get("type")) or "message"
    if kind == "message":
        return [Said(role=text(item.get("role")), text=content_text(item.get("content")))]
    if kind == "mcp_approval_response":
        return _refused_approval(item)
    if kind.endswith("_output"):
        return [_outcome(item)]
    if kind in _BY_PROVIDER:
        return _provider_call(kind, item)
    if kind.endswith("_call") or kind == "mcp_approval_request":
        return [_call(kind, item)]
    return []  # reasoning, lists of tools, compaction


def _call(kind: str, item: dict[str, Any]) -> Asked:
    return Asked(
        name=_name(kind, item),
        arguments=_arguments(item),
        id=some_id(item.get("call_id")) or some_id(item.get("id")),
        is_text=kind == "custom_tool_call",
        known=kind not in {"function_call", "custom_tool_call"},
        by_provider=kind in _BY_PROVIDER
        or (kind == "tool_search_call" and item.get("execution") == "server"),
    )


def _provider_call(kind: str, item: dict[str, Any]) -> list[Item]:
    call = _call(kind, item)
    call.replaces = some_id(item.get("approval_request_id"))
    result, error, status = _result(kind, item), item.get("error"), item.get("status")
    if error or status == "failed":
        told = error_message(error) if error else "it failed"
        return [call, Answered(id=call.id, content=told, failed=True)]
    if status in {"completed", "incomplete"} or result is not None:
        return [call, Answered(id=call.id, content=result, failed=False)]
    return [call]


def _outcome(item: dict[str, Any]) -> Answered:
    output = next((item[name] for name in _RESULTS if item.get(name) is not None), None)
    failed = True if item.get("status") == "failed" else None
    return Answered(
        id=some_id(item.get("call_id")) or some_id(item.get("id")),
        content=content_value(output),
        failed=failed,
    )


def _refused_approval(item: dict[str, Any]) -> list[Item]:
    if item.get("approve") is not False:
        return []  # the provider calls the tool, and says what became of it
    reason = text(item.get("reason")) or "it was not approved"
    return [Answered(id=some_id(item.get("approval_request_id")), content=reason, failed=True, refused=True)]


def _name(kind: str, item: dict[str, Any]) -> str:
    name = text(item.get("name")) if kind in _WITH_NAMES else ""
    return name or kind.removesuffix("_call")


def _arguments(item: dict[str, Any]) -> Any:
    for field in ("arguments", "input"):
        if item.get(field) is not None:
            return item[field]
    return {name: value for name, value in item.items() if name not in _BOOKKEEPING and value is not None}


def _result(kind: str, item: dict[str, Any]) -> Any:
    result = next((item[name] for name in _RESULTS if item.get(name) is not None), None)
    if kind == "image_generation_call" and isinstance(result, str):
        return f"an image, {len(result)} characters in base64"
    return content_value(result)
