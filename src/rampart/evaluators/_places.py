"""Where in a trace something was found, in words that a reader and a program understand.

A place reads like `turn 2 reply[10:24]`, `turn 0 call 1 (send_mail) arguments.to[0:12]`, `turn 0 call 1
(send_mail)`, `turn 3 side effect 0 (http_request) details.url[8:20]`: numbers of turns as recorded, all else
counted from 0, character positions of the text as it is in the trace. `quoted_place` puts what stands there
behind it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rampart.text.oneline import quote
from rampart.text.safe import safe_str
from rampart.text.secrets import redact

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rampart.core.channel import Channel
    from rampart.core.types import Turn

_SHOWN = 80
_NAME = 60
_LARGEST = 10**100  # writing out longer numbers takes long, and Python refuses the longest


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One text of a trace, or a part of it.

    Attributes:
        turn: The recorded number of the turn.
        part: What of the turn: `reply`, `call 0 (name)`, `call 0 (name) arguments.a.b` and the like.
        start: Where the finding begins, in characters; None for the whole.
        end: Behind its last character.
    """

    turn: int
    part: str
    start: int | None = None
    end: int | None = None

    def at(self, start: int, end: int) -> Place:
        """A part of this text."""
        return Place(turn=self.turn, part=self.part, start=start, end=end)

    def __str__(self) -> str:
        """The place in words."""
        span = "" if self.start is None else f"[{self.start}:{self.end}]"
        return f"turn {self.turn} {self.part}{span}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedText:
    """A text of a trace and where it stands."""

    place: Place
    text: str


def reply_place(turn: Turn) -> Place:
    """The reply of a turn."""
    return Place(turn=turn.turn_number, part="reply")


def call_place(turn: Turn, position: int, *, path: str = "") -> Place:
    """A tool call of a turn, or what `path` names of it, such as `arguments.to` or `result`."""
    name = quote(safe_str(turn.response.tool_calls[position].name), _NAME)
    return Place(turn=turn.turn_number, part=f"call {position} ({name}){' ' if path else ''}{path}")


def effect_place(turn: Turn, position: int, *, path: str = "") -> Place:
    """A side effect of a turn, or what `path` names of it, such as `details.url`."""
    kind = quote(safe_str(turn.response.side_effects[position].kind), _NAME)
    return Place(turn=turn.turn_number, part=f"side effect {position} ({kind}){' ' if path else ''}{path}")


def quoted_place(place: Place, text: str) -> str:
    """A piece of evidence: the place and, in quotes, what stands there, on one line, without secrets, cut."""
    return f"{place}: {quote(redact(text), _SHOWN)!r}"


def string_leaves(value: Any, path: str, *, numbers: bool = False) -> Iterator[tuple[str, str]]:
    """Every string in a JSON value with its path, keys of objects included (`path.key` names the value).

    A key that is no plain word is written in brackets, as its repr. Numbers, flags and null are no text.
    What JSON does not have, such as bytes or a path, is the text that it renders as: nothing an agent that
    runs in the same process hands over is passed by. A list or object that stands in several places, or
    holds itself, is looked through in the first one.

    Args:
        value: Any JSON value.
        path: What its root is called.
        numbers: Give whole numbers as text too: a card number is one to JSON.
    """
    pending: list[tuple[Any, str]] = [(value, path)]
    held: dict[int, Any] = {}  # with the values themselves: an id is taken again once its object is gone
    while pending:  # no recursion: values may be nested a thousand deep
        one, here = pending.pop()
        if isinstance(one, Mapping | list | tuple | set | frozenset):
            if id(one) in held:
                continue
            held[id(one)] = one
        if isinstance(one, str):
            yield here, one
        elif one is None or isinstance(one, int | float):
            if numbers and isinstance(one, int) and abs(one) < _LARGEST and not isinstance(one, bool):
                yield here, str(one)
        elif isinstance(one, Mapping):
            items = [(item, _below(here, key)) for key, item in one.items()]
            yield from ((f"{below} (key)", safe_str(key)) for key, (_, below) in zip(one, items, strict=True))
            pending.extend(reversed(items))
        elif isinstance(one, list | tuple | set | frozenset):
            pending.extend(reversed([(item, f"{here}[{index}]") for index, item in enumerate(one)]))
        elif isinstance(one, bytes | bytearray):
            yield here, one.decode("utf-8", errors="replace")
        else:
            yield here, safe_str(one)


def texts_of_turn(turn: Turn, channels: Iterable[Channel], *, numbers: bool = False) -> Iterator[PlacedText]:
    """All texts of a turn in these channels, in the order: calls, reply, side effects.

    What a program rendered for the model counts as text as well: raw arguments, results, errors.

    Args:
        turn: The turn.
        channels: Which texts; those without text give nothing.
        numbers: Give whole numbers in arguments, results and details as text too.
    """
    wanted = set(channels)
    for position, call in enumerate(turn.response.tool_calls):
        if "tool_calls" in wanted:
            for path, text in string_leaves(call.arguments, "arguments", numbers=numbers):
                yield PlacedText(place=call_place(turn, position, path=path), text=text)
            if call.raw_arguments is not None:
                yield PlacedText(
                    place=call_place(turn, position, path="raw_arguments"), text=safe_str(call.raw_arguments)
                )
        if "tool_results" in wanted:
            for path, text in string_leaves(call.result, "result", numbers=numbers):
                yield PlacedText(place=call_place(turn, position, path=path), text=text)
            if call.error is not None:
                yield PlacedText(place=call_place(turn, position, path="error"), text=safe_str(call.error))
    if "replies" in wanted and turn.response.text:
        yield PlacedText(place=reply_place(turn), text=turn.response.text)
    if "side_effects" in wanted:
        for position, effect in enumerate(turn.response.side_effects):
            for path, text in string_leaves(effect.details, "details", numbers=numbers):
                yield PlacedText(place=effect_place(turn, position, path=path), text=text)


def _below(path: str, key: object) -> str:
    text = safe_str(key)
    return f"{path}.{text}" if text.isidentifier() else f"{path}[{quote(text, _NAME)!r}]"
