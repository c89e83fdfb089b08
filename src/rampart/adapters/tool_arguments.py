"""The arguments of a call, by name."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from rampart.adapters.snapshot import plain_key, snapshot
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from collections.abc import Callable

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


class ToolArguments:
    """Finds the names of a tool's arguments.

    Args:
        tool: The tool.
        ignore: Parameters to leave out.
    """

    def __init__(self, tool: Callable[..., Any], *, ignore: frozenset[str]) -> None:
        try:
            self._signature = inspect.signature(tool)
        except (TypeError, ValueError):  # some builtins have none
            self._signature = inspect.signature(_anything)
        parameters = list(self._signature.parameters.values())
        self._ignore = ignore
        if parameters and inspect.isfunction(tool) and parameters[0].name in {"self", "cls"}:
            self._ignore |= {parameters[0].name}  # a method recorded in the body of its class

    def types(self) -> dict[str, str]:
        """The parameters by name, with their annotations as text; a `**` parameter keeps its stars."""
        types: dict[str, str] = {}
        for name, parameter in self._signature.parameters.items():
            if name not in self._ignore:
                stars = "**" if parameter.kind is inspect.Parameter.VAR_KEYWORD else ""
                types[stars + name] = _type_text(parameter.annotation)
        return types

    def named(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[dict[str, Any], bool]:
        """Copies of the arguments that were passed, by name, and whether they fit the signature.

        Defaults are not filled in. Surplus positional arguments are a list under the name of the
        `*args` parameter, surplus keyword arguments stand beside the others.
        """
        try:
            given = self._signature.bind(*args, **kwargs).arguments
        except TypeError:
            return self._as_given(args, kwargs), False
        named: dict[str, Any] = {}
        for name, value in given.items():
            kind = self._signature.parameters[name].kind
            if kind is inspect.Parameter.VAR_KEYWORD:
                for key, item in value.items():
                    # `def f(a, /, **more)` can be given `a` twice.
                    place = named.setdefault(name, {}) if key in given else named
                    place[plain_key(key)] = snapshot(item)
            elif name not in self._ignore:
                named[name] = snapshot(list(value) if kind is inspect.Parameter.VAR_POSITIONAL else value)
        return {name: value for name, value in named.items() if name not in self._ignore}, True

    def _as_given(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """Arguments that do not fit, named as far as they can be."""
        names = [name for name, item in self._signature.parameters.items() if item.kind in _POSITIONAL]
        named = dict(zip(names, args, strict=False))
        if len(args) > len(names):
            named["args"] = list(args[len(names) :])
        named.update(kwargs)
        return {plain_key(name): snapshot(value) for name, value in named.items() if name not in self._ignore}


def _type_text(annotation: object) -> str:
    if annotation is inspect.Parameter.empty:
        return "Any"
    return annotation if isinstance(annotation, str) else safe_str(inspect.formatannotation(annotation))


def _anything(*args: Any, **kwargs: Any) -> None: ...
