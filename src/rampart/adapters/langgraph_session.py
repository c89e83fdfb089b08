"""One conversation with a LangGraph graph."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rampart.adapters.agent_session import AgentSession
from rampart.adapters.framework_library import library
from rampart.adapters.langgraph_messages import message_text
from rampart.adapters.langgraph_observer import observer
from rampart.adapters.langgraph_tools import graph_tools, has_breakpoints
from rampart.adapters.snapshot import snapshot
from rampart.core.errors import ConfigurationError, InfrastructureError
from rampart.core.types import ObservabilityLevel, Request
from rampart.text.oneline import quote

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rampart.adapters.agent_source import AgentSource
    from rampart.adapters.turn_log import TurnLog

_LONGEST = 300
_PENDING = "waits for approval: the graph stopped before the tool"


@dataclass(frozen=True, kw_only=True)
class LangGraphOptions:
    """How a graph is called; see `LangGraphAdapter`."""

    input: Callable[[str, Any], Any] | None = None
    output: Callable[[Any], str] | None = None
    resume: Callable[[str, list[Any]], Any] | None = None
    config: Mapping[str, Any] = field(default_factory=dict)
    context: Any = None
    level_is_given: bool = False


class LangGraphSession(AgentSession):
    """A thread of a graph with a checkpointer; for one without, the session keeps the messages."""

    def __init__(
        self,
        *,
        source: AgentSource,
        options: LangGraphOptions,
        label: str,
        level: ObservabilityLevel,
        timeout_s: float | None,
    ) -> None:
        super().__init__(label=label, level=level, timeout_s=timeout_s)
        self._source = source
        self._options = options
        self._thread_id = uuid.uuid4().hex
        self._state: Any
        self._last: Any = None
        self._context: Any = None
        self._waiting_for: list[Any] = []

    async def open_async(self) -> None:
        """Get the graph, and check that it takes messages."""
        self._graph = await self._source.make_async()
        self._keeps = getattr(self._graph, "checkpointer", None) not in {None, False, True}
        self._tools = graph_tools(self._graph)
        self._has_breakpoints = has_breakpoints(self._graph)
        self._lenient = {
            name for name, tool in self._tools.items() if getattr(tool, "handle_validation_error", False)
        }
        context = self._options.context
        self._context = context() if callable(context) else context
        if self._options.input is None and "messages" not in (getattr(self._graph, "channels", None) or {}):
            msg = (
                f"the state of {self.label} has no 'messages', so it is not known how it is given a prompt; "
                "pass input=, a function (prompt, last_state) that makes what the graph is called with, and "
                "output=, one that gives the reply out of what it returns"
            )
            raise ConfigurationError(msg)

    async def answer_async(self, request: Request, turn: TurnLog, /) -> None:
        """Run the graph until it ends or waits."""
        given, sent = self._given(request.prompt or "")
        watch = observer(turn, lenient=self._lenient)
        state = await self._graph.ainvoke(given, self._config(watch), **self._more())
        await self._note_pending(state, turn, paused=watch.saw_pause)
        if not (watch.saw_models or watch.saw_tools or self._tools or self._options.level_is_given):
            self._level = ObservabilityLevel.RESPONSE_ONLY
            turn.metadata["observability"] = (
                "the graph called no model or tool of LangChain, so what it did is not known"
            )
        self._last = state
        self._reply(state, sent, turn)

    def _config(self, watch: Any) -> Any:
        ours: dict[str, Any] = {} if watch is None else {"callbacks": [watch]}
        if self._keeps:
            ours["configurable"] = {"thread_id": self._thread_id}
        if not self._options.config:
            return ours
        config = library("langchain_core.runnables.config", needed_by="LangGraphAdapter", extra="langgraph")
        return config.merge_configs(dict(self._options.config), ours)

    def _more(self) -> dict[str, Any]:
        return {} if self._context is None else {"context": self._context}

    def _given(self, prompt: str) -> tuple[Any, Any]:
        """What the graph is called with, and the message in it that is the user's."""
        if self._waiting_for:
            return self._answer(prompt), None
        if self._options.input is not None:
            return self._options.input(prompt, self._last), None
        messages = library("langchain_core.messages", needed_by="LangGraphAdapter", extra="langgraph")
        sent = messages.HumanMessage(content=prompt, id=str(uuid.uuid4()))
        earlier = [] if self._keeps or not isinstance(self._last, dict) else self._last.get("messages") or []
        return {"messages": [*earlier, sent]}, sent

    def _answer(self, prompt: str) -> Any:
        if self._options.resume is None:
            shown = quote(str(snapshot(self._waiting_for)), _LONGEST)
            msg = (
                f"{self.label} waits for an answer to an interrupt: {shown}. Pass resume=, a function "
                "(prompt, interrupts) that makes the value that the graph goes on with"
            )
            raise ConfigurationError(msg)
        waiting, self._waiting_for = self._waiting_for, []
        types = library("langgraph.types", needed_by="LangGraphAdapter", extra="langgraph")
        return types.Command(resume=self._options.resume(prompt, waiting))

    async def _note_pending(self, state: Any, turn: TurnLog, *, paused: bool) -> None:
        """Say what the graph waits for: an interrupt, or a breakpoint before a node.

        Reading the state of a graph is not cheap, so it is left out where nothing can have stopped it.
        """
        interrupts = list(state.get("__interrupt__") or []) if isinstance(state, dict) else []
        self._waiting_for = [getattr(one, "value", one) for one in interrupts]
        stopped: list[str] = []
        if self._keeps and not interrupts and (paused or self._has_breakpoints or _has_open_call(turn)):
            stopped = list((await self._graph.aget_state(self._config(None))).next)
        if stopped:
            self._waiting_for = [f"before {name}" for name in stopped]
        if not self._waiting_for:
            return
        turn.metadata["interrupted"] = snapshot(self._waiting_for)
        for call in turn.calls:
            if not call.ended and call.call.executed is None:
                call.never_ran(_PENDING)

    def _reply(self, state: Any, sent: Any, turn: TurnLog) -> None:
        if self._options.output is not None:
            text = self._options.output(state)
            if not isinstance(text, str):
                msg = f"output= must give the reply as a str, got {type(text).__name__}"
                raise ConfigurationError(msg)
            turn.text = text
            return
        messages = state.get("messages") if isinstance(state, dict) else None
        if not isinstance(messages, list):
            msg = (
                f"{self.label} returned {type(state).__name__} without messages; pass output=, a function "
                "that gives the reply out of what it returns"
            )
            raise InfrastructureError(msg)
        last = messages[-1] if messages else None
        if "structured_response" in state:
            turn.metadata["structured_response"] = snapshot(state["structured_response"])
        if last is None or (sent is not None and getattr(last, "id", None) == sent.id):
            turn.metadata["no_reply"] = "the graph ended without a message of its own"
            return
        turn.text = message_text(last)
        if not turn.text:
            asks = getattr(last, "tool_calls", None)
            turn.metadata["no_reply"] = (
                "the last message asks for tools" if asks else "the last message has no text"
            )


def _has_open_call(turn: TurnLog) -> bool:
    return any(not call.ended for call in turn.calls)
