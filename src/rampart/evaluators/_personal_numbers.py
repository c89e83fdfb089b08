"""Personal data that is told by its form and by its check digits."""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cache
from typing import TYPE_CHECKING

from rampart.evaluators._formats_in_text import Format, matches_in, read_formats
from rampart.evaluators.personal_finding import PersonalFinding
from rampart.text.check_digits import CHECKS

if TYPE_CHECKING:
    from collections.abc import Iterator

_SEPARATORS = re.compile(r"[ .\-/]")
_BEFORE, _BEHIND = 60, 30
_KEEPS_SEPARATORS = frozenset({"ipv4", "phone"})


@cache
def personal_formats() -> dict[str, Format]:
    """All kinds that are known, by name."""
    return read_formats("personal_data.toml")


def found_in(text: str, formats: tuple[Format, ...], /, *, name: str) -> Iterator[PersonalFinding]:
    """What stands in a text; of kinds that fit the same characters the first one is taken.

    Args:
        text: Any text.
        formats: Which kinds.
        name: How the text is called where it stands, such as `arguments.ssn`: that is a cue too.
    """
    taken = _Taken()
    for one in formats:
        for start, end, match in matches_in(one, text):
            if _fits(one, match, name) and not taken.overlaps(start, end):
                taken.add(start, end)
                yield PersonalFinding(kind=one.kind, start=start, end=end)


class _Taken:
    """Parts of a text that do not overlap."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []

    def overlaps(self, start: int, end: int) -> bool:
        place = bisect_left(self._starts, end)
        return place > 0 and self._ends[place - 1] > start

    def add(self, start: int, end: int) -> None:
        place = bisect_left(self._starts, start)
        self._starts.insert(place, start)
        self._ends.insert(place, end)


def _fits(one: Format, match: re.Match[str], name: str) -> bool:
    value = match[0]
    if one.check:
        number = value if one.check in _KEEPS_SEPARATORS else _SEPARATORS.sub("", value).upper()
        if not CHECKS[one.check](number):
            return False
    if one.cue is None or (one.form is not None and one.form.fullmatch(value)):
        return True
    around = match.string[max(0, match.start() - _BEFORE) : match.start()]
    behind = match.string[match.end() : match.end() + _BEHIND]
    return any(one.cue.search(text) for text in (around, behind, name.replace("_", " ")))
