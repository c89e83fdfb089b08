"""What sees an agent's tool calls from beside it: a proxy, a collector of spans, a gateway to the model.

An adapter that hands on text alone learns from such a source what the agent did. The source tells the
sessions apart in one of two ways: it gives each an address of its own, which the agent is pointed at, or it
recognises the context in which a call was made. One that can do neither serves one session at a time.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from rampart.core.types import ToolCall, Usage


@dataclass(kw_only=True)
class Observation:
    """What a source saw of one session since it was last asked.

    Attributes:
        tool_calls: The calls, in the order in which they began.
        usage: What the models used, where the source sees that.
        missing: Why calls of this session may be missing; empty where none can be.
    """

    tool_calls: list[ToolCall] = field(default_factory=list)
    usage: Usage | None = None
    missing: str = ""


@runtime_checkable
class ToolWatch(Protocol):
    """A source's view of one session."""

    @property
    @abstractmethod
    def address(self) -> Any:
        """What the agent of this session is pointed at, as the source documents it; None without one."""
        ...

    @abstractmethod
    def turn(self) -> AbstractContextManager[object]:
        """The context in which one message is sent; what is called in it belongs to the session."""
        ...

    @abstractmethod
    async def take_async(self) -> Observation:
        """What was seen since the last call, once all that has ended is there."""
        ...

    @abstractmethod
    async def close_async(self) -> None:
        """End the view; doing so again does nothing."""
        ...


@runtime_checkable
class ToolSource(Protocol):
    """Sees tool calls of agents; one source serves any number of sessions."""

    @property
    @abstractmethod
    def label(self) -> str:
        """The source as messages name it, such as `the MCP proxy of ['notes-server']`."""
        ...

    @property
    @abstractmethod
    def tells_sessions_apart(self) -> bool:
        """Whether sessions that share one address may be open at the same time."""
        ...

    @abstractmethod
    async def watch_async(self, *, own_address: bool) -> ToolWatch:
        """Begin to watch a session.

        Args:
            own_address: Whether the session's agent will use the address of the watch, and nobody else will;
                otherwise it uses the address that everybody shares.
        """
        ...
