"""The client of a language model that was described."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rampart.llm.openai_chat_model import OpenAIChatModel

if TYPE_CHECKING:
    from rampart.core.llm import ChatModel, LLMConfig


def create_chat_model(*, config: LLMConfig) -> ChatModel:
    """Make the client of a configured model; nothing is imported, checked or reached before its first call.

    Args:
        config: Which model, and where.

    Raises:
        TypeError: If `config` is no LLMConfig.
    """
    return OpenAIChatModel(config=config)
