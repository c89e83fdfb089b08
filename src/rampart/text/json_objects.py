"""The JSON objects in what a language model wrote."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import Any

from rampart.text.reasoning import REASONING_TAG, reasoning_end

# Whatever happens next in a reply: an object begins, or reasoning begins or ends.
_NEXT = re.compile(rf"(?P<object>\{{\s*+(?=[\"}}]))|{REASONING_TAG.pattern}", re.IGNORECASE)
# Strings are matched whole, so that a comma inside of one is never a trailing comma.
_TRAILING_COMMA = re.compile(r'"(?:[^"\\]|\\.)*+"?|,(?=\s*+[}\]])', re.DOTALL)

# Characters that attempts which came to nothing may read, for each character of the text. An error counts the
# lines before it, which is fast but not free.
_EFFORT = 20
_LEAST_EFFORT = 1_000_000
_LINE_COUNTING = 16
# How much of the text is repaired at first: hardly an object is longer.
_CLOSE_BY = 4096


class _AmbiguousError(ValueError):
    """A key is given twice: which of the two is meant is anybody's guess."""


def json_objects_in(text: str, /) -> list[dict[str, Any]]:
    """The JSON objects that a model's reply holds, in order.

    Prose and Markdown fences around them are passed over, and so are blocks of reasoning (see
    `rampart.text.reasoning`). Objects inside of objects are parts of these. What is no strict JSON is
    read without its trailing commas; what stands in strings is never changed. An object that gives a key
    twice counts as none. NaN and the infinities are read as such, as `json.loads` does.

    The list is empty where nobody can tell which object is the answer: if reasoning is never closed (or a
    model that quotes such a tag would hide its own answer behind it), and if the text takes more than twenty
    times its length to read, as thousands of objects that are never closed do.
    """
    return _Reading(text).objects()


class _Reading:
    """One pass over a text, with the effort that is left for it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._effort = _EFFORT * len(text) + _LEAST_EFFORT
        self._strict = json.JSONDecoder(object_pairs_hook=_object)
        self._lenient = json.JSONDecoder()

    def objects(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        position = 0
        while (event := _NEXT.search(self._text, position)) is not None:
            if event["object"]:
                value, position = self._object_at(event.start())
                if value is not None:
                    found.append(value)
                if self._effort < 0:
                    return []
            elif event["end"]:
                found.clear()  # all that came before was reasoning, whose opening tag was left out
                position = event.end()
            else:
                end = reasoning_end(self._text, event)
                if end is None:
                    return []
                position = end
        return found

    def _object_at(self, start: int) -> tuple[dict[str, Any] | None, int]:
        """The object that begins at `start`, if it is one, and where to go on."""
        try:
            return self._decoded(self._text, start)
        except _UnreadableError as error:
            if not error.may_be_a_comma:
                return None, start + 1
        for end in (start + _CLOSE_BY, len(self._text)):
            repaired = _TRAILING_COMMA.sub(_blank, self._text[start:end])
            self._effort -= len(repaired)
            with suppress(_UnreadableError):
                value, length = self._decoded(repaired, 0)
                return value, start + length
        return None, start + 1

    def _decoded(self, text: str, start: int) -> tuple[dict[str, Any] | None, int]:
        try:
            return self._strict.raw_decode(text, start)
        except _AmbiguousError:
            pass
        except json.JSONDecodeError as error:
            self._effort -= error.pos - start + error.pos // _LINE_COUNTING
            raise _UnreadableError(may_be_a_comma=_follows_a_comma(text, error.pos)) from None
        except (ValueError, RecursionError):  # a number of thousands of digits, thousands of levels
            self._effort -= len(text) - start
            raise _UnreadableError(may_be_a_comma=False) from None
        # Read once more to learn where it ends, so that nothing inside of it is taken for an answer.
        return None, self._lenient.raw_decode(text, start)[1]


class _UnreadableError(Exception):
    def __init__(self, *, may_be_a_comma: bool) -> None:
        super().__init__()
        self.may_be_a_comma = may_be_a_comma


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _AmbiguousError
    return value


def _blank(match: re.Match[str]) -> str:
    return " " if match[0] == "," else match[0]


def _follows_a_comma(text: str, position: int) -> bool:
    """Whether a reader stopped at a comma, or at the bracket behind one; versions of Python differ."""
    return re.compile(r",?\s*+[}\]]").match(text, position) is not None and "," in (
        text[position : position + 1],
        text[:position][-64:].rstrip()[-1:],
    )
