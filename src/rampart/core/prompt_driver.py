"""What decides which message the agent gets next."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from rampart.core.types import Request, Turn


@dataclass(kw_only=True)
class PromptDecision:
    """A driver's next message and why it chose it."""

    request: Request
    reasoning: str = ""


@runtime_checkable
class PromptDriver(Protocol):
    """The user's side of a conversation."""

    @abstractmethod
    async def next_prompt_async(self, *, history: list[Turn]) -> PromptDecision | None:
        """Decide what to send after `history`; None ends the trace.

        Raises:
            DriverError: If the driver cannot decide.
        """
        ...
