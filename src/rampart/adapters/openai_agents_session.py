"""One conversation with an agent of the OpenAI Agents SDK."""

from __future__ import annotations

import copy
import dataclasses
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rampart.adapters.agent_session import AgentSession
from rampart.adapters.framework_library import library
from rampart.adapters.openai_agents_nested import reachable, unwatch, watch, watching
from rampart.adapters.openai_agents_observer import observer
from rampart.core.errors import ConfigurationError
from rampart.core.types import ObservabilityLevel, Request
from rampart.text.oneline import quote
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from collections.abc import Callable

    from rampart.adapters.agent_source import AgentSource
    from rampart.adapters.turn_log import TurnLog

_LONGEST = 300
_MOST_ANSWERS = 50
_TRIPPED = "TripwireTriggered"


@dataclass(frozen=True, kw_only=True)
class OpenAIAgentsOptions:
    """How an agent is run; see `OpenAIAgentsAdapter`."""

    context: Any = None
    max_turns: int | None = None
    run_config: Any = None
    session: Callable[[], Any] | None = None
    approve: Callable[[str, Any], bool] | None = None
    tracing: bool = False


class OpenAIAgentsSession(AgentSession):
    """A conversation: its items, or a session object of the SDK, and the agent that has the floor."""

    def __init__(
        self,
        *,
        source: AgentSource,
        options: OpenAIAgentsOptions,
        label: str,
        level: ObservabilityLevel,
        timeout_s: float | None,
    ) -> None:
        super().__init__(label=label, level=level, timeout_s=timeout_s)
        self._source = source
        self._options = options
        self._items: list[Any] = []
        self._nested: list[Any] = []
        self._waiting_for: list[Any] = []

    async def open_async(self) -> None:
        """Get the agent, and watch the agents that it uses as tools."""
        self._agents = library("agents", needed_by="OpenAIAgentsAdapter", extra="openai-agents")
        self._agent = await self._source.make_async()
        self._base = self._run_config()
        own = self._options.context
        self._context = own() if callable(own) else own
        self._memory = None if self._options.session is None else self._options.session()
        _, nested, complete = reachable(self._agent)
        if not complete:
            self._level = ObservabilityLevel.RESPONSE_ONLY
        watch(nested)
        self._nested = nested

    async def close_async(self) -> None:
        """Give watched agents their own hooks back, and close the SDK's session where it can be."""
        nested, self._nested = self._nested, []
        unwatch(nested)
        close = getattr(self._memory, "close", None)
        if callable(close):
            closing = close()
            if hasattr(closing, "__await__"):
                await closing

    async def answer_async(self, request: Request, turn: TurnLog, /) -> None:
        """Run the agent until it replies, or waits for approval."""
        if self._waiting_for:
            shown = quote(json.dumps(self._waiting_for, default=safe_str), _LONGEST)
            msg = (
                f"{self.label} waits for approval of {shown}. Pass approve=, a function (name, arguments) "
                "that says whether a call may run"
            )
            raise ConfigurationError(msg)
        watch_ = observer(turn, getattr(self._base, "tool_error_formatter", None))
        config = copy.copy(self._base)  # cheaper than `replace`, which checks every field again
        if hasattr(config, "tool_error_formatter"):
            config.tool_error_formatter = watch_.format_error
        token = watching.set(watch_)
        error: BaseException | None = None
        try:
            await self._run_async(request.prompt or "", config, watch_, turn)
        except BaseException as raised:
            error = raised
            data = getattr(raised, "run_data", None)
            watch_.add_items(getattr(data, "new_items", None) or [])
            if not self._is_reply(raised, turn):
                raise
        finally:
            watching.reset(token)
            watch_.over(error)

    async def _run_async(self, prompt: str, config: Any, watch_: Any, turn: TurnLog) -> None:
        user = {"role": "user", "content": prompt}
        given: Any = prompt if self._memory is not None else [*self._items, user]
        for _ in range(_MOST_ANSWERS):
            result = await self._agents.Runner.run(
                self._agent, given, hooks=watch_, run_config=config, **self._more()
            )
            watch_.add_items(result.new_items)
            interruptions = list(getattr(result, "interruptions", None) or [])
            if not interruptions:
                break
            if self._options.approve is None:
                self._waiting_for = watch_.pending(interruptions)
                turn.metadata["interrupted"] = self._waiting_for
                return
            given = self._answered(result, interruptions, self._options.approve)
        else:
            msg = f"{self.label} asked for approval {_MOST_ANSWERS} times in one turn"
            raise ConfigurationError(msg)
        self._agent = result.last_agent
        if self._memory is None:
            self._items = result.to_input_list()
        self._reply(result.final_output, turn)

    def _more(self) -> dict[str, Any]:
        more: dict[str, Any] = {}
        if self._context is not None:
            more["context"] = self._context
        if self._options.max_turns is not None:
            more["max_turns"] = self._options.max_turns
        if self._memory is not None:
            more["session"] = self._memory
        return more

    def _run_config(self) -> Any:
        given = self._options.run_config
        kind = self._agents.RunConfig
        config = kind(**given) if isinstance(given, dict) else given or kind()
        return config if self._options.tracing else dataclasses.replace(config, tracing_disabled=True)

    @staticmethod
    def _answered(result: Any, interruptions: list[Any], approve: Callable[[str, Any], bool]) -> Any:
        state = result.to_state()
        for item in interruptions:
            if approve(item.name, item.arguments):
                state.approve(item)
            else:
                state.reject(item)
        return state

    @staticmethod
    def _reply(final: Any, turn: TurnLog) -> None:
        if isinstance(final, str):
            turn.text = final
        elif hasattr(final, "model_dump_json"):
            turn.text = final.model_dump_json()
        elif final is not None:
            turn.text = json.dumps(final, default=safe_str, ensure_ascii=False)
        if not turn.text:
            turn.metadata["no_reply"] = "the run ended without an output"

    @staticmethod
    def _is_reply(error: BaseException, turn: TurnLog) -> bool:
        """Whether the agent's own guardrail or model refused, which is its behaviour and no fault."""
        kinds = [kind.__name__ for kind in type(error).__mro__]
        if any(name.endswith(_TRIPPED) for name in kinds):
            turn.metadata["guardrail"] = f"{type(error).__name__}: {safe_str(error)}"
            turn.metadata["no_reply"] = "a guardrail stopped the run"
            return True
        if "ModelRefusalError" in kinds:
            turn.text = safe_str(getattr(error, "refusal", ""))
            turn.metadata["refusal"] = True
            return True
        return False
