"""What Strands tells of an agent's turn: by hooks, and by what its model streams."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from rampart.adapters.framework_library import library
from rampart.adapters.turn_log import usage_of
from rampart.core.types import Usage

if TYPE_CHECKING:
    from rampart.adapters.turn_log import LoggedCall, TurnLog


class StrandsObserver:
    """Logs one agent's calls; its hooks are added once, and log into the turn of the moment.

    Attributes:
        turn: Where it is logged; None between turns.
    """

    def __init__(self) -> None:
        self.turn: TurnLog | None = None
        self._written: dict[str, str] = {}
        self._open: str | None = None
        self._counted = False

    def attach(self, agent: Any) -> None:
        """Add the hooks to an agent that nobody else uses.

        Raises:
            ConfigurationError: If Strands is not installed.
        """
        hooks = library("strands.hooks", needed_by="StrandsAdapter", extra="strands")
        agent.hooks.add_callback(hooks.MessageAddedEvent, self._message)
        agent.hooks.add_callback(hooks.BeforeToolCallEvent, self._before)
        agent.hooks.add_callback(hooks.AfterToolCallEvent, self._after)
        agent.hooks.add_callback(hooks.BeforeModelCallEvent, self._model_begins)
        agent.hooks.add_callback(hooks.AfterModelCallEvent, self._model_ended)

    def streamed(self, event: object) -> None:
        """Take one event of `stream_async`: the arguments as the model writes them, and what it used."""
        chunk = event.get("event") if isinstance(event, dict) else None
        if not isinstance(chunk, dict):
            return
        if "contentBlockStart" in chunk:
            tool = _at(chunk, "contentBlockStart", "start", "toolUse")
            if isinstance(tool, dict):
                self._open = str(tool.get("toolUseId"))
                self._written[self._open] = ""
        elif "contentBlockDelta" in chunk and self._open is not None:
            text = _at(chunk, "contentBlockDelta", "delta", "toolUse", "input")
            if isinstance(text, str):
                self._written[self._open] += text
        elif "contentBlockStop" in chunk:
            self._open = None
        elif "metadata" in chunk:
            self._used(_at(chunk, "metadata", "usage"))

    def _used(self, usage: object) -> None:
        if not isinstance(usage, dict) or self.turn is None:
            return
        counts = {"input_tokens": usage.get("inputTokens"), "output_tokens": usage.get("outputTokens")}
        counted = usage_of(counts)
        self._counted = self._counted or counted is not None
        self.turn.count(counted)

    def _model_begins(self, _: Any) -> None:
        self._counted = False
        self._written.clear()

    def _model_ended(self, event: Any) -> None:
        if self.turn is not None and event.stop_response is not None and not self._counted:
            self.turn.count(Usage())  # it used something, nobody knows how much

    def _message(self, event: Any) -> None:
        if self.turn is None or event.message.get("role") != "assistant":
            return
        for block in event.message.get("content", []):
            use = block.get("toolUse")
            if use is not None:
                self.turn.asked(use["name"], self._arguments(use), id=use["toolUseId"])

    def _arguments(self, use: Any) -> object:
        """What the model wrote where that is no JSON, of which Strands makes an empty input."""
        given, written = use.get("input"), self._written.get(use["toolUseId"], "")
        with suppress(ValueError):
            json.loads(written)
            return given
        return given if given or not written else written

    def _before(self, event: Any) -> None:
        call = self._entry(event.tool_use)
        if call is not None:
            call.call.timestamp = datetime.now(UTC)

    def _after(self, event: Any) -> None:
        call = self._entry(event.tool_use)
        if call is None or self.turn is None:
            return
        result, error = event.result, event.exception
        content = _content(result)
        if event.cancel_message is not None:
            call.never_ran(f"cancelled: {event.cancel_message}", result=content)
        elif event.selected_tool is None or _refused_arguments(error):
            call.never_ran(str(content), result=content)
        else:
            use = event.tool_use
            call = self.turn.begun(use["name"], use.get("input"), id=use["toolUseId"])
            if error is not None or result.get("status") == "error":
                call.failed(error or str(content), result=content)
            else:
                call.returned(content)

    def _entry(self, use: Any) -> LoggedCall | None:
        """The call without outcome; a new one where a hook has a tool run once more."""
        if self.turn is None:
            return None
        call = self.turn.find(use["toolUseId"])
        if call is None or call.ended:
            call = self.turn.asked(use["name"], use.get("input"), id=use["toolUseId"])
        return call


def _at(value: object, *path: str) -> object:
    for key in path:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


def _content(result: Any) -> object:
    """What the tool returned: the text or JSON of a single block, or else all blocks."""
    blocks = result.get("content") if isinstance(result, dict) else result
    if isinstance(blocks, list) and len(blocks) == 1 and isinstance(blocks[0], dict) and len(blocks[0]) == 1:
        [(kind, value)] = blocks[0].items()
        if kind in {"text", "json"}:
            return value
    return blocks


def _refused_arguments(error: BaseException | None) -> bool:
    """Whether Strands raised it before it called the function, told by where, since tools raise it too."""
    trace = None if error is None else error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return False
    code, module = trace.tb_frame.f_code.co_name, trace.tb_frame.f_globals.get("__name__", "")
    return code == "validate_input" and str(module).startswith("strands.")
