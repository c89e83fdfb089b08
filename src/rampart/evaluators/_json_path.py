"""JSONPath (RFC 9535) over the arguments of a call, by the library python-jsonpath."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, NamedTuple

from rampart.core.errors import ConfigurationError
from rampart.text.oneline import quote
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from jsonpath import JSONPath

INSTALL = 'ArgumentMatches needs python-jsonpath, which is not installed: pip install "rampart[jsonpath]"'

_FEW_VALUES = 1000
"""So many values are searched on the spot, more of them in a thread."""
_DEEPEST = 5000
_REGEXES = ("match", "search")


class Located(NamedTuple):
    """A value and where it stands, such as `arguments.to[0]`."""

    path: str
    value: Any


class ArgumentPath:
    """A path into the arguments of a call.

    Args:
        text: The path; `$` is the object of all arguments.

    Raises:
        TypeError: If it is no str.
        ValueError: If it is no JSONPath, or uses the functions `match` and `search`, which nothing bounds.
        ConfigurationError: If python-jsonpath is not installed.
    """

    __slots__ = ("_compiled", "text")

    def __init__(self, text: str) -> None:
        given: object = text
        if not isinstance(given, str):
            msg = f"path is of type {type(given).__name__}, expected a JSONPath such as '$.to[0]'"
            raise TypeError(msg)
        self.text = text
        self._compiled = _compile(text)

    async def find_async(self, arguments: Any, /) -> list[Located]:
        """All values that the path selects.

        Raises:
            Exception: What the library refuses values with, nested too deep above all.
        """
        if _is_small(arguments):
            return self._find(arguments)
        return await asyncio.to_thread(self._find, arguments)

    def _find(self, arguments: Any) -> list[Located]:
        return [
            Located("arguments" + "".join(map(_step, one.parts)), one.value)
            for one in self._compiled.finditer(arguments)
        ]


def _compile(text: str) -> JSONPath:
    try:
        import jsonpath  # noqa: PLC0415  # an extra
        from jsonpath.exceptions import JSONPathError  # noqa: PLC0415  # likewise
    except ImportError:
        raise ConfigurationError(INSTALL) from None

    environment = jsonpath.JSONPathEnvironment(strict=True)
    environment.max_recursion_depth = _DEEPEST
    for name in _REGEXES:
        environment.function_extensions.pop(name, None)
    try:
        compiled = environment.compile(text)
    except (JSONPathError, ValueError, RecursionError) as error:
        told = quote(safe_str(error).partition("\n")[0], 200)
        msg = f"path {quote(text, 200)!r} cannot be used: {told}; expected a JSONPath such as '$.to[0]'"
        raise ValueError(msg) from None
    assert isinstance(compiled, jsonpath.JSONPath)  # strict paths are never compound
    return compiled


def _step(part: str | int) -> str:
    if isinstance(part, int):
        return f"[{part}]"
    return f".{part}" if part.isidentifier() else f"[{quote(part, 60)!r}]"


def _is_small(value: Any) -> bool:
    pending, seen = [value], 0
    while pending and seen < _FEW_VALUES:
        one = pending.pop()
        seen += 1
        if isinstance(one, dict):
            pending.extend(one.values())
        elif isinstance(one, list | tuple):
            pending.extend(one[:_FEW_VALUES])
    return not pending
