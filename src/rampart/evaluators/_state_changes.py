"""What is different between two states, place by place."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from rampart.evaluators._equality import same_value
from rampart.evaluators._shown import shown_value
from rampart.evaluators.missing import MISSING
from rampart.text.oneline import quote
from rampart.text.safe import safe_str
from rampart.text.secrets import redact

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rampart.evaluators._path_globs import PathGlobs

_PLACE = 200
_LINE = 80
_LINES = 3

Path: TypeAlias = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A place of a state that holds something else than before.

    Attributes:
        path: The place, such as `orders[0].status` or `notes/todo.txt`; empty for the whole.
        before: What it held; MISSING if it was not there.
        after: What it holds; MISSING if it is not there any more.
    """

    path: str
    before: Any
    after: Any

    def __str__(self) -> str:
        """The place with both values, cut; of a text of several lines those that are different."""
        place = quote(redact(self.path), _PLACE) or "as a whole"
        if self.before is MISSING:
            return f"{place}: added {shown_value(self.after)}"
        if self.after is MISSING:
            return f"{place}: removed, was {shown_value(self.before)}"
        if isinstance(self.before, str) and isinstance(self.after, str):
            lines = _different_lines(self.before, self.after)
            if lines is not None:
                return f"{place}: {lines}"
        return f"{place}: {shown_value(self.before)} became {shown_value(self.after)}"


def changes(before: object, after: object, /, *, path: PathGlobs, ignore: PathGlobs) -> Iterator[Change]:
    """The places that hold different values, in the order of the later state; lists are compared by index.

    Args:
        before: A JSON value.
        after: Another one.
        path: Only these places, if any are named.
        ignore: Not these.

    Raises:
        ValueError: If a list or object holds itself.
    """
    if before is after:
        return
    (old, held), (new, holds) = _leaves(before), _leaves(after)
    for place in [*new, *(one for one in old if one not in new)]:
        if (place, type(new.get(place))) in held or (place, type(old.get(place))) in holds:
            continue  # it was emptied, or filled: what went or came is a change of its own
        was, now = old.get(place, MISSING), new.get(place, MISSING)
        if _same(was, now):
            continue
        shown = _rendered(place)
        if (path and not path.cover(shown)) or (ignore and ignore.cover(shown)):
            continue
        yield Change(path=shown, before=was, after=now)


def _leaves(value: object) -> tuple[dict[Path, Any], set[tuple[Path, type]]]:
    """Every scalar, and every empty list and object, by its place; and where the lists and objects are."""
    leaves: dict[Path, Any] = {}
    holders: set[tuple[Path, type]] = set()
    pending: list[tuple[Path, object]] = [((), value)]
    around: list[object] = []  # the lists and objects that hold the present one, from the outermost
    ids: set[int] = set()
    while pending:  # no recursion: values may be nested a thousand deep
        place, one = pending.pop()
        while len(around) > len(place):
            ids.discard(id(around.pop()))
        if isinstance(one, Mapping | list | tuple) and one:
            if id(one) in ids:
                msg = f"{quote(_rendered(place), _PLACE)} holds what it stands in, which JSON cannot"
                raise ValueError(msg)
            around.append(one)
            ids.add(id(one))
            holders.add((place, type(one)))
        if isinstance(one, Mapping) and one:
            pending.extend(reversed([((*place, safe_str(key)), item) for key, item in one.items()]))
        elif isinstance(one, list | tuple) and one:
            pending.extend(reversed([((*place, index), item) for index, item in enumerate(one)]))
        else:
            leaves[place] = one
    return leaves, holders


def _same(one: object, other: object) -> bool:
    if one is other:
        return True
    if isinstance(one, float) and isinstance(other, float) and math.isnan(one) and math.isnan(other):
        return True
    return one is not MISSING and other is not MISSING and same_value(one, other)


def _rendered(place: Path) -> str:
    text = ""
    for step in place:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            text += f".{step}" if text else step
    return text


def _different_lines(before: str, after: str) -> str | None:
    """The lines that are different, without the ones that two texts have in common at both ends."""
    old, new = before.splitlines(), after.splitlines()
    if len(old) < 2 and len(new) < 2:
        return None
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    gone, come = old[start : len(old) - end], new[start : len(new) - end]
    if not gone and not come:
        return None
    shown = [f"-{_shown(line)}" for line in gone[:_LINES]] + [f"+{_shown(line)}" for line in come[:_LINES]]
    more = max(len(gone) - _LINES, 0) + max(len(come) - _LINES, 0)
    return f"line {start + 1}: {' '.join(shown)}" + (f" and {more} lines more" if more else "")


def _shown(line: str) -> str:
    return repr(quote(redact(line), _LINE))
