"""What models of the OpenAI Agents SDK ask for: items, which are objects or dicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rampart.adapters.turn_log import usage_of

if TYPE_CHECKING:
    from rampart.core.types import Usage

LOCAL = frozenset(
    {
        "function_call",
        "custom_tool_call",
        "computer_call",
        "local_shell_call",
        "shell_call",
        "apply_patch_call",
    }
)
_BOOKKEEPING = frozenset(
    {
        "id",
        "call_id",
        "type",
        "status",
        "name",
        "result",
        "results",
        "output",
        "outputs",
        "error",
        "namespace",
    }
)
_RESULTS = ("output", "results", "outputs", "result")


def part(item: Any, name: str) -> Any:
    """A field of an item; None if it has none."""
    return item.get(name) if isinstance(item, dict) else getattr(item, name, None)


def is_call(item: Any) -> bool:
    """Whether an item of a model's reply asks for a tool, or tells of one that the provider ran."""
    kind = part(item, "type")
    return isinstance(kind, str) and (kind.endswith("_call") or kind == "mcp_approval_request")


def call_id(item: Any) -> str | None:
    """The id by which an output refers to the call."""
    found = part(item, "call_id") or part(item, "id")
    return found if isinstance(found, str) else None


def call_name(item: Any) -> str:
    """The tool's name; of a tool of the provider, its kind, such as `web_search`."""
    name = part(item, "name")
    return name if isinstance(name, str) and name else str(part(item, "type")).removesuffix("_call")


def call_arguments(item: Any) -> Any:
    """What it is called with; of a tool of the provider, all that the item says besides the outcome."""
    for field in ("arguments", "input"):
        given = part(item, field)
        if given is not None:
            return given
    dump = getattr(item, "model_dump", None)
    fields = item if isinstance(item, dict) else dump(mode="json") if callable(dump) else {}
    return {name: value for name, value in fields.items() if name not in _BOOKKEEPING and value is not None}


def hosted_result(item: Any) -> Any:
    """What a tool of the provider gave, as far as the item says."""
    return next((part(item, name) for name in _RESULTS if part(item, name) is not None), None)


def response_usage(response: Any) -> Usage | None:
    """What one call of a model used; None where the model did not say, which the SDK counts as 0."""
    usage: Any = getattr(response, "usage", None)
    into, out = getattr(usage, "input_tokens", 0), getattr(usage, "output_tokens", 0)
    if not (into or out):
        return None
    return usage_of(
        {
            "input_tokens": into,
            "output_tokens": out,
            "cached_input_tokens": getattr(usage.input_tokens_details, "cached_tokens", None) or None,
            "reasoning_tokens": getattr(usage.output_tokens_details, "reasoning_tokens", None) or None,
        }
    )
