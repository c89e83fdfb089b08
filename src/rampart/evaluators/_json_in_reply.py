"""The JSON document that a reply is, or holds in a Markdown fence."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rampart.text.oneline import quote

if TYPE_CHECKING:
    from collections.abc import Iterator

_FENCE_LINE = re.compile(r"^ {0,3}(?P<mark>`{3,}+|~{3,}+)(?P<info>[^\n]*)$", re.MULTILINE)
_JSON_LABELS = frozenset({"json", "json5", "jsonc", "application/json"})


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonPart:
    """Where in a reply JSON is expected.

    Attributes:
        text: What should be JSON.
        start: Where it begins in the reply.
        end: Behind its last character.
    """

    text: str
    start: int
    end: int


class NoJsonError(Exception):
    """A reply holds no JSON document, or more than one; the text says which."""


class UnreadableJsonError(Exception):
    """Nobody can say whether a text is JSON: reading it takes more than this program has."""


def whole_reply(reply: str, /) -> JsonPart:
    """All of a reply but the white space around it.

    Raises:
        NoJsonError: If nothing is left.
    """
    text = reply.strip(" \t\r\n")
    if not text:
        msg = "the reply is empty"
        raise NoJsonError(msg)
    start = reply.index(text[0])
    return JsonPart(text=text, start=start, end=start + len(text))


def only_fence(reply: str, /) -> JsonPart:
    """The body of the fence that is labelled as JSON, or without one of the only fence without a label.

    Raises:
        NoJsonError: If there is none, or more than one, so that nobody can say which is meant.
    """
    fences = list(_fences(reply))
    labelled = [part for label, part in fences if label in _JSON_LABELS]
    candidates = labelled or [part for label, part in fences if not label]
    if not candidates:
        msg = "no fence of the reply holds JSON"
        raise NoJsonError(msg)
    if len(candidates) > 1:
        kind = "fences of JSON" if labelled else "fences that may hold JSON"
        msg = f"the reply holds {len(candidates)} {kind}, expected one"
        raise NoJsonError(msg)
    return candidates[0]


def whole_or_fence(reply: str, /) -> JsonPart:
    """What stands in the one fence, as `only_fence` has it, or the whole of a reply without fences.

    JSON itself never has a line that begins like a fence.

    Raises:
        NoJsonError: If there are fences, but not one of JSON; if the reply is empty.
    """
    return only_fence(reply) if _FENCE_LINE.search(reply) else whole_reply(reply)


def read_json(text: str, /) -> Any:
    """Read a JSON document strictly: no NaN, no infinities, and no key twice in an object.

    Raises:
        NoJsonError: If it is none.
        UnreadableJsonError: If it is nested too deeply, or has a number of thousands of digits.
    """
    try:
        return json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        msg = f"no JSON: {error.msg} at character {error.pos}"
        raise NoJsonError(msg) from None
    except RecursionError:
        msg = "the JSON is nested too deeply to be read"
        raise UnreadableJsonError(msg) from None
    except ValueError as error:
        msg = f"the JSON cannot be read: {error}"
        raise UnreadableJsonError(msg) from None


def _fences(reply: str) -> Iterator[tuple[str, JsonPart]]:
    """The fences of a reply with their labels, as CommonMark has them; the last one need not be closed."""
    opened: re.Match[str] | None = None
    for line in _FENCE_LINE.finditer(reply):
        mark, info = line["mark"], line["info"].strip()
        if opened is None:
            opened = None if mark[0] == "`" and "`" in info else line
        elif mark.startswith(opened["mark"]) and not info:
            yield _fence(reply, opened, line.start())
            opened = None
    if opened is not None:
        yield _fence(reply, opened, len(reply))


def _fence(reply: str, opened: re.Match[str], end: int) -> tuple[str, JsonPart]:
    words = opened["info"].split(maxsplit=1)
    start = min(opened.end() + 1, end)
    return (words[0].lower() if words else ""), JsonPart(text=reply[start:end], start=start, end=end)


def _refuse_constant(name: str) -> object:
    msg = f"no JSON: {name} is no JSON value"
    raise NoJsonError(msg)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                msg = f"an object gives the key '{quote(key, 80)}' twice"
                raise NoJsonError(msg)
            seen.add(key)
    return value
