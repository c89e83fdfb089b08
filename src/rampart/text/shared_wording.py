"""How much of a text another one repeats word for word."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from rampart.text.fold import fold

if TYPE_CHECKING:
    from collections.abc import Iterator

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
"""Thai, Lao, Burmese, Khmer, Kana and Han, which are written without spaces: each character is a word."""
_MORE_CHARACTERS = 2
"""So many characters say as much as a word."""
_MOST_PLACES = 8
_FEWEST_WORDS = 6
_REMEMBERED = 20_000
_PIECE = 65_536
_LONGEST = 100
"""Characters of a word: what is longer is no word of a prompt, and cut into several."""


class Word(NamedTuple):
    """A word as it is compared, and where it stands."""

    folded: str
    start: int
    end: int


class Run(NamedTuple):
    """Words in a row that a text shares with another: where they stand, and how many they are."""

    start: int
    end: int
    words: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """What a text shares with another.

    Attributes:
        positions: The words of the other that were met in rows, by number.
        runs: The rows, as they stand in the text, the longest first.
    """

    positions: frozenset[int] = frozenset()
    runs: list[Run] = field(default_factory=list)


class Wording:
    """A text whose wording is looked for in others.

    Args:
        text: The text.
        n: Words in a row that count as repeated; of scripts without spaces, twice as many characters.

    Raises:
        ValueError: If it has fewer than six words, which others may say by chance.
    """

    def __init__(self, text: str, /, *, n: int) -> None:
        words = [one.folded for one in words_of(text)]
        if len(words) < _FEWEST_WORDS:
            msg = f"{len(words)} words may be said by chance, expected at least {_FEWEST_WORDS}"
            raise ValueError(msg)
        mostly_unspaced = 2 * sum(_is_unspaced(word) for word in words) > len(words)
        self.scale = _MORE_CHARACTERS if mostly_unspaced else 1
        self.length = len(words)
        self._n = min(n * self.scale, len(words))
        self._vocabulary = frozenset(words)
        self._places: dict[tuple[str, ...], list[int]] = {}
        for place in range(len(words) - self._n + 1):
            known = self._places.setdefault(tuple(words[place : place + self._n]), [])
            if len(known) < _MOST_PLACES:
                known.append(place)

    def overlap(self, text: str, /) -> Overlap:
        """What `text` shares with it."""
        positions: set[int] = set()
        runs: list[Run] = []
        row: list[Word] = []
        for word in words_of(text):
            if word.folded in self._vocabulary:
                row.append(word)
                continue
            self._look_at(row, positions, runs)
            row = []
        self._look_at(row, positions, runs)
        runs.sort(key=lambda run: -run.words)
        return Overlap(positions=frozenset(positions), runs=runs)

    def _look_at(self, row: list[Word], positions: set[int], runs: list[Run]) -> None:
        """Note what a row of words, all of which occur somewhere, shares in the same order."""
        n = self._n
        if len(row) < n:
            return
        folded = [word.folded for word in row]
        began: int | None = None
        follow: set[int] = set()
        for at in range(len(row) - n + 1):
            places = self._places.get(tuple(folded[at : at + n]), [])
            positions.update(number for place in places for number in range(place, place + n))
            goes_on = follow.intersection(places)
            if began is not None and not goes_on:
                runs.append(_run(row, began, at - 1 + n))
                began = None
            if places and began is None:
                began = at
            follow = {place + 1 for place in (goes_on or places)}
        if began is not None:
            runs.append(_run(row, began, len(row)))


def words_of(text: str, /) -> Iterator[Word]:
    """The words of a text, folded; characters of scripts without spaces one by one."""
    known: dict[str, str] = {}
    for match in _matches(text):
        word = match[0]
        folded = known.get(word)
        if folded is None:
            folded = fold(word).replace(" ", "")
            if len(known) < _REMEMBERED:  # hostile text must not fill the memory
                known[word] = folded
        if folded:
            yield Word(folded, match.start(), match.end())


def _matches(text: str) -> Iterator[re.Match[str]]:
    """All words, looked for in pieces: a long text without any must not hold the interpreter for long."""
    passed = 0
    for start in range(0, len(text), _PIECE):
        for match in _words().finditer(text, max(start, passed), start + _PIECE + 2 * _LONGEST):
            if match.start() >= start + _PIECE:
                break  # the next piece has it whole
            passed = match.end()
            yield match


def _run(row: list[Word], begin: int, end: int) -> Run:
    return Run(row[begin].start, row[end - 1].end, end - begin)


def _is_unspaced(word: str) -> bool:
    return len(word) == 1 and _unspaced().match(word) is not None


@cache
def _unspaced() -> re.Pattern[str]:
    return re.compile(f"[{_UNSPACED}]")


@cache
def _words() -> re.Pattern[str]:
    """Letters, digits and what is invisible among them; marks belong to the letter before."""
    from rampart.text._characters import is_ignorable  # noqa: PLC0415  # takes a moment

    inside = "".join(
        chr(code)
        for code in range(0x80, 0x10000)
        if is_ignorable(chr(code)) or unicodedata.category(chr(code)) in ("Mn", "Mc")
    )
    return re.compile(f"[{_UNSPACED}]|(?:[^\\W_{_UNSPACED}][{re.escape(inside)}]*){{1,{_LONGEST}}}")
