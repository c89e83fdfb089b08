"""Looking for a payload in what an agent got, caused and said, however large and odd that may be."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rampart.core.own_thread import in_own_thread_async
from rampart.text.residue import letters_and_digits, residues
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rampart.core.types import Response, Turn

TELLING = 16
"""A line or sentence with so many letters and digits is hardly met by chance."""
_LINE_BREAKS = re.compile(r"[\r\n\v\f\x85\u2028\u2029]+")
_SENTENCE_ENDS = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|[\r\n\v\f\x85\u2028\u2029]+")
_SENTENCES_ACROSS_LINES = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")
_AT_ONCE = 200_000
"""More characters than this are searched in a thread, so that other trials go on meanwhile."""
_FEW_PIECES = 100
"""So many are looked for one by one; beyond that going through the text once is faster."""
_RENDERED_ITEMS = 200_000
"""So many items are rendered of a structure that repeats its parts: written out, it may be endless."""


class Evidence:
    """What an agent is known to have got from its tools, to have caused and to have said.

    Attributes:
        has_tool_results: Whether any tool result was reported.
    """

    def __init__(self, turns: Sequence[Turn]) -> None:
        responses = [turn.response for turn in turns]
        self.has_tool_results = any(
            call.result is not None for response in responses for call in response.tool_calls
        )
        self._texts = [text for response in responses for text in _texts(response)]
        self._residues: list[str] | None = None

    async def shows_async(self, content: str) -> bool:
        """Whether some telling line or sentence of `content` occurs in it."""
        if len(content) + sum(map(len, self._texts)) <= _AT_ONCE:
            return self._shows(content)
        return await in_own_thread_async(lambda: self._shows(content), name="rampart delivery search")

    def _shows(self, content: str) -> bool:
        pieces = telling_pieces(content)
        if not pieces:  # nothing but punctuation, or characters that folding removes
            return bool(content) and any(content in text for text in self._texts)
        if self._residues is None:
            self._residues = [residue for text in self._texts for residue in residues(text) if residue]
        if len(pieces) <= _FEW_PIECES:
            return any(piece in residue for residue in self._residues for piece in pieces)
        return any(_holds_one(residue, pieces) for residue in self._residues)


def telling_pieces(content: str) -> set[str]:
    """The lines and sentences by which `content` is recognised, letters and digits only.

    Those with at least 16 letters and digits, or the longest one where all are shorter.
    """
    parts = (
        *_LINE_BREAKS.split(content),
        *_SENTENCE_ENDS.split(content),
        *_SENTENCES_ACROSS_LINES.split(content),
    )
    pieces = {letters_and_digits(part) for part in parts} - {""}
    return {piece for piece in pieces if len(piece) >= TELLING} or set(sorted(pieces, key=len)[-1:])


def _holds_one(residue: str, pieces: set[str]) -> bool:
    """Whether one of many pieces occurs in a text; each has at least 16 characters."""
    by_beginning: dict[str, list[str]] = {}
    for piece in pieces:
        by_beginning.setdefault(piece[:TELLING], []).append(piece)
    return any(
        residue.startswith(piece, at)
        for at in range(len(residue) - TELLING + 1)
        for piece in by_beginning.get(residue[at : at + TELLING], ())
    )


def _texts(response: Response) -> Iterator[str]:
    yield response.text
    for call in response.tool_calls:
        if call.result is not None:
            yield from _leaves(call.result)
        if call.error is not None:
            yield call.error
    for effect in response.side_effects:
        yield from _leaves(effect.details)


def _leaves(value: object) -> Iterator[str]:
    """The texts in a structure, its keys among them, and the whole as it is rendered."""
    pending = [value]
    seen: dict[int, object] = {}  # with the objects, whose identities would else be given to others
    shared = False
    while pending:
        one = pending.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, bytes | bytearray):
            yield bytes(one).decode("utf-8", "replace")
        elif isinstance(one, Mapping | list | tuple | set | frozenset):
            shared |= id(one) in seen
            if id(one) not in seen:
                seen[id(one)] = one
                pending += _items(one)
    if isinstance(value, str | bytes | bytearray):
        return
    yield " ".join(_first_items(value)) if shared else safe_str(value)


def _first_items(value: object) -> Iterator[str]:
    """What stands first in a structure, in order."""
    pending = [value]
    for _ in range(_RENDERED_ITEMS):
        if not pending:
            return
        one = pending.pop()
        if isinstance(one, Mapping | list | tuple | set | frozenset):
            pending += reversed(_items(one))
        else:
            yield safe_str(one)


def _items(container: Any) -> list[object]:
    """What a container holds, keys before their values; nothing if it does not say."""
    try:
        if isinstance(container, Mapping):
            return [part for pair in container.items() for part in pair]
        return list(container)
    except Exception:  # somebody else's class, such as a row whose database is closed by now
        return []
