"""What LangChain's callbacks tell of one turn, wherever in a graph it happens."""

from __future__ import annotations

import threading
from functools import cache
from typing import TYPE_CHECKING, Any

from rampart.adapters.framework_library import library
from rampart.adapters.langgraph_messages import message_text, message_usage, server_blocks, tool_messages
from rampart.core.types import Usage
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from collections.abc import Container

    from rampart.adapters.turn_log import LoggedCall, TurnLog

_VALIDATION = "_to_args_and_kwargs"
_PAUSED = "waits for an answer to an interrupt that the tool raised"


class LangGraphObserver:
    """Logs one turn; its methods are those of LangChain's callback handlers, called in any thread.

    Requests come from the messages of models, runs from the tools themselves, and what was told to the model
    about a call that never became a run from the outputs of nodes.

    Args:
        turn: Where it is logged.
        lenient: Names of tools that turn arguments they refuse into a result.
    """

    run_inline = True  # in order, and done before the next thing happens
    raise_error = True  # an event that cannot be logged must not vanish

    def __init__(self, turn: TurnLog, *, lenient: Container[str] = ()) -> None:
        self.saw_models = False
        self.saw_pause = False
        self.saw_tools = False
        self._turn = turn
        self._lenient = lenient
        self._lock = threading.RLock()
        self._running: dict[Any, LoggedCall] = {}
        self._models: dict[Any, int] = {}  # run -> how many began before it
        self._messages: list[tuple[int, Any]] = []  # what was heard of which of them
        self._usage_known = True

    def on_chat_model_start(self, serialized: Any, messages: Any, *, run_id: Any, **_more: Any) -> None:
        """Note that a model is asked."""
        with self._lock:
            self.saw_models = True
            self._models[run_id] = len(self._models)

    def on_llm_start(self, serialized: Any, prompts: Any, *, run_id: Any, **more: Any) -> None:
        """The same for a model without messages."""
        self.on_chat_model_start(serialized, prompts, run_id=run_id, **more)

    def on_llm_end(self, response: Any, *, run_id: Any, **_more: Any) -> None:
        """Log what the model asks for; what a model hands on of one inside it is not asked for again."""
        with self._lock:
            began = self._models.get(run_id, 0)
            for generations in getattr(response, "generations", None) or []:
                for generation in generations[:1]:
                    message = getattr(generation, "message", None)
                    inside = [heard for start, heard in self._messages if start > began]
                    if not any(_is_same(message, heard) for heard in inside):
                        self._heard(message)
                    self._messages.append((began, message))

    def on_llm_error(self, error: BaseException, *, run_id: Any, **_more: Any) -> None:
        """What a failed call used is not known."""

    def on_tool_start(self, serialized: Any, input_str: str, *, run_id: Any, **more: Any) -> None:
        """Log that a tool runs."""
        self.saw_tools = True
        name = (serialized or {}).get("name") or more.get("name") or "unnamed"
        inputs = more.get("inputs")
        given = input_str if inputs is None else inputs
        with self._lock:
            self._running[run_id] = self._turn.begun(name, given, id=more.get("tool_call_id"))

    def on_tool_end(self, output: Any, *, run_id: Any, **_more: Any) -> None:
        """Log what it returned, or that it says to have failed."""
        call = self._running.pop(run_id, None)
        if call is None:
            return
        if getattr(output, "status", None) == "error" and hasattr(output, "tool_call_id"):
            told = message_text(output)
            if call.call.name in self._lenient:  # it may have been the arguments
                call.undo_begin()
                call.unclear(told, result=told)
            else:
                call.failed(told, result=told)
            return
        call.returned(_result(output))

    def on_tool_error(self, error: BaseException, *, run_id: Any, **_more: Any) -> None:
        """Log why it failed, that its arguments were refused, or that it waits."""
        call = self._running.pop(run_id, None)
        if call is None:
            return
        kinds = {kind.__name__ for kind in type(error).__mro__}
        if "GraphInterrupt" in kinds:
            call.undo_begin()  # nobody knows what it did before it paused
            call.unclear(_PAUSED)
        elif "GraphBubbleUp" in kinds:  # a command to another graph
            call.returned(None)
        elif _refused_arguments(error):
            call.undo_begin()
            call.never_ran(f"{type(error).__name__}: {safe_str(error)}")
        else:
            call.failed(error)

    def on_chain_error(self, error: BaseException, *, run_id: Any, **_more: Any) -> None:
        """Note that a node paused: for an answer, or at a breakpoint of a graph that it called."""
        if any(kind.__name__ == "GraphInterrupt" for kind in type(error).__mro__):
            self.saw_pause = True

    def on_chain_end(self, outputs: Any, *, run_id: Any, **_more: Any) -> None:
        """Log what models are told about calls, whether or not these became runs."""
        with self._lock:
            if all(call.call.result is not None for call in self._turn.calls):
                return
            for message in tool_messages(outputs):
                self._told(message)

    def _told(self, message: Any) -> None:
        told = message_text(message)
        same = [call for call in self._turn.calls if call.call.id == message.tool_call_id]
        if any(call.ended and _shows(call.call.result, told) for call in same):
            return  # known from the tool itself; agents that work side by side may use an id twice
        call = self._turn.find(message.tool_call_id)
        if call is None or call.call.result is not None:
            return
        if any(call is running for running in list(self._running.values())):
            return
        if call.ended:
            call.returned(told) if call.call.executed else call.never_ran(result=told)
        elif getattr(message, "status", None) == "error":
            call.never_ran(told, result=told)
        else:  # by a node that runs no tools, or not in the way that LangChain would tell
            call.unclear(None, result=told)

    def _heard(self, message: Any) -> None:
        usage = message_usage(message)
        if usage is None and self._usage_known:
            self._usage_known = False
            if self._turn.counted:
                self._turn.count(Usage())
        elif self._usage_known:
            self._turn.count(usage)
        for call in getattr(message, "tool_calls", None) or []:
            self._turn.asked(call["name"], call.get("args"), id=call.get("id"))
        for call in getattr(message, "invalid_tool_calls", None) or []:
            text = call.get("args") or "(no arguments)"
            entry = self._turn.asked(call.get("name") or "unnamed", text, id=call.get("id"))
            entry.never_ran(call.get("error") or "the arguments are no JSON object")
        for block in server_blocks(message):
            self._served(block)

    def _served(self, block: dict[str, Any]) -> None:
        if block.get("type") == "server_tool_call":
            self._turn.begun(block.get("name") or "unnamed", block.get("args"), id=block.get("id"))
        elif block.get("type") == "server_tool_result":
            call = self._turn.find(block.get("tool_call_id"))
            if call is not None and block.get("status") == "error":
                call.failed(safe_str(block.get("output")))
            elif call is not None:
                call.returned(block.get("output"))


def observer(turn: TurnLog, *, lenient: Container[str] = ()) -> Any:
    """An observer that is one of LangChain's callback handlers too."""
    return _observer_class()(turn, lenient=lenient)


@cache
def _observer_class() -> Any:
    base = library("langchain_core.callbacks", needed_by="LangGraphAdapter", extra="langgraph")
    return type("RampartCallbacks", (LangGraphObserver, base.BaseCallbackHandler), {})


def _result(output: Any) -> Any:
    """What a tool returned, as the model gets it; of a command, the message in it."""
    if hasattr(output, "tool_call_id"):
        return output.content
    if type(output).__name__ == "Command":
        messages = [message_text(message) for message in tool_messages(output)]
        return messages[0] if messages else safe_str(output)
    return output


def _is_same(message: Any, other: Any) -> bool:
    """Whether two messages are one, or ask for the same calls by the same ids."""
    if message is None or other is None:
        return False
    if message is other or (message.id is not None and message.id == other.id):
        return True
    calls = getattr(message, "tool_calls", None)
    return bool(calls) and calls == getattr(other, "tool_calls", None)


def _shows(result: object, told: str) -> bool:
    return result is not None and (result == told or safe_str(result) == told)


def _refused_arguments(error: BaseException) -> bool:
    """Whether the tool's own check of its arguments raised, before its code could run."""
    trace = error.__traceback__
    inner = None if trace is None else trace.tb_next
    return inner is not None and inner.tb_frame.f_code.co_name == _VALIDATION
