"""One conversation with an ADK agent."""

from __future__ import annotations

import copy
from contextlib import aclosing
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from rampart.adapters.adk_errors import raised_by_model
from rampart.adapters.adk_observer import AdkObserver, spoken
from rampart.adapters.adk_runner import watched_runner
from rampart.adapters.agent_session import AgentSession
from rampart.adapters.framework_library import library
from rampart.core.types import ObservabilityLevel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rampart.adapters.agent_source import AgentSource
    from rampart.adapters.turn_log import TurnLog
    from rampart.core.types import Request


class AdkSession(AgentSession):
    """A session of an `AdkAdapter`.

    Args:
        source: Gives the agent, App or Runner.
        user_id: The user; None for a new one.
        state: The state to begin with.
        run_config: The `RunConfig` of each message.
        options: `label`, `level` and `timeout_s` of every session.
    """

    def __init__(
        self,
        *,
        source: AgentSource,
        user_id: str | None,
        state: Mapping[str, Any] | None,
        run_config: Any,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self._source = source
        self._user_id = user_id or f"user-{uuid4().hex}"
        self._state_at_first = state
        self._run_config = run_config
        self._observer = AdkObserver(on_hidden_calls=self._lower)
        self._runner: Any = None
        self._session_id = ""

    async def open_async(self) -> None:
        """Make a runner that is watched, and a session of ADK."""
        runner = watched_runner(await self._source.make_async(), self._observer)
        session = await runner.session_service.create_session(
            app_name=runner.app_name,
            user_id=self._user_id,
            state=copy.deepcopy(dict(self._state_at_first)) if self._state_at_first is not None else None,
        )
        self._runner, self._session_id = runner, session.id

    async def answer_async(self, request: Request, turn: TurnLog, /) -> None:
        """Run the agent, and log what its plugin and its events tell."""
        types = library("google.genai.types", needed_by="AdkAdapter", extra="adk")
        message = types.Content(role="user", parts=[types.Part(text=request.prompt or "")])
        options = {} if self._run_config is None else {"run_config": self._run_config}
        self._observer.begin(turn)
        texts: list[str] = []
        last: Any = None
        try:
            run = self._runner.run_async(
                user_id=self._user_id, session_id=self._session_id, new_message=message, **options
            )
            async with aclosing(run) as events:
                async for event in events:
                    if not event.partial:
                        last = event
                        texts.append(spoken(event))
                        turn.text = "\n".join(text for text in texts if text)
        except Exception as error:
            failure = raised_by_model(error)
            if failure is None:
                raise
            raise failure from error
        finally:
            self._observer.end()
        if self._observer.failure is not None:  # be it of one agent among several: the turn is not its own
            raise self._observer.failure
        _conclude(last, turn)

    async def close_async(self) -> None:
        """Delete the session of ADK; close a runner that was made for this session."""
        runner, self._runner = self._runner, None
        try:
            await runner.session_service.delete_session(
                app_name=runner.app_name, user_id=self._user_id, session_id=self._session_id
            )
        finally:
            if not self._source.shared:
                await runner.close()

    def _lower(self) -> None:
        self._level = ObservabilityLevel.RESPONSE_ONLY


def _conclude(last: Any, turn: TurnLog) -> None:
    """Say how a turn ended that ended otherwise than with a reply."""
    if last is None:
        turn.metadata["ended"] = "the agent ended its turn without an event"
        return
    if last.author:
        turn.metadata["agent"] = last.author
    code = last.error_code
    if code is None:
        return
    turn.metadata["error_code"] = str(getattr(code, "value", code))
    if last.error_message:
        turn.metadata["error_message"] = str(last.error_message)
