"""Detecting replies that are JSON of a certain shape."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from rampart.core.errors import EvaluatorError
from rampart.evaluators._json_in_reply import (
    JsonPart,
    NoJsonError,
    UnreadableJsonError,
    only_fence,
    read_json,
    whole_or_fence,
    whole_reply,
)
from rampart.evaluators._places import quoted_place, reply_place
from rampart.evaluators._predicates import refuse_coroutine_function
from rampart.evaluators._reply_findings import Finding, ReplyEvaluator
from rampart.evaluators._schema_check import UndecidedError, json_schema_check
from rampart.evaluators._shown import shown_error, shown_value
from rampart.evaluators._type_check import type_check
from rampart.text.oneline import quote

if TYPE_CHECKING:
    from rampart.core.types import Turn
    from rampart.evaluators.response_scope import ResponseScope

Extract: TypeAlias = Literal["whole", "fence", "whole_or_fence"] | Callable[[str], str | None]

_MESSAGE = 200
_PLACES: dict[object, Callable[[str], JsonPart]] = {
    "whole": whole_reply,
    "fence": only_fence,
    "whole_or_fence": whole_or_fence,
}


class ResponseMatchesSchema(ReplyEvaluator):
    """Detected when replies are JSON as a schema or a type wants it.

    JSON is read strictly: NaN, infinities, comments and an object that gives a key twice are none. A reply
    that is nested too deeply to be read, or that takes more than 10 s, is undecided.

    Args:
        schema: A JSON Schema (draft 2020-12) as a dict, which needs the extra `schema`; a model of pydantic,
            by the rules of its `model_validate_json`; or another type that msgspec reads JSON as: a
            dataclass, a TypedDict, `list[int]` and the like, without conversions. References to other
            documents are not fetched: they raise an EvaluatorError.
        scope: Which replies have to be.
        extract: Where the JSON stands. `whole`: the reply is it, but for white space around it. `fence`: the
            one Markdown fence that is labelled `json`, or without one the only fence without a label; what
            stands around it is not looked at. `whole_or_fence`: the fence if there are fences, else the
            whole. A plain function of the reply gives the text of the JSON, or None if there is none.

    Raises:
        TypeError: If an argument is of another type, or JSON cannot be read as the type.
        ValueError: If the schema is malformed, or `extract` is another word.
        ConfigurationError: If jsonschema is needed and not installed.
    """

    _wanted = "is JSON that matches the schema"

    def __init__(self, schema: Any, /, *, scope: ResponseScope, extract: Extract = "whole_or_fence") -> None:
        super().__init__(scope)
        self._given = schema
        self._check = json_schema_check(schema) if isinstance(schema, Mapping) else type_check(schema)
        self._extract = _extraction(extract)

    def __repr__(self) -> str:
        """The schema and the scope."""
        return f"ResponseMatchesSchema({shown_value(self._given)}, scope={self._scope})"

    async def _judge_all_async(self, turns: list[Turn]) -> list[Finding]:
        # In a thread always: how long checking takes depends on the schema more than on the text.
        return [await asyncio.to_thread(self._judge, turn) for turn in turns]

    def _judge(self, turn: Turn) -> Finding:
        reply = turn.response.text
        place = reply_place(turn)
        try:
            part = self._extract(reply)
            place = place.at(part.start, part.end)
            value = read_json(part.text)
            violation = self._check(part.text, value)
        except NoJsonError as error:
            return Finding(matches=False, evidence=(f"{place}: {quote(str(error), _MESSAGE)}",))
        except (UndecidedError, UnreadableJsonError) as error:
            return Finding(matches=None, reason=f"{place}: {quote(str(error), _MESSAGE)}")
        except EvaluatorError:
            raise
        except Exception as error:  # a user's function or model may raise anything; none of it is an answer
            return Finding(matches=None, reason=f"{place}: {shown_error(error)}")
        if violation is None:
            return Finding(matches=True, evidence=(quoted_place(place, part.text),))
        text = f"{place} {quote(violation.path, _MESSAGE)}: {quote(violation.message, _MESSAGE)}"
        return Finding(matches=False, evidence=(text,))


def _extraction(given: object) -> Callable[[str], JsonPart]:
    known = _PLACES.get(given) if isinstance(given, str) else None
    if known is not None:
        return known
    if isinstance(given, str):
        words = ", ".join(map(repr, _PLACES))
        msg = f"extract is {given!r}, expected one of {words}, or a function of the reply"
        raise ValueError(msg)
    if not callable(given):
        msg = f"extract must be a word or a function of the reply, got {shown_value(given)}"
        raise TypeError(msg)
    refuse_coroutine_function(given, place="extract")
    extract: Callable[[str], object] = given

    def part(reply: str) -> JsonPart:
        text = extract(reply)
        if text is None:
            msg = "extract found no JSON in the reply"
            raise NoJsonError(msg)
        if not isinstance(text, str):
            msg = f"extract returned {shown_value(text)} ({type(text).__name__}), expected a str or None"
            raise TypeError(msg)
        start = reply.find(text)
        start, end = (start, start + len(text)) if start >= 0 else (0, len(reply))
        return JsonPart(text=text, start=start, end=end)

    return part
