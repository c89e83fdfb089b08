"""Tools as frameworks describe them to models, made declarations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rampart.core.manifest import ToolDeclaration
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from collections.abc import Mapping


def declared_tool(name: object, *, description: object = "", schema: object = None) -> ToolDeclaration:
    """A declaration out of a name, a description and a JSON Schema of the arguments.

    Args:
        name: The name under which calls are reported.
        description: What the tool does; None counts as empty.
        schema: A JSON Schema of type object; its properties become the parameters, each described by its
            type and, where there is one, its description. Anything else declares no parameters.
    """
    return ToolDeclaration(
        name=safe_str(name),
        description=safe_str(description or "").strip(),
        parameters=_parameters(schema),
    )


def _parameters(schema: object) -> dict[str, Any]:
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(properties, dict):
        return {}
    return {safe_str(name): _described(value) for name, value in properties.items()}


def _described(schema: Mapping[str, object] | object) -> str:
    if not isinstance(schema, dict):
        return ""
    kind, told = _kind(schema), schema.get("description")
    return f"{kind}: {safe_str(told)}" if isinstance(told, str) and told else kind


def _kind(schema: Mapping[str, object]) -> str:
    kind = schema.get("type")
    if isinstance(kind, list):
        return " | ".join(safe_str(one) for one in kind)
    if isinstance(kind, str):
        return kind
    choices = schema.get("anyOf") or schema.get("oneOf")
    if isinstance(choices, list):
        return " | ".join(_kind(one) for one in choices if isinstance(one, dict))
    return "any"
