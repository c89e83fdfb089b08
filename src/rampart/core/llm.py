"""Language models as drivers and judges see them."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, Protocol, cast, runtime_checkable

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

    def __repr__(self) -> str:
        """All but the key, and what an endpoint may hold of one: a user, a password, a query."""
        return (
            f"LLMConfig(model={self.model!r}, endpoint={_without_secrets(self.endpoint)!r}, "
            f"deployment={self.deployment!r}, metadata={self.metadata!r}, max_retries={self.max_retries!r})"
        )


def _without_secrets(endpoint: object) -> object:
    if not isinstance(endpoint, str):
        return endpoint
    address, asked, _ = endpoint.partition("?")
    scheme, slashes, rest = address.rpartition("//")
    user, at, place = rest.rpartition("@")
    return f"{scheme}{slashes}{'***@' if user or at else ''}{place}{'?***' if asked else ''}"


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


def chat_model_of(llm: LLMConfig | ChatModel, /) -> ChatModel:
    """The language model that the user gave, or the client of the one that was described.

    Call it at the first use: clients need libraries and credentials that a run may never need.

    Args:
        llm: A model, which is returned as it is, or the configuration of one.

    Raises:
        TypeError: If it is neither.
        ConfigurationError: If there is no client for the configuration.
    """
    admit_llm(llm)
    return _client(llm) if isinstance(llm, LLMConfig) else llm


def admit_llm(llm: object, *, name: str = "llm") -> None:
    """Refuse what is neither a language model nor the configuration of one.

    Args:
        llm: What the user gave.
        name: The parameter, as the error names it.

    Raises:
        TypeError: If it is neither.
    """
    if isinstance(llm, LLMConfig):
        return
    if isinstance(llm, type) or not callable(getattr(llm, "complete_async", None)):
        msg = (
            f"{name} must be an LLMConfig or a ChatModel, which has `async def complete_async(self, *, "
            f"messages, response_schema=None)`, got {type(llm).__name__}"
        )
        raise TypeError(msg)


def _client(config: LLMConfig) -> ChatModel:
    # Imported by name: clients stand above the core, and they need libraries that not everybody has.
    factory = import_module("rampart.llm.factory")
    return cast("ChatModel", factory.create_chat_model(config=config))
