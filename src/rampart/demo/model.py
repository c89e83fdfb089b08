"""What the demo's agent asks of a language model."""

from typing import Any, Protocol

from rampart.core.llm import ChatMessage


class Model(Protocol):
    """A language model that answers one conversation at a time; safe to call from several threads."""

    @property
    def description(self) -> str:
        """One line for people: which model, and where it runs."""
        ...

    @property
    def parallel(self) -> int:
        """How many calls it serves at once without making them wait."""
        ...

    def complete(
        self,
        messages: list[ChatMessage],
        *,
        max_tokens: int,
        temperature: float,
        seed: int,
        schema: dict[str, Any] | None = None,
    ) -> str:
        """Answer a conversation.

        Args:
            messages: The conversation so far, oldest first.
            max_tokens: Length at which the reply is cut; small models pad for ever.
            temperature: 0 for the likeliest reply, higher for more varied ones.
            seed: Of the sampling; the same seed need not give the same reply on a busy server.
            schema: JSON Schema that the reply is made to follow, where the model can do so.

        Raises:
            ChatModelError: If the model could not be reached or refused the call.
        """
        ...
