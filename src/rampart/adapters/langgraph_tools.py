"""The tools of a compiled graph, as far as its nodes show them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rampart.adapters.declared_tools import declared_tool

if TYPE_CHECKING:
    from rampart.core.manifest import ToolDeclaration

_DEEPEST = 5


def graph_tools(graph: Any, depth: int = 0) -> dict[str, Any]:
    """The tools of tool nodes, in subgraphs too, by name."""
    found: dict[str, Any] = {}
    if depth > _DEEPEST:
        return found
    for node in (getattr(graph, "nodes", None) or {}).values():
        bound = getattr(node, "bound", node)
        found |= getattr(bound, "tools_by_name", None) or {}
        for subgraph in [bound, *(getattr(node, "subgraphs", None) or [])]:
            if is_graph(subgraph):
                found |= graph_tools(subgraph, depth + 1)
    return found


def has_breakpoints(graph: Any) -> bool:
    """Whether a graph stops before or after some nodes; so may one that runs elsewhere."""
    if not is_graph(graph):
        return True
    return bool(graph.interrupt_before_nodes or graph.interrupt_after_nodes)


def is_graph(value: object) -> bool:
    """Whether it is a compiled graph that runs in this process."""
    return any(
        kind.__name__ == "Pregel" and kind.__module__.partition(".")[0] == "langgraph"
        for kind in type(value).__mro__
    )


def declared(tool: Any) -> ToolDeclaration:
    """What a tool of LangChain says of itself; parameters that the graph fills in are left out."""
    schema: Any = getattr(tool, "tool_call_schema", None)
    if hasattr(schema, "model_json_schema"):
        schema = schema.model_json_schema()
    if not isinstance(schema, dict):
        schema = {"properties": getattr(tool, "args", None)}
    return declared_tool(tool.name, description=getattr(tool, "description", ""), schema=schema)
