"""A driver's own conversation with its language model."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rampart.core.errors import DriverError, EmptyCompletionError
from rampart.core.llm import ChatMessage, LLMConfig, chat_model_of
from rampart.core.spending import UsageRole, ask_async
from rampart.text.encodable import encodable
from rampart.text.oneline import quote
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rampart.core.llm import ChatModel
    from rampart.core.types import Turn


class ModelConversation:
    """What one driver and its model have said to each other, and for how many turns of the agent.

    Args:
        owner: The driver's name, for errors.
        llm: The model, or the configuration of one, whose client is made at the first call.
        instructions: The system prompt.

    Raises:
        TypeError: If `llm` is neither.
    """

    def __init__(self, *, owner: str, llm: LLMConfig | ChatModel, instructions: str) -> None:
        self._owner = owner
        self._llm = llm if isinstance(llm, LLMConfig) else chat_model_of(llm)
        self._model: ChatModel | None = None
        self._messages = [ChatMessage(role="system", content=encodable(instructions))]
        self._prompts = 0
        self._deciding = False

    @contextmanager
    def deciding(self, history: Sequence[Turn], /) -> Iterator[None]:
        """Hold the conversation for one decision after `history`, if it is the history of this conversation.

        Raises:
            DriverError: With `state desync` if the history has more or fewer turns than there were prompts,
                or another decision is being made.
        """
        if self._deciding:
            raise DriverError(self._desync("it is asked for a prompt while it decides on another one"))
        if len(history) != self._prompts:
            raise DriverError(
                self._desync(
                    f"it has produced {self._prompts} prompts, but the history has {len(history)} turns"
                )
            )
        self._deciding = True
        try:
            yield
        finally:
            self._deciding = False

    async def ask_async(
        self,
        shown: str,
        *,
        further: Sequence[ChatMessage] = (),
        response_schema: dict[str, Any] | None = None,
    ) -> str:
        """The model's reply to what it is shown next; nothing is kept of either.

        Args:
            shown: What it is shown.
            further: What was said after that and is not to be kept.
            response_schema: JSON Schema that the reply should follow.

        Returns:
            The reply, empty if there is no text in it.

        Raises:
            ConfigurationError: If there is no client for the configuration.
            DriverError: If the call fails, with what the model raised as its cause.
        """
        model = self._client()
        messages = [*self._messages, ChatMessage(role="user", content=shown), *further]
        try:
            completion = await ask_async(
                model, role=UsageRole.DRIVER, messages=messages, response_schema=response_schema
            )
        except Exception as error:
            reason = quote(safe_str(error)).strip() or type(error).__name__
            remark = " (empty response)" if isinstance(error, EmptyCompletionError) else ""
            msg = f"{self._owner}: chat model call failed: {reason}{remark}"
            raise DriverError(msg) from error
        text: object = getattr(completion, "text", None)  # a model of the user's may return anything
        return safe_str(text) if isinstance(text, str) else ""

    def keep(self, *, shown: str, reply: str) -> None:
        """Remember an exchange that led to a prompt for the agent."""
        self._messages += [
            ChatMessage(role="user", content=shown),
            ChatMessage(role="assistant", content=encodable(reply)),
        ]
        self._prompts += 1

    def _client(self) -> ChatModel:
        if self._model is None:
            self._model = chat_model_of(self._llm)
        return self._model

    def _desync(self, seen: str) -> str:
        return (
            f"{self._owner}: state desync: {seen}; one {self._owner} holds one conversation, "
            "so make a new one for each trial"
        )
