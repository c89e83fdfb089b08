"""What sends the messages of an attack within one conversation."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from rampart.attacks.attack_end import AttackEnd
from rampart.core.prompt_driver import PromptDecision
from rampart.core.types import Request

if TYPE_CHECKING:
    from rampart.attacks.attacker import AttackMessage
    from rampart.core.types import Turn


MOST_TURNS = 2
"""The limit for conversations of one message: they end because nothing more is said."""


class AttackDriver(ABC):
    """Writes the next message of one conversation, and keeps why it wrote no more.

    Attributes:
        ended: Why it ended the conversation; empty while it goes on, and where its turns ran out.
    """

    def __init__(self) -> None:
        self.ended = ""

    async def next_prompt_async(self, *, history: list[Turn]) -> PromptDecision | None:
        """The next message; None when the attack ends the conversation."""
        try:
            message = await self._next_async(history)
        except AttackEnd as end:
            self.ended = end.reason
            return None
        return PromptDecision(request=Request(prompt=message.text), reasoning=message.reasoning)

    @abstractmethod
    async def _next_async(self, history: list[Turn]) -> AttackMessage:
        """The next message.

        Raises:
            AttackEnd: If there is none.
        """


class OneMessage(AttackDriver):
    """Sends one message that was written before."""

    def __init__(self, message: AttackMessage) -> None:
        super().__init__()
        self._message = message

    async def _next_async(self, history: list[Turn]) -> AttackMessage:
        if history:
            raise AttackEnd("its one message was sent")
        return self._message
