"""What sessions of all adapters for frameworks have in common: their states, limits and failures."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Self

from rampart.adapters.cancelled import cancelled_from_outside
from rampart.adapters.failure import turn_failure
from rampart.adapters.session_state import require_ready
from rampart.adapters.turn_log import TurnLog
from rampart.core.errors import ConfigurationError, ExecutionTimeoutError, attach_partial

if TYPE_CHECKING:
    from types import TracebackType

    from rampart.adapters.session_state import SessionState
    from rampart.core.errors import RampartError
    from rampart.core.types import ObservabilityLevel, Request, Response


class AgentSession(ABC):
    """A session that hands each request to `answer_async` and makes a `Response` of what is logged there.

    It is entered once, answers one message at a time, and takes no further one after a turn that failed or
    was cancelled, since nobody knows what the agent's framework keeps of such a turn. Whatever ends a turn,
    the error carries what the log holds by then.

    Args:
        label: The agent as messages name it, such as `the LangGraph agent 'shop'`.
        level: What the session reports completely.
        timeout_s: Seconds that one message may take; None for no limit but those of the execution.
        takes_attachments: Whether requests may have attachments; they are refused otherwise.
    """

    def __init__(
        self,
        *,
        label: str,
        level: ObservabilityLevel,
        timeout_s: float | None = None,
        takes_attachments: bool = False,
    ) -> None:
        self._label = label
        self._level = level
        self._timeout_s = timeout_s
        self._takes_attachments = takes_attachments
        self._state: SessionState = "new"

    @property
    def label(self) -> str:
        """The agent as messages name it."""
        return self._label

    @property
    def observability_profile(self) -> ObservabilityLevel:
        """What the session reports completely; it may fall while the session is open, never rise."""
        return self._level

    @abstractmethod
    async def answer_async(self, request: Request, turn: TurnLog, /) -> None:
        """Have the agent answer, and log what it says and does while it does so.

        `turn.text` is the reply. Whatever is raised ends the session.
        """

    async def open_async(self) -> None:  # noqa: B027  # most need nothing
        """Make what the session needs; undo it when this fails."""

    async def close_async(self) -> None:  # noqa: B027  # most need nothing
        """Release what `open_async` made; called once, whatever happened."""

    async def __aenter__(self) -> Self:
        """Open the session."""
        if self._state != "new":
            msg = "a session is entered once; ask the adapter for another one"
            raise RuntimeError(msg)
        self._state = "closed"  # unless all goes well
        try:
            await self.open_async()
        except Exception as error:
            raise self._failure(error, None) from error
        self._state = "open"
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> None:
        """Release what the session holds; doing so again does nothing."""
        if self._state in {"new", "closed"}:
            return
        self._state = "closed"
        await self.close_async()

    async def send_async(self, request: Request, /) -> Response:
        """Send one message and give the reply, with the calls and the usage of this turn.

        Raises:
            ConfigurationError: If the request has attachments that would not arrive, or an endpoint refuses
                how it is asked.
            RateLimitError: If an endpoint refused a call because of its rate limit.
            ExecutionTimeoutError: If the turn took longer than `timeout_s`.
            InfrastructureError: If anything else failed. All of these, and a cancellation, carry what the
                agent had said and done by then as `partial`.
            RuntimeError: If the session is not open, has failed, or is still answering.
            TypeError: If `request` is no Request.
        """
        self._require_ready(request)
        self._state = "broken"  # until the reply is there
        turn = TurnLog()
        clock = asyncio.timeout(self._timeout_s)
        try:
            async with clock:
                await self.answer_async(request, turn)
        except TimeoutError as error:
            if not clock.expired() or self._timeout_s is None:
                raise self._failure(error, turn.partial()) from error
            late = ExecutionTimeoutError(self._label, seconds=self._timeout_s)
            late.partial = turn.partial()
            raise late from error
        except asyncio.CancelledError as error:
            if not cancelled_from_outside():
                raise self._failure(error, turn.partial()) from error
            _hand_over(error, turn)
            raise
        except Exception as error:
            failure = self._failure(error, turn.partial())
            if failure is error:
                raise
            raise failure from error
        except BaseException as error:  # a skipped test, an interrupt
            _hand_over(error, turn)
            raise
        self._state = "open"
        return turn.response()

    def _require_ready(self, request: Request) -> None:
        require_ready(request, state=self._state, label=self._label)
        if request.attachments and not self._takes_attachments:
            msg = (
                f"{self._label} takes no attachments, got {len(request.attachments)}; they would not arrive. "
                "Plant them on a surface, or send text"
            )
            raise ConfigurationError(msg)

    def _failure(self, error: BaseException, partial: Response | None) -> RampartError:
        return turn_failure(error, source=self._label, partial=partial)


def _hand_over(error: BaseException, turn: TurnLog) -> None:
    partial = turn.partial()
    if partial is not None:
        attach_partial(error, partial)
