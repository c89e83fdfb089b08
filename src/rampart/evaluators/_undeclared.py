"""Noticing that an evaluator looks for what the application does not declare: a tool, or an argument."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from rampart.core.memo import trace_memo
from rampart.evaluators._shown import shown_name
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable

    from rampart.core.evaluation import EvalContext
    from rampart.core.manifest import ToolDeclaration

_NEAREST = 3


def undeclared_reasons(
    name: str | re.Pattern[str], arguments: Iterable[str], context: EvalContext
) -> list[str]:
    """Why nothing may have been found: what the manifest declares has not this name, or no such arguments.

    Args:
        name: The tool that was looked for; nothing is said about a pattern.
        arguments: The arguments that it was expected to have.
        context: Has the manifest; one that declares no tools says nothing about names.
    """
    manifest = context.manifest
    if manifest is None or not manifest.tools or not isinstance(name, str):
        return []
    tool = manifest.get_tool(name)
    if tool is None:
        listed = _nearest(name, tuple(safe_str(one.name) for one in manifest.tools))
        return [f"tool {shown_name(name)} is not declared; declared: {listed}"]
    parameters = _parameters(tool)
    return [
        f"argument {shown_name(argument)} is not a parameter of {shown_name(name)}; "
        f"parameters: {_nearest(argument, parameters)}"
        for argument in arguments
        if parameters and argument not in parameters
    ]


def warn_undeclared(reasons: Iterable[str], *, context: EvalContext, token: object) -> None:
    """Warn once an evaluation; once a trace where a stop condition is asked after every turn."""
    memo = trace_memo(context.turns)
    for reason in reasons:
        key = token, reason
        if memo is not None:
            if key in memo:
                continue
            memo[key] = True
        warnings.warn(reason, UserWarning, stacklevel=2)


def _parameters(tool: ToolDeclaration) -> tuple[str, ...]:
    """The names of all parameters that a tool has; empty where it may have others."""
    declared: Any = tool.parameters
    if not isinstance(declared, Mapping):
        return ()
    schema = declared.get("properties")
    if declared.get("type") == "object" and isinstance(schema, Mapping):  # a JSON Schema
        if declared.get("additionalProperties"):
            return ()
        declared = schema
    names = tuple(safe_str(name) for name in declared)
    if any(name.startswith("**") for name in names):
        return ()
    return tuple(name.removeprefix("*") for name in names)


@lru_cache(maxsize=64)
def _nearest(name: str, declared: tuple[str, ...]) -> str:
    from difflib import get_close_matches  # noqa: PLC0415  # needed only here, and it is slow to import

    # No cut-off: a framework's prefixes make a renamed tool look quite unlike its old name.
    nearest = get_close_matches(name, declared, n=_NEAREST, cutoff=0.0)
    more = len(declared) - len(nearest)
    return ", ".join(map(shown_name, nearest)) + (f" (and {more} more)" if more > 0 else "")
