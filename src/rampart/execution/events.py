"""What an execution tells its event handlers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from rampart.core.log import log

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rampart.core.adapter import AgentAdapter
    from rampart.core.result import Result


class ExecutionEvent(Enum):
    """A moment in the life of an execution."""

    ON_PRE_EXECUTE = "on_pre_execute"
    ON_POST_EXECUTE = "on_post_execute"
    ON_ERROR = "on_error"


@dataclass(kw_only=True)
class ExecutionEventData:
    """What happened.

    Attributes:
        event: Which moment this is.
        adapter: The agent under test.
        result: The result, with ON_POST_EXECUTE only; handlers may change it.
        error: What was raised, with ON_ERROR only.
        elapsed_seconds: Time since the execution began, in seconds.
    """

    event: ExecutionEvent
    adapter: AgentAdapter
    result: Result | None = None
    error: BaseException | None = None
    elapsed_seconds: float = 0.0


class ExecutionEventHandler(ABC):
    """Something that wants to know how executions go."""

    @abstractmethod
    async def on_event_async(self, *, event_data: ExecutionEventData) -> None:
        """Take note; an exception is logged as a warning and changes nothing."""


async def fire_async(handlers: Sequence[ExecutionEventHandler], event_data: ExecutionEventData) -> None:
    """Tell the handlers, one after another."""
    for handler in handlers:
        try:
            await handler.on_event_async(event_data=event_data)
        except Exception:  # a handler is a bystander
            log.warning(
                "event handler %s failed at %s", type(handler).__name__, event_data.event.value, exc_info=True
            )
