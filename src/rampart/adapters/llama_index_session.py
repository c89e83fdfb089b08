"""One conversation with a LlamaIndex agent."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from rampart.adapters.agent_session import AgentSession
from rampart.adapters.framework_library import library

if TYPE_CHECKING:
    from rampart.adapters.agent_source import AgentSource
    from rampart.adapters.turn_log import TurnLog
    from rampart.core.types import Request


class LlamaIndexSession(AgentSession):
    """A session of a `LlamaIndexAdapter`, with a `Context` of its own.

    Args:
        source: Gives the agent.
        options: `label`, `level` and `timeout_s` of every session.
    """

    def __init__(self, *, source: AgentSource, **options: Any) -> None:
        super().__init__(**options)
        self._source = source
        self._agent: Any = None
        self._context: Any = None
        self._memory: Any = None

    async def open_async(self) -> None:
        """Make the context, and the agent if a function makes it.

        Raises:
            ConfigurationError: If LlamaIndex is not installed.
        """
        workflow = library("llama_index.core.workflow", needed_by="LlamaIndexAdapter", extra="llama-index")
        self._agent = await self._source.make_async()
        self._context = workflow.Context(self._agent)
        # A context that is used again comes without the memory in it, so it is given anew in each turn.
        memory = library("llama_index.core.memory", needed_by="LlamaIndexAdapter", extra="llama-index")
        self._memory = memory.ChatMemoryBuffer.from_defaults(llm=_model(self._agent))

    async def answer_async(self, request: Request, turn: TurnLog, /) -> None:
        """Run the agent, and log the events of its calls."""
        handler = self._agent.run(user_msg=request.prompt or "", ctx=self._context, memory=self._memory)
        running = True
        try:
            async for event in handler.stream_events():
                _log(event, turn)
            running = False  # the stream ends with the run, however that ended
            output = await handler
        finally:
            if running:
                await handler.cancel_run()
        turn.text = getattr(getattr(output, "response", None), "content", None) or ""

    async def close_async(self) -> None:
        """Let go of the context."""
        self._agent = self._context = self._memory = None


def _model(agent: Any) -> Any:
    """The model whose window limits the memory; of several agents, that of the first to answer."""
    several = getattr(agent, "agents", None)
    first = several.get(getattr(agent, "root_agent", None)) if isinstance(several, dict) else agent
    return getattr(first, "llm", None)


def _log(event: Any, turn: TurnLog) -> None:
    kind = type(event).__name__
    if kind == "AgentOutput":
        # At the end LlamaIndex adds to these what was called, as results, which were logged before.
        for asked in event.tool_calls:
            if type(asked).__name__ == "ToolSelection":
                turn.asked(asked.tool_name, asked.tool_kwargs, id=asked.tool_id)
    elif kind == "ToolCall":
        _entry(event, turn).call.timestamp = datetime.now(UTC)
    elif kind == "ToolCallResult":
        _end(event, turn)


def _entry(event: Any, turn: TurnLog) -> Any:
    call = turn.find(event.tool_id)
    if call is None or call.ended:
        call = turn.asked(event.tool_name, event.tool_kwargs, id=event.tool_id)
    return call


def _end(event: Any, turn: TurnLog) -> None:
    call, output = _entry(event, turn), event.tool_output
    error, content = getattr(output, "exception", None), output.content
    if not output.is_error:
        call.returned(content)
    elif (
        error is None
        and output.raw_output is None
        and content.startswith(f"Tool {event.tool_name} not found")
    ):
        call.never_ran(content, result=content)
    elif isinstance(error, TypeError) and "argument" in str(error):
        call.unclear(str(error), result=content)  # the function may have refused what it was called with
    else:
        call.failed(error or content, result=content)
