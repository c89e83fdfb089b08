"""Tools of ADK agents: what they declare, and copies of them that tell when they run."""

from __future__ import annotations

import copy
import inspect
from typing import TYPE_CHECKING, Any

from rampart.adapters.declared_tools import declared_tool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rampart.core.manifest import ToolDeclaration

_MARK = "_rampart_watched"


def watched_tool(tool: Any, run: Callable[..., Any]) -> Any:
    """A copy of a tool that runs through `run(tool, args, tool_context)`; the tool itself stays as it is.

    A tool that cannot be copied comes back as it is, unwatched.
    """
    if is_watched(tool):
        return tool

    async def run_async(*, args: dict[str, Any], tool_context: Any) -> Any:
        return await run(tool, args, tool_context)

    try:
        watched = copy.copy(tool)
        watched.run_async = run_async
        setattr(watched, _MARK, True)
    except Exception:  # a class of its own kind: slots, a model that forbids attributes
        return tool
    return watched


def is_watched(tool: object) -> bool:
    """Whether it is such a copy."""
    return getattr(tool, _MARK, False) is True


def refused_arguments(tool: Any, args: dict[str, Any], result: object) -> bool:
    """Whether a tool answered that arguments are missing instead of calling its function."""
    if not isinstance(result, dict) or set(result) != {"error"}:
        return False
    needed = getattr(tool, "_get_mandatory_args", None)
    told = str(result["error"]).startswith(f"Invoking `{tool.name}()` failed")
    return told and needed is not None and any(name not in args for name in needed())


def declared_tools(root: Any) -> list[ToolDeclaration]:
    """The tools of an agent and of its sub-agents, each name once."""
    declared: dict[str, ToolDeclaration] = {}
    for agent in _agents(root, set()):
        for tool in getattr(agent, "tools", None) or []:
            declaration = _declaration(tool)
            if declaration is not None:
                declared.setdefault(declaration.name, declaration)
    return list(declared.values())


def _agents(agent: Any, seen: set[int]) -> Iterator[Any]:
    if id(agent) in seen:
        return
    seen.add(id(agent))
    yield agent
    for sub in getattr(agent, "sub_agents", None) or []:
        yield from _agents(sub, seen)
    for tool in getattr(agent, "tools", None) or []:
        inner = getattr(tool, "agent", None)  # an AgentTool
        if inner is not None and not callable(tool):
            yield from _agents(inner, seen)


def _declaration(tool: Any) -> ToolDeclaration | None:
    if inspect.isfunction(tool) or inspect.ismethod(tool):
        schema = {"properties": {name: _kind(one) for name, one in _parameters(tool).items()}}
        return declared_tool(tool.__name__, description=inspect.getdoc(tool), schema=schema)
    name = getattr(tool, "name", None)
    describe = getattr(tool, "_get_declaration", None)
    if not isinstance(name, str) or describe is None:
        return None  # a toolset, whose tools are known only while it runs
    declaration = describe()
    return declared_tool(name, description=getattr(tool, "description", ""), schema=_schema(declaration))


def _parameters(function: Any) -> dict[str, inspect.Parameter]:
    found = inspect.signature(function).parameters
    return {name: one for name, one in found.items() if name not in {"tool_context", "ctx", "self"}}


def _kind(parameter: inspect.Parameter) -> dict[str, str]:
    kind = parameter.annotation
    names = {str: "string", int: "integer", float: "number", bool: "boolean"}
    if isinstance(kind, type) and kind in names:
        return {"type": names[kind]}
    return {"type": "array"} if getattr(kind, "__origin__", kind) is list else {"type": "object"}


def _schema(declaration: Any) -> object:
    schema = getattr(declaration, "parameters_json_schema", None)
    if schema is not None:
        return schema
    parameters = getattr(declaration, "parameters", None)
    properties = getattr(parameters, "properties", None) or {}
    return {
        "properties": {
            name: {
                "type": str(getattr(one.type, "value", one.type) or "any").lower(),
                "description": one.description,
            }
            for name, one in properties.items()
        }
    }
