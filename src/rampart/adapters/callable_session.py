"""One conversation with an agent that is a Python function."""

from __future__ import annotations

import asyncio
import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self, cast

from rampart.adapters.agent_function import AgentFunction
from rampart.adapters.cancelled import cancelled_from_outside
from rampart.adapters.failure import failure_of
from rampart.adapters.observability import SessionObservability, declared_level
from rampart.adapters.reply import ReplyError, response_of
from rampart.adapters.reported_calls import joined_calls
from rampart.adapters.session_object import SessionObject
from rampart.adapters.session_state import require_ready
from rampart.adapters.session_thread import SessionThread
from rampart.adapters.tool_log import ToolLog
from rampart.core.errors import InfrastructureError, attach_partial
from rampart.core.types import Response

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from rampart.adapters.observability import AdapterObservability
    from rampart.adapters.recorded_manifest import RecordedManifest
    from rampart.adapters.session_state import SessionState
    from rampart.core.types import ObservabilityLevel, Request, ToolCall


@dataclass(frozen=True, kw_only=True)
class SessionPlan:
    """What all sessions of one adapter have in common.

    Attributes:
        function: The agent; None if the factory makes it.
        factory: Makes the object of a session; None for agents that need none.
        factory_label: The factory as messages name it.
        observability: What is known of what the adapter reports.
        tools: What is known of the agent's tools; None where the user declared them.
    """

    function: AgentFunction | None
    factory: Callable[[], Any] | None
    factory_label: str
    observability: AdapterObservability
    tools: RecordedManifest | None = None


class CallableSession:
    """A session of a `CallableAdapter`; made by `create_session_async`.

    Attributes:
        tool_log: The calls of recorded tools that no turn has reported yet.
    """

    def __init__(self, plan: SessionPlan, /) -> None:
        self._plan = plan
        self._label = plan.factory_label if plan.function is None else plan.function.label
        self.tool_log = ToolLog(self._label)
        self._observability = SessionObservability(plan.observability, self.tool_log)
        self._thread = SessionThread(name=f"rampart {self._label}", on_start=self.tool_log.own_thread)
        self._object: SessionObject | None = None
        self._function: AgentFunction | None = plan.function
        self._leading: tuple[Any, ...] = ()
        self._history: list[tuple[str, str]] = []
        self._state: SessionState = "new"

    @property
    def observability_profile(self) -> ObservabilityLevel:
        """What this session reports completely, as far as is known by now.

        RESPONSE_ONLY while a call was made that no turn has reported, and for good once a call was
        made that may have been this session's and could not be attributed.
        """
        return self._observability.level

    async def __aenter__(self) -> Self:
        """Make the object of the session, if there is a factory."""
        if self._state != "new":
            msg = "a session is entered once; ask the adapter for another one"
            raise RuntimeError(msg)
        self.tool_log.open()
        try:
            if self._plan.factory is not None:
                await self._make_object_async(self._plan.factory)
        except BaseException:
            self._finish()
            raise
        self._state = "open"
        return self

    async def _make_object_async(self, factory: Callable[[], Any]) -> None:
        given = self._plan.function
        # A sync agent may be tied to the thread that made it; an async one may need the event loop.
        thread = self._thread if given is None or not given.is_async else None
        made = SessionObject(factory, thread=thread)
        self.tool_log.binds_tools = True
        try:
            with self.tool_log.recording():
                value = await made.open_async()
        except Exception as error:
            raise failure_of(error, source=self._plan.factory_label, calls=[]) from error
        finally:
            self.tool_log.binds_tools = False
        self._object = made
        self._plan.observability.learn(self.tool_log)
        self._learn_tools([])
        if self._plan.tools is not None:
            self._plan.tools.learn_object(value)
        if given is None:
            self._function = await self._made_function_async(value)
        else:
            self._leading = (value,)

    async def _made_function_async(self, value: object) -> AgentFunction:
        try:
            return AgentFunction(value, origin=f"made by {self._plan.factory_label}")
        except TypeError:
            await self._release_async(None, None, None)
            raise

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> None:
        """Release what the factory made; calling it again does nothing."""
        if self._state in {"new", "closed"}:
            return
        was_broken = self._state == "broken"
        self._state = "closed"
        try:
            await self._release_async(exc_type, exc, traceback)
        finally:
            if not was_broken:
                for call in self.tool_log.peek():
                    self.tool_log.warn_of_late_call(call.name)
            self._finish()

    async def _release_async(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        made, self._object = self._object, None
        if made is not None:
            with self.tool_log.recording():
                await made.close_async(exc_type, exc, traceback)

    def _finish(self) -> None:
        self.tool_log.close()
        self._thread.stop()

    async def send_async(self, request: Request, /) -> Response:
        """Call the function and give its reply, with the calls of recorded tools.

        Raises:
            ConfigurationError: If the request has attachments and the function cannot take them.
            InfrastructureError: If the function raised; the exception is its cause, and `partial` has
                the calls made until then. A `ReplyError` if what it returned is no reply. A
                cancellation carries these calls too.
            RuntimeError: If the session is not open, has failed, or is still answering.
            TypeError: If `request` is no Request.
        """
        function = self._ready(request)
        history = [{"role": role, "content": content} for role, content in self._history]
        prompt = request.prompt or ""
        call = function.bind(*self._leading, prompt, history, attachments=request.attachments)
        # Until the reply is there: a turn that ends otherwise leaves the agent in an unknown state.
        self._state = "broken"
        try:
            with self.tool_log.recording():
                reply = await self._call_async(function, call)
            response = self._reported(reply, function)
        except asyncio.CancelledError as error:
            if cancelled_from_outside():
                self._hand_over_calls(error)
                raise
            raise self._failed(error, function) from error
        except ReplyError as error:
            raise self._failed(error, function) from None
        except InfrastructureError as error:
            failed = self._failed(error, function)
            if failed is error:
                raise
            raise failed from error
        except Exception as error:
            raise self._failed(error, function) from error
        except BaseException as error:  # a skipped test, an interrupt
            self._hand_over_calls(error)
            raise
        self._history += [("user", prompt), ("assistant", response.text)]
        self._state = "open"
        return response

    def _ready(self, request: object) -> AgentFunction:
        require_ready(request, state=self._state, label=f"the {self._label}")
        return cast("AgentFunction", self._function)  # an open session has one

    async def _call_async(self, function: AgentFunction, call: Callable[[], Any]) -> object:
        reply = await call() if function.is_async else await self._thread.run_async(call)
        return await reply if inspect.isawaitable(reply) else reply

    def _reported(self, reply: object, function: AgentFunction) -> Response:
        response = response_of(reply, source=f"the {function.label}")
        try:
            declared = declared_level(response.metadata)
        except ValueError as error:
            msg = f"the {function.label} returned a reply whose {error}"
            raise ReplyError(msg) from None
        recorded = self.tool_log.take()
        self._observability.note_turn(declared)
        if recorded:
            response.tool_calls = joined_calls(response.tool_calls, recorded)
        self._learn_tools(response.tool_calls)
        return response

    def _learn_tools(self, calls: list[ToolCall]) -> None:
        if self._plan.tools is not None:
            self._plan.tools.learn(recorded=self.tool_log.recorded_tools, calls=calls)

    def _hand_over_calls(self, error: BaseException) -> None:
        """Let an exception that ends more than the turn carry what the agent had done by then."""
        calls = self.tool_log.take()
        if calls:
            attach_partial(error, Response(text="", tool_calls=calls))

    def _failed(self, error: BaseException, function: AgentFunction) -> InfrastructureError:
        calls = self.tool_log.take()
        self._observability.note_turn(None)
        self._learn_tools(calls)
        return failure_of(error, source=f"the {function.label}", calls=calls)
