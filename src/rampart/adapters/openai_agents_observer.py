"""What hooks and items of the OpenAI Agents SDK tell of one turn."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from rampart.adapters.framework_library import library
from rampart.adapters.openai_agents_items import (
    LOCAL,
    call_arguments,
    call_id,
    call_name,
    hosted_result,
    is_call,
    part,
    response_usage,
)
from rampart.core.types import Usage
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rampart.adapters.turn_log import LoggedCall, TurnLog

_REFUSED = "Invalid JSON input for"
_DEFAULT_TEXT = "An error occurred while "
_NOT_RUN = "the run ended before it ran"


class AgentsObserver:
    """Logs one turn; its methods are those of the SDK's run hooks, and called by the hooks of agents too."""

    def __init__(self, turn: TurnLog, own_formatter: Callable[[Any], Any] | None = None) -> None:
        self._turn = turn
        self._own_formatter = own_formatter
        self._errors: list[tuple[Any, BaseException]] = []
        self._usage_known = True
        self._running: dict[int, LoggedCall] = {}
        self._seen: dict[tuple[str, int], Any] = {}  # told twice of an agent that is a tool too

    def _is_new(self, event: str, told: Any) -> bool:
        new = (event, id(told)) not in self._seen
        self._seen[event, id(told)] = told  # kept, so that no other object gets the id
        return new

    async def on_llm_end(self, context: Any, agent: Any, response: Any) -> None:
        """Log what a model asks for, and what the provider's own tools did."""
        if not self._is_new("reply", response):
            return
        usage = response_usage(response)
        if usage is not None and self._usage_known:
            self._turn.count(usage)
        elif self._usage_known:
            self._usage_known = False
            if self._turn.counted:
                self._turn.count(Usage())
        for item in getattr(response, "output", None) or []:
            if is_call(item):
                self._asked(item)
            elif str(part(item, "type")).endswith("_call_output"):
                self._returned(item, part(item, "output"))

    def _asked(self, item: Any) -> None:
        kind = part(item, "type")
        call = self._turn.asked(call_name(item), call_arguments(item), id=call_id(item))
        if kind == "mcp_approval_request":
            call.never_ran("waits for approval")
        elif kind not in LOCAL:
            error = part(item, "error")
            reached = "tool" in str(part(error, "type") or "tool")
            if error is not None and not reached:  # of the way to an MCP server
                call.unclear(safe_str(error), result=hosted_result(item))
            elif error is not None or part(item, "status") == "failed":
                call.failed(safe_str(error or "failed"), result=hosted_result(item))
            else:
                call.returned(hosted_result(item))

    def _returned(self, item: Any, output: Any) -> None:
        call = self._turn.find(call_id(item))
        if call is not None:
            call.returned(output)

    async def on_tool_start(self, context: Any, agent: Any, tool: Any) -> None:
        """Log that a tool runs."""
        if getattr(context, "tool_call_id", None) is None:
            self._begun_by_kind(tool)
            return
        if not self._is_new("start", context):
            return
        name = str(getattr(context, "tool_name", None) or getattr(tool, "name", "unnamed"))
        given = getattr(context, "tool_arguments", None)
        self._running[id(context)] = self._turn.begun(name, given, id=context.tool_call_id)

    def _begun_by_kind(self, tool: Any) -> None:
        """Tools for a computer, a shell or patches do not say which request they run."""
        name = str(getattr(tool, "name", "unnamed"))
        waiting = next((call for call in self._waiting() if name.startswith(call.call.name)), None)
        if waiting is None:
            self._turn.begun(name)
        else:
            waiting.begin()

    async def on_tool_end(self, context: Any, agent: Any, tool: Any, result: Any) -> None:
        """Log what it returned, or why it failed, if the SDK told."""
        call = self._running.pop(id(context), None) or self._turn.find(getattr(context, "tool_call_id", None))
        if call is None or not self._is_new("end", context):
            return
        error = next((error for owner, error in self._errors if owner is context), None)
        told = safe_str(result)
        if call.call.raw_arguments is not None or (error is not None and _refused_arguments(error)):
            call.undo_begin()
            call.never_ran(told if error is None else safe_str(error), result=result)
        elif error is not None:
            call.failed(error, result=result)
        elif _default_failure(tool, told) and f"Error: {_REFUSED}" in told:  # older versions
            call.undo_begin()
            call.never_ran(told, result=result)
        elif _default_failure(tool, told):
            call.failed(told, result=result)
        else:
            call.returned(result)

    async def on_handoff(self, context: Any, from_agent: Any, to_agent: Any) -> None:
        """Log that the request to hand over was followed."""
        names = {getattr(one, "tool_name", None) for one in getattr(from_agent, "handoffs", None) or []}
        transfer = _transfer_name(to_agent)
        for call in self._waiting():
            if call.call.name == transfer or call.call.name in names:
                call.returned(f"handed over to {to_agent.name}")
                return

    def format_error(self, given: Any) -> Any:
        """Note an exception that the SDK hides from everybody else; the text stays what it would be."""
        error = getattr(given, "error", None)
        if isinstance(error, BaseException):
            self._errors.append((given.run_context, error))
        return None if self._own_formatter is None else self._own_formatter(given)

    def add_items(self, items: Iterable[Any]) -> None:
        """Log outputs that no hook told of: those of calls that never ran, and of tools without ids."""
        for item in items:
            kind, raw = getattr(item, "type", None), getattr(item, "raw_item", None)
            if kind not in {"tool_call_output_item", "handoff_output_item"}:
                continue
            call = self._turn.find(call_id(raw))
            output = getattr(item, "output", None)
            output = part(raw, "output") if output is None else output
            if call is None or call.ended:
                continue
            if call.call.executed or kind == "handoff_output_item":
                call.returned(output)
            else:
                call.never_ran(safe_str(output), result=output)

    def pending(self, interruptions: Iterable[Any]) -> list[dict[str, Any]]:
        """Log what waits for approval, that of agents used as tools too; gives names and arguments."""
        told = []
        for item in interruptions:
            name, given = item.name or "unnamed", item.arguments
            call = self._turn.find(call_id(item.raw_item)) or self._turn.asked(
                name, given, id=call_id(item.raw_item)
            )
            if not call.call.executed:
                call.never_ran("waits for approval")
            told.append({"name": name, "arguments": given})
        return told

    def over(self, error: BaseException | None) -> None:
        """The run has ended: what did not begin never will, and what failed is what the error names."""
        running = [call for call in self._turn.calls if call.call.executed and not call.ended]
        for call in running:
            if not isinstance(error, Exception):
                break
            named = f"tool {call.call.name}" in safe_str(error)
            if named and (len(running) == 1 or sum(c.call.name == call.call.name for c in running) == 1):
                cause = error.__cause__ or error
                if _refused_arguments(cause):
                    call.undo_begin()
                    call.never_ran(safe_str(cause))
                else:
                    call.failed(cause)
        for call in self._waiting():
            call.never_ran(_NOT_RUN)

    def _waiting(self) -> list[LoggedCall]:
        return [call for call in self._turn.calls if call.call.executed is None and not call.ended]


def observer(turn: TurnLog, own_formatter: Callable[[Any], Any] | None) -> Any:
    """An observer that is one of the SDK's run hooks too."""
    return _observer_class()(turn, own_formatter)


@cache
def _observer_class() -> Any:
    agents = library("agents", needed_by="OpenAIAgentsAdapter", extra="openai-agents")
    return type("RampartHooks", (AgentsObserver, agents.lifecycle.RunHooksBase), {})


def _refused_arguments(error: BaseException) -> bool:
    return type(error).__name__ == "ModelBehaviorError" and safe_str(error).startswith(_REFUSED)


def _default_failure(tool: Any, told: str) -> bool:
    """Whether the SDK wrote the result in place of an error or a time-out."""
    if getattr(tool, "timeout_seconds", None) is not None and told.startswith(
        f"Tool '{getattr(tool, 'name', '')}' timed out after "
    ):
        return True
    return told.startswith(_DEFAULT_TEXT) and bool(getattr(tool, "_use_default_failure_error_function", True))


def _transfer_name(agent: Any) -> str | None:
    handoffs = library("agents", needed_by="OpenAIAgentsAdapter", extra="openai-agents")
    try:
        return str(handoffs.Handoff.default_tool_name(agent))
    except Exception:  # an agent that is none of the SDK's own
        return None
