"""Everything that a text says once its encodings are undone, layer after layer.

For looking for something that somebody may have hidden. What is not encoded comes out as noise, most of which
is thrown away because it does not read as text, so only search readings for what cannot occur by chance.
"""

from __future__ import annotations

import codecs
import zlib
from collections import deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rampart.text._compatible import compatible, original_span
from rampart.text._radix import RADICES, text_regions
from rampart.text._unescaping import around_escapes, separated_characters, without_escapes, without_spelling

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rampart.text._radix import DecodedBytes, Radix
    from rampart.text._unescaping import Replaced

_LAYERS = 3
_PER_CHARACTER = 24
_FREE = 2_000_000
_SHORT = 200_000
_MOST_OF_IT = 0.8
_MOST_UNPACKED = 1_000_000
_PACKED = ((b"\x1f\x8b\x08", 31, "gzip"), (b"x\x01", 15, "zlib"), (b"x\x5e", 15, "zlib"),
           (b"x\x9c", 15, "zlib"), (b"x\xda", 15, "zlib"))  # fmt: skip
_REVERSED, _ROT13 = "reversed", "ROT13"


@dataclass(frozen=True, kw_only=True)
class Reading:
    """A text as it reads after some layers were taken off.

    Attributes:
        text: What it says.
        layers: How many were taken off.
    """

    text: str
    layers: int
    _from: Reading | None = None
    _back: Callable[[int, int], tuple[int, int, str]] | None = None
    _turned: str = ""

    def origin(self, start: int, end: int) -> tuple[int, int, str]:
        """Where in the original text this part stands, and in which encodings, the outermost first."""
        names: list[str] = []
        reading = self
        while reading._from is not None and reading._back is not None:
            start, end, name = reading._back(start, end)
            if name:
                names.append(name)
            reading = reading._from
        return start, end, " of ".join(reversed(names))


class Readings:
    """All readings of one text, those with the fewest layers first.

    Args:
        text: Any text.
        least: Decoded bytes count as text where so many plain characters stand in a row.
        layers: How many are taken off at most.
        whole: Also read the text backwards, in ROT13 and as spelled out. Of what is longer than 200,000
            characters only the original is read backwards or in ROT13, and nothing as spelled out.

    Attributes:
        incomplete: Whether readings were left out because there were too many; known at the end.
    """

    def __init__(self, text: str, /, *, least: int, layers: int = _LAYERS, whole: bool = True) -> None:
        self._text = text
        self._least = least
        self._layers = layers
        self._whole = whole
        self.incomplete = False

    def __iter__(self) -> Iterator[Reading]:
        """Each distinct reading, the text as it is first."""
        room = _PER_CHARACTER * len(self._text) + _FREE
        seen: set[str] = set()
        pending = deque([Reading(text=self._text, layers=0)])
        while pending:
            reading = pending.popleft()
            if reading.text in seen:
                continue
            room -= len(reading.text)
            if room < 0:
                self.incomplete = True
                return
            seen.add(reading.text)
            yield reading
            if reading.text.isascii():
                pending.extend(self._below(reading))
            else:  # all else is looked for in plain letters
                pending.appendleft(_in_plain_letters(reading))
                if self._whole and reading.layers < self._layers and not reading._turned:
                    pending.append(_backwards(reading))

    def _below(self, reading: Reading) -> Iterator[Reading]:
        if reading.layers >= self._layers:
            return
        text = reading.text
        near = _near_escapes(reading)
        replaced = without_escapes(near.text)
        if replaced is not None:
            yield _replaced(near, replaced)
        if self._whole and (reading.layers == 0 or len(text) <= _SHORT):
            yield from self._turned(reading)
        for radix in RADICES:
            if radix.applies_to(text):
                for decoded in radix.decoded(text):
                    yield from self._texts_in(decoded, radix, reading)

    def _turned(self, reading: Reading) -> Iterator[Reading]:
        text = reading.text
        spelled = without_spelling(text) if len(text) <= _SHORT else None
        if spelled is not None:
            yield replace(_replaced(reading, spelled), layers=self._layers)  # nobody spells out encoded text
        for row in separated_characters(text):
            yield _child(reading, row[0][::2], _every_second(row.start()))
        if not reading._turned:
            yield _backwards(reading)
        if reading._turned != _ROT13:  # in this order only: both orders give the same
            yield _child(
                reading, codecs.encode(text, "rot13"), lambda start, end: (start, end, _ROT13), _ROT13
            )

    def _texts_in(self, decoded: DecodedBytes, radix: Radix, reading: Reading) -> Iterator[Reading]:
        data, first = decoded

        def back(start: int, end: int, name: str = radix.name) -> tuple[int, int, str]:
            return *radix.span(reading.text, first + 8 * start, first + 8 * end), name

        for begin, stop in text_regions(data, self._least):
            yield _child(reading, *_as_text(data, begin, stop, back))
        for magic, window, name in _PACKED:
            at = data.find(magic)
            while at >= 0:
                text, used = _unpacked(data, at, window)
                if len(text) >= self._least:
                    yield _child(reading, text, _always(back(at, at + used, f"{radix.name} of {name}")))
                at = data.find(magic, at + max(used, 1))


def _every_second(first: int) -> Callable[[int, int], tuple[int, int, str]]:
    return lambda start, end: (first + 2 * start, first + 2 * end - 1, "separated characters")


def _always(span: tuple[int, int, str]) -> Callable[[int, int], tuple[int, int, str]]:
    return lambda _start, _end: span


def _child(
    reading: Reading, text: str, back: Callable[[int, int], tuple[int, int, str]], turned: str = ""
) -> Reading:
    return Reading(text=text, layers=reading.layers + 1, _from=reading, _back=back, _turned=turned)


def _backwards(reading: Reading) -> Reading:
    length = len(reading.text)
    return _child(
        reading, reading.text[::-1], lambda start, end: (length - end, length - start, _REVERSED), _REVERSED
    )


def _replaced(reading: Reading, replaced: Replaced) -> Reading:
    return _child(reading, replaced.text, lambda start, end: replaced.original_span(reading.text, start, end))


def _near_escapes(reading: Reading) -> Reading:
    excerpt = around_escapes(reading.text)
    if len(excerpt.text) > _MOST_OF_IT * len(reading.text):
        return reading

    def back(start: int, end: int) -> tuple[int, int, str]:
        return excerpt.original(start), excerpt.original(end - 1) + 1, ""

    return Reading(
        text=excerpt.text, layers=reading.layers, _from=reading, _back=back, _turned=reading._turned
    )


def _in_plain_letters(reading: Reading) -> Reading:
    made = compatible(reading.text)
    text = made.text.encode("ascii", "ignore").decode("ascii")
    kept = None if len(text) == len(made.text) else made.text

    def back(start: int, end: int) -> tuple[int, int, str]:
        if kept is not None:
            start, end = _nth_ascii(kept, start), _nth_ascii(kept, end - 1) + 1
        start, end = original_span(reading.text, made, start, end)
        plain = reading.text[start:end].isascii()
        return start, end, "" if plain else "other forms of letters, or characters between them"

    return Reading(text=text, layers=reading.layers, _from=reading, _back=back, _turned=reading._turned)


def _nth_ascii(text: str, wanted: int) -> int:
    passed = 0
    for begin in range(0, len(text), 4096):
        count = len(text[begin : begin + 4096].encode("ascii", "ignore"))
        if passed + count > wanted:
            for position in range(begin, len(text)):
                passed += text[position].isascii()
                if passed > wanted:
                    return position
        passed += count
    return len(text) - 1


def _as_text(
    data: bytes, begin: int, stop: int, back: Callable[[int, int], tuple[int, int, str]]
) -> tuple[str, Callable[[int, int], tuple[int, int, str]]]:
    text = data[begin:stop].decode("utf-8", "surrogateescape")
    if text.isascii():
        return text, lambda start, end: back(begin + start, begin + end)

    def size(part: str) -> int:
        return len(part.encode("utf-8", "surrogateescape"))

    return text, lambda start, end: back(begin + size(text[:start]), begin + size(text[:end]))


def _unpacked(data: bytes, at: int, window: int) -> tuple[str, int]:
    """The text of a compressed stream that begins here, up to a million characters, and how long it is."""
    unpacker = zlib.decompressobj(window)
    try:
        unpacked = unpacker.decompress(memoryview(data)[at : at + _MOST_UNPACKED], _MOST_UNPACKED)
    except zlib.error:
        return "", 0
    left = len(unpacker.unused_data) + len(unpacker.unconsumed_tail)
    return unpacked.decode("utf-8", "surrogateescape"), min(len(data) - at, _MOST_UNPACKED) - left
