"""One conversation with a loop around a client of a model."""

from __future__ import annotations

import asyncio
import inspect
from typing import TYPE_CHECKING, Any

from rampart.adapters.agent_session import AgentSession
from rampart.adapters.observed_session import MISSING_KEY
from rampart.adapters.reply import response_of
from rampart.adapters.reported_calls import joined_calls
from rampart.adapters.session_thread import SessionThread
from rampart.adapters.tool_log import ToolLog
from rampart.core.types import ObservabilityLevel, Request, Response
from rampart.servers.llm_wire.traffic import LlmTraffic, TrafficSeen

if TYPE_CHECKING:
    from rampart.adapters.agent_function import AgentFunction
    from rampart.adapters.recording_transport_agent import ClientAgent
    from rampart.adapters.recording_transport_client import ClientSource, SessionClient
    from rampart.adapters.recording_transport_manifest import TrafficManifest
    from rampart.adapters.turn_log import TurnLog
    from rampart.core.types import ToolCall

LATE_KEY = "results_of_earlier_calls"
"""The key of `Response.metadata` for results of calls that an earlier turn reported, by the calls' ids."""

_CLOSING_S = 5.0


class ModelRequestError(Exception):
    """The last request to a model had no reply, and the agent replied all the same.

    Attributes:
        status_code: The HTTP status; None without one.
    """

    def __init__(self, why: str, *, status: int | None) -> None:
        super().__init__(
            f"its last request to the model had no reply ({why}), yet it replied: not what the model said"
        )
        self.status_code = status if status is None or status >= 400 else 500


class RecordedClientSession(AgentSession):
    """A session of an `OpenAIClientAdapter` or an `AnthropicClientAdapter`.

    Attributes:
        tool_log: The calls of tools wrapped by `record_tools` that no turn has reported yet.
    """

    def __init__(
        self,
        *,
        agent: ClientAgent,
        clients: ClientSource,
        manifest: TrafficManifest,
        silent_turns: bool,
        label: str,
        level: ObservabilityLevel,
        timeout_s: float | None,
    ) -> None:
        super().__init__(label=label, level=level, timeout_s=timeout_s, takes_attachments=True)
        self._agent = agent
        self._clients = clients
        self._manifest = manifest
        self._silent_turns = silent_turns
        self._traffic = LlmTraffic()
        self._history: list[tuple[str, str]] = []
        self._client: SessionClient | None = None
        self.tool_log = ToolLog(label)
        self._thread = SessionThread(name=f"rampart {label}", on_start=self.tool_log.own_thread)

    @property
    def observability_profile(self) -> ObservabilityLevel:
        """What the session reports completely; RESPONSE_ONLY once a call may be missing."""
        return self._level if self.tool_log.reports_all else ObservabilityLevel.RESPONSE_ONLY

    async def open_async(self) -> None:
        """Make the client, and the agent function if it is one of the session's own."""
        self.tool_log.open()
        try:
            self._client = await self._clients.open_async(self._traffic, is_async=self._agent.is_async)
            self._function = self._agent.function or await self._made_async(self._client.client)
        except BaseException:
            await self.close_async()
            raise

    async def close_async(self) -> None:
        """Close the client."""
        client, self._client = self._client, None
        try:
            if client is not None:
                async with asyncio.timeout(_CLOSING_S):
                    await client.close_async()
        finally:
            self.tool_log.close()
            self._thread.stop()

    async def answer_async(self, request: Request, turn: TurnLog, /) -> None:
        """Call the agent, and log what went over the wire meanwhile."""
        function, client = self._function, self._client
        if client is None:  # never: the session is open
            return
        prompt = request.prompt or ""
        history = [{"role": role, "content": content} for role, content in self._history]
        leading: tuple[Any, ...] = (prompt, history)
        arguments = leading if self._agent.makes_agents else (*leading, client.client)
        call = function.bind(*arguments, attachments=request.attachments)
        told: Response | None = None
        try:
            with self.tool_log.recording():
                told = response_of(await self._call_async(function, call), source=f"the {function.label}")
        finally:
            seen = self._traffic.take()
            self._log(turn, seen, told)
        self._check(turn, seen)
        self._history += [("user", prompt), ("assistant", turn.text)]

    async def _made_async(self, client: Any) -> AgentFunction:
        with self.tool_log.recording():
            if self._agent.is_async:
                value = await self._agent.make(client)
            else:  # a sync agent may be tied to the thread that made it
                value = await self._thread.run_async(self._agent.make, client)
                value = await value if inspect.isawaitable(value) else value
        return self._agent.made(value)

    async def _call_async(self, function: AgentFunction, call: Any) -> object:
        reply = await call() if function.is_async else await self._thread.run_async(call)
        return await reply if inspect.isawaitable(reply) else reply

    def _log(self, turn: TurnLog, seen: TrafficSeen, told: Response | None) -> None:
        calls = joined_calls(seen.calls, self.tool_log.take())
        if told is not None:
            turn.text = told.text
            turn.metadata.update(told.metadata)
            turn.side_effects += told.side_effects
            calls = joined_calls(told.tool_calls, calls)
        for call in calls:
            _add(turn, call)
        turn.count(seen.usage)
        if seen.usage is None and told is not None:
            turn.count(told.usage)
        if seen.late:
            turn.metadata[LATE_KEY] = seen.late
        self._manifest.learn(self._traffic, calls)
        self._note_gaps(turn, seen)

    def _note_gaps(self, turn: TurnLog, seen: TrafficSeen) -> None:
        missing = list(seen.missing)
        if not seen.exchanges and not self._silent_turns:
            missing.append(
                "the agent made no request to a model through the client that it was given; if it needed "
                "none, pass silent_turns=True"
            )
        if missing:
            turn.metadata[MISSING_KEY] = "; ".join(missing)
            self._level = ObservabilityLevel.RESPONSE_ONLY

    def _check(self, turn: TurnLog, seen: TrafficSeen) -> None:
        """A reply that is not the model's must not be judged like one."""
        if seen.failure is not None:
            raise ModelRequestError(seen.failure.error, status=seen.failure.status)
        if not turn.text:
            turn.metadata.setdefault("no_reply", "the agent returned no text")


def _add(turn: TurnLog, call: ToolCall) -> None:
    entry = turn.asked(call.name, call.arguments, id=call.id)
    entry.call.raw_arguments = call.raw_arguments
    entry.call.timestamp = call.timestamp
    entry.call.result, entry.call.error, entry.call.executed = call.result, call.error, call.executed
    entry.ended = True
