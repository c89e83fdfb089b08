"""Proof of delivery: did the payload reach the agent?

An attack that never reached the agent proves nothing. What a surface knows by itself counts; without that
the payload is looked for in what the agent is known to have got and said.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from rampart.core.log import log
from rampart.core.result import InjectionRecord
from rampart.core.types import Payload
from rampart.text.residue import letters_and_digits, residues
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rampart.core.injection import InjectionHandle
    from rampart.core.types import Response, Turn

OBSERVED, NOT_OBSERVED, UNKNOWN = "observed", "not_observed", "unknown"

ATTACHMENT = "attachment"
"""The name of the place of a payload that travels with the message."""

_TELLING = 16
"""A line or sentence with so many letters and digits is hardly met by chance."""
_LINE_BREAKS = re.compile(r"[\r\n\v\f\x85\u2028\u2029]+")
_SENTENCE_ENDS = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|[\r\n\v\f\x85\u2028\u2029]+")
_SENTENCES_ACROSS_LINES = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")
_AT_ONCE = 200_000
"""More characters than this are searched in a thread, so that other trials go on meanwhile."""


async def note_deliveries_async(
    entered: Sequence[tuple[InjectionHandle, InjectionRecord]], turns: Sequence[Turn]
) -> None:
    """Write into each record whether its payload reached the agent.

    Args:
        entered: The handles that were entered, with their records.
        turns: The trace.
    """
    open_ones: list[tuple[Payload, InjectionRecord]] = []
    for handle, record in entered:
        known, payload = _own_knowledge(handle)
        if known is not None:
            record.delivery = OBSERVED if known else NOT_OBSERVED
        elif payload is not None:
            open_ones.append((payload, record))
    if not open_ones or not turns:
        return
    evidence = Evidence(turns)
    for payload, record in open_ones:
        seen = await evidence.shows_async(_carried_text(payload))
        record.delivery = OBSERVED if seen else NOT_OBSERVED if evidence.has_tool_results else UNKNOWN


def attachment_records(turns: Iterable[Turn]) -> list[InjectionRecord]:
    """A record for each payload that travelled with a message: what was sent was delivered."""
    return [
        InjectionRecord(payload_id=attachment.id, surface_name=ATTACHMENT, delivery=OBSERVED)
        for turn in turns
        for attachment in turn.request.attachments
    ]


def _carried_text(payload: Payload) -> str:
    """What is looked for: of a whole mail or page, the text for whose sake it was made."""
    carried: object = payload.metadata.get("carried_text")
    return carried if isinstance(carried, str) and carried else payload.content


def _own_knowledge(handle: InjectionHandle) -> tuple[bool | None, Payload | None]:
    """What a handle itself knows of the delivery, and what it planted."""
    try:
        known: object = getattr(handle, "delivered", None)
        payload: object = getattr(handle, "payload", None)
    except Exception:  # a handle that cannot say knows nothing
        log.exception("%s cannot say whether its payload was delivered", type(handle).__name__)
        return None, None
    return (
        known if isinstance(known, bool) else None,
        payload if isinstance(payload, Payload) else None,
    )


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
        if sum(map(len, self._texts)) <= _AT_ONCE:
            return self._shows(content)
        return await asyncio.to_thread(self._shows, content)

    def _shows(self, content: str) -> bool:
        pieces = telling_pieces(content)
        if not pieces:  # nothing but punctuation, or characters that folding removes
            return bool(content) and any(content in text for text in self._texts)
        if self._residues is None:
            self._residues = [residue for text in self._texts for residue in residues(text) if residue]
        return any(piece in residue for residue in self._residues for piece in pieces)


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
    return {piece for piece in pieces if len(piece) >= _TELLING} or set(sorted(pieces, key=len)[-1:])


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
    seen: set[int] = set()
    while pending:
        one = pending.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, bytes | bytearray):
            yield bytes(one).decode("utf-8", "replace")
        elif isinstance(one, Mapping | list | tuple | set | frozenset) and id(one) not in seen:
            seen.add(id(one))
            pending += [*one, *one.values()] if isinstance(one, Mapping) else one
    if not isinstance(value, str | bytes | bytearray):
        yield safe_str(value)
