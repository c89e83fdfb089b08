"""Language models as drivers and judges see them."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from rampart.text.secrets import MIN_SECRET_LENGTH, register_secret

if TYPE_CHECKING:
    from rampart.core.types import Usage


@dataclass(frozen=True, kw_only=True)
class LLMConfig:
    """Which language model to use and how to reach it; nothing is checked before its first use.

    Attributes:
        model: The model's name.
        endpoint: Base URL of the service; None means the provider's public endpoint.
        api_key: Credential; it never appears in the repr, a record, a report or a log.
        deployment: The name sent to the service instead of `model`, where the two differ.
        metadata: Sampling options and notes.
        max_retries: Retries after the first attempt; 0 means one attempt.
    """

    model: str
    endpoint: str | None = None
    api_key: str | None = field(default=None, repr=False)
    deployment: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    max_retries: int = 2

    def __post_init__(self) -> None:
        """Make sure that the key is blanked out wherever text leaves rampart."""
        if isinstance(self.api_key, str) and len(self.api_key.strip()) >= MIN_SECRET_LENGTH:
            register_secret(self.api_key)


@dataclass(frozen=True, kw_only=True)
class ChatMessage:
    """One message of a conversation with a language model."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, kw_only=True)
class Completion:
    """A language model's reply and, where known, what it consumed."""

    text: str
    usage: Usage | None = None


@runtime_checkable
class ChatModel(Protocol):
    """A language model; stateless per call and safe to share between concurrent calls."""

    @abstractmethod
    async def complete_async(
        self, *, messages: list[ChatMessage], response_schema: dict[str, Any] | None = None
    ) -> Completion:
        """Answer a conversation.

        Args:
            messages: The conversation so far, oldest first.
            response_schema: JSON Schema that the reply should follow; a model without that ability
                may ignore it, so callers parse defensively.

        Raises:
            ChatModelError: If the model could not be reached or refused the call.
        """
        ...
