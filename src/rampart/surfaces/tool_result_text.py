"""Putting a payload into what a tool returned, with its shape kept."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal

Mode = Literal["append", "replace"]
Path = tuple[str | int, ...]

MODES = ("append", "replace")


def checked_mode(mode: object) -> Mode:
    """Give `mode` back.

    Raises:
        ValueError: If it is no mode.
    """
    if mode == "append" or mode == "replace":  # noqa: PLR1714  # type checkers narrow by this form alone
        return mode
    msg = f"mode is 'append' or 'replace', got {mode!r}"
    raise ValueError(msg)


def checked_path(at: object) -> Path | None:
    """Give `at` back as a tuple.

    Raises:
        TypeError: If it is no list of keys and positions.
    """
    if at is None:
        return None
    if isinstance(at, str):
        return (at,)
    parts = tuple(at) if isinstance(at, Sequence) else ()
    if not parts or not all(isinstance(part, str | int) for part in parts):
        msg = f"at is a key, or a list of keys and positions such as ['items', 0, 'text'], got {at!r}"
        raise TypeError(msg)
    return parts


def with_payload(text: str, payload: str, mode: Mode) -> str:
    """The text with the payload after it, or the payload alone."""
    return payload if mode == "replace" or not text else f"{text}\n\n{payload}"


def texts_in(value: Any, at: Path = ()) -> Iterator[tuple[Path, str]]:
    """Every string in a value as JSON has them, with the path to it; keys are left out."""
    if isinstance(value, str):
        yield at, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from texts_in(item, (*at, key))
    elif isinstance(value, list | tuple):
        for position, item in enumerate(value):
            yield from texts_in(item, (*at, position))


def changed_at(value: Any, path: Path, change: Callable[[str], str]) -> Any:
    """A copy of the value in which the string at `path` is another one.

    Raises:
        LookupError: If there is nothing at `path`, or no string.
    """
    if not path:
        if not isinstance(value, str):
            msg = f"found {type(value).__name__} instead of text"
            raise LookupError(msg)
        return change(value)
    first, *rest = path
    try:
        changed = changed_at(value[first], tuple(rest), change)
    except TypeError:
        msg = f"found {type(value).__name__} where {first!r} should be looked up"
        raise LookupError(msg) from None
    return _with_item(value, first, changed)


def _with_item(value: Any, key: Any, item: Any) -> Any:
    """A copy with another item, of the same type where that can be kept."""
    if isinstance(value, tuple):
        items = list(value)
        items[key] = item
        return type(value)._make(items) if hasattr(value, "_make") else tuple(items)
    copied: Any = dict(value) if isinstance(value, Mapping) else list(value)
    if isinstance(value, dict | list) and type(value) not in {dict, list}:  # agents may use what it can do
        with suppress(Exception):
            copied = copy.copy(value)
    copied[key] = item
    return copied


def longest_first(value: Any) -> list[Path]:
    """The paths to all strings of a value, the longest string first: that is where the prose is."""
    found = sorted(texts_in(value), key=lambda one: len(one[1]), reverse=True)
    return [path for path, _ in found]


def poisoned(value: Any, payload: str, *, mode: Mode, at: Path | None) -> Any:
    """A tool's result with the payload in it: a string, or a structure of the same shape.

    Args:
        value: What the tool returned.
        payload: What is put into it.
        mode: Whether the payload follows the text that is there, or takes its place.
        at: Where in a structure; None for the longest string in it.

    Raises:
        LookupError: If there is no text there.
    """
    if at is None:
        paths = longest_first(value)
        if not paths:
            msg = f"there is no text in it: the tool returned {type(value).__name__}"
            raise LookupError(msg)
        at = paths[0]
    try:
        return changed_at(value, at, lambda text: with_payload(text, payload, mode))
    except LookupError as error:
        msg = f"nothing to change at {list(at)!r} of the result: {_said(error)}"
        raise LookupError(msg) from None


def _said(error: LookupError) -> str:
    return f"no {error}" if isinstance(error, KeyError | IndexError) else str(error)
