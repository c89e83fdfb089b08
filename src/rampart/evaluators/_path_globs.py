"""Choosing places in a state by their paths, in which `*` stands for anything."""

from __future__ import annotations

from collections.abc import Iterable

from rampart.evaluators._shown import shown_value

_BOUNDARIES = (".", "[", "/")


class PathGlobs:
    """Paths, each of which also covers what lies below it.

    Args:
        given: One path or several; None for none.
        what: The name of the argument, for error texts.

    Raises:
        TypeError: If a path is no str.
        ValueError: If a path is blank, or the collection empty.
    """

    __slots__ = ("_globs", "given")

    def __init__(self, given: str | Iterable[str] | None, *, what: str) -> None:
        listed = _listed(given, what)
        self.given = tuple(listed)
        self._globs = [tuple(one.split("*")) for one in listed]

    def __bool__(self) -> bool:
        """Whether there is any."""
        return bool(self._globs)

    def cover(self, path: str, /) -> bool:
        """Whether one of them is the path, or a place above it."""
        return any(_covers(parts, path) for parts in self._globs)


def _listed(given: object, what: str) -> list[str]:
    if given is None:
        return []
    listed: list[object] = [given] if isinstance(given, str) or not isinstance(given, Iterable) else [*given]
    paths: list[str] = []
    for one in listed:
        if not isinstance(one, str):
            msg = f"{what} must be a path or several, got {shown_value(one)} ({type(one).__name__})"
            raise TypeError(msg)
        if not one.strip():
            msg = f"{what} is blank; expected a path such as 'orders[0].status', '*.updated_at' or 'notes/*'"
            raise ValueError(msg)
        paths.append(one)
    if not paths:
        msg = f"{what} is empty; leave it out, or name a path"
        raise ValueError(msg)
    return paths


def _covers(parts: tuple[str, ...], path: str) -> bool:
    """Match greedily from the left, so that it takes no longer than the path is long for each part."""
    if len(parts) == 1:
        return _begins(path, parts[0])
    first, *between, last = parts
    if not path.startswith(first):
        return False
    position = len(first)
    for part in between:
        found = path.find(part, position)
        if found < 0:
            return False
        position = found + len(part)
    if not last:
        return True
    found = path.find(last, position)
    while found >= 0:
        if _ends_or_goes_on(path, found + len(last)):
            return True
        found = path.find(last, found + 1)
    return False


def _begins(path: str, beginning: str) -> bool:
    return path.startswith(beginning) and _ends_or_goes_on(path, len(beginning))


def _ends_or_goes_on(path: str, position: int) -> bool:
    return position >= len(path) or path[position] in _BOUNDARIES or path[position - 1] in _BOUNDARIES
