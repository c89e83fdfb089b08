"""What ADK tells of an agent's turn: by a plugin, by its events, and by its tools."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from rampart.adapters.adk_errors import AdkModelError, is_failure
from rampart.adapters.adk_tools import is_watched, refused_arguments, watched_tool
from rampart.adapters.turn_log import usage_of
from rampart.core.types import Usage

if TYPE_CHECKING:
    from collections.abc import Callable

    from rampart.adapters.turn_log import LoggedCall, TurnLog

_ASKS_USER = "adk_request_"  # calls that ADK itself makes up, to ask the user for something
_REMOTE = frozenset({"RemoteA2aAgent", "LangGraphAgent"})


class AdkObserver:
    """Logs one session's calls into the turn of the moment; agents that are tools report to it too.

    Args:
        on_hidden_calls: Called when something runs whose calls cannot be seen.

    Attributes:
        failure: The first model call that failed in this turn, whichever agent's; None if none did.
    """

    def __init__(self, *, on_hidden_calls: Callable[[], None]) -> None:
        self._hidden = on_hidden_calls
        self._turn: TurnLog | None = None
        self._asked: set[tuple[str, str]] = set()
        self._early: set[str] = set()
        self._due: dict[str, bool] = {}
        self._deferring: set[str] = set()
        self._code: list[LoggedCall] = []
        self._usage: dict[tuple[str, str], Usage] = {}
        self.failure: AdkModelError | None = None

    def begin(self, turn: TurnLog) -> None:
        """Log into this turn from now on."""
        self._turn, self.failure = turn, None
        self._asked, self._early, self._due, self._code, self._usage = set(), set(), {}, [], {}

    def end(self) -> None:
        """Count what is open, and log no more."""
        for key in list(self._usage):
            self._count(key)
        self._turn = None

    def agent_begins(self, agent: Any) -> None:
        """Take note of agents that run elsewhere."""
        if any(kind.__name__ in _REMOTE for kind in type(agent).__mro__):
            self._hidden()

    def model_begins(self, context: Any, request: Any) -> None:
        """Put copies that tell when they run in place of this request's tools; the request is ADK's own."""
        self._count(_key(context))
        tools = request.tools_dict
        for name, tool in list(tools.items()):
            tools[name] = watched_tool(tool, self._run_async)
            if getattr(tool, "_defers_response", False):
                self._deferring.add(name)
            if getattr(tool, "include_plugins", True) is False:
                self._hidden()
        for tool in getattr(request.config, "tools", None) or []:
            if _runs_elsewhere(tool):
                self._hidden()

    def model_answers(self, context: Any, response: Any) -> None:
        """Take what a call of a model used: the last count of a stream, which is that of the whole call."""
        usage = _usage(response.usage_metadata)
        if usage is not None:
            self._usage[_key(context)] = usage
        elif response.error_code is None and not response.partial:
            self._usage.setdefault(_key(context), Usage())  # it used something, nobody knows how much

    def tool_is_due(self, tool: Any, context: Any) -> None:
        """Take note whether it can be told that this tool runs: that of an unknown name never does."""
        if context.function_call_id is not None:
            self._due[context.function_call_id] = is_watched(tool) or type(tool).__name__ == "BaseTool"

    def tool_failed(self, tool: Any, context: Any, error: BaseException) -> None:
        """Take the error of a tool that there is not, for which older versions end the turn."""
        call = None if self._turn is None else self._turn.find(context.function_call_id)
        if call is not None and type(tool).__name__ == "BaseTool" and not call.call.executed:
            call.never_ran(str(error))

    def event(self, event: Any) -> None:
        """Take the calls and the answers to them out of an event, or that a model failed."""
        code = event.error_code
        if self.failure is None and code is not None and is_failure(code):
            self.failure = AdkModelError(code, event.error_message)
        if event.partial or self._turn is None:
            return
        for call in event.get_function_calls():
            self._call(call, event)
        for response in event.get_function_responses():
            self._answer(response)
        for part in _parts(event):
            self._code_part(part)

    def _call(self, call: Any, event: Any) -> None:
        if self._turn is None:
            return
        if call.name.startswith(_ASKS_USER):
            self._pending(call)
            return
        if call.id in self._early:
            self._early.discard(call.id)
        elif (event.id, call.id) not in self._asked:
            self._turn.asked(call.name, dict(call.args or {}), id=call.id)
        self._asked.add((event.id, call.id))
        if call.id in (event.long_running_tool_ids or ()):
            self._turn.metadata.setdefault("long_running", []).append(call.name)

    def _pending(self, call: Any) -> None:
        """A question of ADK's to the user: whether a tool may run, or for credentials."""
        if self._turn is None:
            return
        original = (call.args or {}).get("originalFunctionCall")
        about = original.get("name") if isinstance(original, dict) else None
        question = call.name.removeprefix(_ASKS_USER)
        self._turn.metadata.setdefault("pending", []).append({"question": question, "tool": about})

    def _answer(self, response: Any) -> None:
        call = None if self._turn is None else self._turn.find(response.id)
        if call is None or call.ended:
            return
        result = response.response
        if call.call.executed or call.call.name in self._deferring:  # the latter ran as an agent of its own
            call.returned(result)
        elif self._due.get(response.id, False):
            call.never_ran(_error(result), result=result)
        else:
            call.unclear(_error(result), result=result)

    async def _run_async(self, tool: Any, args: dict[str, Any], context: Any) -> Any:
        call = self._begin(tool, args, context.function_call_id)
        try:
            result = await tool.run_async(args=args, tool_context=context)
        except asyncio.CancelledError:
            if call is not None:
                call.failed("cancelled while it ran")
            raise
        except BaseException as error:
            if call is not None:
                call.failed(error)
            raise
        if call is not None:
            _note(call, tool, args, context, result)
        return result

    def _begin(self, tool: Any, args: dict[str, Any], call_id: str | None) -> LoggedCall | None:
        if self._turn is None:
            return None
        if call_id is not None and self._turn.find(call_id) is None:
            self._early.add(call_id)
        return self._turn.begun(tool.name, args, id=call_id)

    def _code_part(self, part: Any) -> None:
        """Code that a model wrote and had run; it is no tool's, yet it is done."""
        if self._turn is None:
            return
        code, result = part.executable_code, part.code_execution_result
        if code is not None:
            language = getattr(code.language, "value", code.language)
            self._code.append(self._turn.asked("code_execution", {"language": language, "code": code.code}))
        if result is not None and self._code:
            outcome = str(getattr(result.outcome, "value", result.outcome))
            if outcome in {"OUTCOME_OK", "None"}:
                self._code.pop(0).returned(result.output)
            else:
                self._code.pop(0).failed(outcome, result=result.output)

    def _count(self, key: tuple[str, str]) -> None:
        usage = self._usage.pop(key, None)
        if self._turn is not None:
            self._turn.count(usage)


def spoken(event: Any) -> str:
    """The text of an event, without what the model thought."""
    return "".join(part.text for part in _parts(event) if part.text and not part.thought)


def _note(call: LoggedCall, tool: Any, args: dict[str, Any], context: Any, result: Any) -> None:
    asks = context.actions
    waits = {
        *(getattr(asks, "requested_tool_confirmations", None) or {}),
        *(getattr(asks, "requested_auth_configs", None) or {}),
    }
    if context.function_call_id in waits:
        call.undo_begin()
        call.never_ran("waits for the user", result=result)
    elif refused_arguments(tool, args, result):
        call.undo_begin()
        call.never_ran(_error(result), result=result)
    elif isinstance(result, dict) and result.get("isError") is True:  # a tool of an MCP server
        call.failed(str(result.get("content")), result=result)
    elif result is not None:  # or else the answer may follow later
        call.returned(result)


def _error(result: object) -> str | None:
    error = result.get("error") if isinstance(result, dict) else None
    return error if isinstance(error, str) else None


def _parts(event: Any) -> list[Any]:
    return list(getattr(event.content, "parts", None) or [])


def _key(context: Any) -> tuple[str, str]:
    return str(context.invocation_id), str(context.agent_name)


def _runs_elsewhere(tool: Any) -> bool:
    """Whether the model's provider runs it itself, like a search."""
    fields: set[str] = getattr(tool, "model_fields_set", set())
    return any(name != "function_declarations" and getattr(tool, name) is not None for name in fields)


def _usage(counted: Any) -> Usage | None:
    if counted is None:
        return None
    output = [counted.candidates_token_count, counted.thoughts_token_count]
    known = [count for count in output if count is not None]
    return usage_of(
        {
            "input_tokens": counted.prompt_token_count,
            "cached_input_tokens": counted.cached_content_token_count,
            "output_tokens": sum(known) if known else None,
            "reasoning_tokens": counted.thoughts_token_count,
        }
    )
