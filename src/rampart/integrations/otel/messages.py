"""Tool calls and their results in the messages that spans record, in whatever shape.

Shapes: parts of type `tool_call` and `tool_call_response` (OpenTelemetry), `tool_calls` beside the content
(OpenAI, LangChain), blocks of type `tool_use` and `tool_result` (Anthropic), `toolUse` and `toolResult`
(Bedrock), `function_call` and `functionCall` (Responses, Gemini).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rampart.integrations.otel.span_facts import AskedCall, first, only_text, opened, parsed, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_DEEPEST = 12
_MOST = 10_000
_ASKED_TYPES = frozenset({"tool_call", "tool_use", "function_call", "function", "server_tool_call"})
_ANSWER_TYPES = frozenset({"tool_call_response", "tool_result", "function_call_output"})
_WRAPPED_ASKS = ("toolUse", "functionCall", "function_call")
_WRAPPED_ANSWERS = ("toolResult", "functionResponse", "function_response")
_IDS = ("id", "call_id", "tool_call_id", "toolUseId", "tool_use_id")
_ANSWER_IDS = ("tool_call_id", "call_id", "tool_use_id", "toolUseId", "id")
_ARGUMENTS = ("arguments", "args", "input")
_RESULTS = ("result", "response", "output", "content")


def asked_in(documents: Iterable[object]) -> list[AskedCall]:
    """The tool calls in messages of a model."""
    asked = []
    for document in documents:
        for entry in _entries(parsed(document)):
            call = _asked(entry)
            if call is not None:
                asked.append(call)
    return asked


def answers_in(documents: Iterable[object]) -> dict[str, Any]:
    """What models were told of calls, by the calls' ids."""
    answers: dict[str, Any] = {}
    for document in documents:
        for entry in _entries(parsed(document)):
            wrapped = next((entry[key] for key in _WRAPPED_ANSWERS if isinstance(entry.get(key), dict)), None)
            answer = wrapped or (entry if _is_answer(entry) else None)
            if answer is not None:
                id_ = text_of(first(answer, _ANSWER_IDS))
                if id_ is not None:
                    answers[id_] = only_text(opened(first(answer, _RESULTS)))
    return answers


def _is_answer(entry: dict[str, Any]) -> bool:
    return entry.get("type") in _ANSWER_TYPES or (
        entry.get("role") == "tool" and text_of(entry.get("tool_call_id")) is not None
    )


def _asked(entry: dict[str, Any]) -> AskedCall | None:
    for key in _WRAPPED_ASKS:
        if isinstance(entry.get(key), dict) and isinstance(entry[key].get("name"), str):
            return _call(entry[key], entry)
    function = entry.get("function")
    if isinstance(function, dict) and isinstance(function.get("name"), str):
        return _call(function, entry) if "arguments" in function or "id" in entry else None
    is_call = entry.get("type") in _ASKED_TYPES or ("args" in entry and "id" in entry)
    return _call(entry, entry) if is_call and isinstance(entry.get("name"), str) else None


def _call(holder: dict[str, Any], entry: dict[str, Any]) -> AskedCall:
    id_ = text_of(first(holder, _IDS)) or text_of(first(entry, _IDS))
    return AskedCall(name=holder["name"], arguments=first(holder, _ARGUMENTS), id=id_)


def _entries(document: object) -> Iterator[dict[str, Any]]:
    """All objects of a document, but for what calls hold: arguments may look like calls."""
    waiting: list[tuple[object, int]] = [(document, 0)]
    seen = 0
    while waiting and seen < _MOST:
        value, depth = waiting.pop(0)
        seen += 1
        if depth > _DEEPEST:
            continue
        if isinstance(value, list):
            waiting[:0] = [(item, depth + 1) for item in value]
        elif isinstance(value, dict):
            yield value
            if _asked(value) is None and not _is_answer(value):
                inner = [item for item in value.values() if isinstance(item, list | dict)]
                waiting[:0] = [(item, depth + 1) for item in inner]
