"""Configurations become clients, at little cost."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from rampart import LLMConfig
from rampart.core.llm import ChatMessage, chat_model_of
from rampart.llm import OpenAIChatModel, create_chat_model

if TYPE_CHECKING:
    from tests.llm.chat_server import ChatServer


def test_no_configuration_is_refused_before_its_use() -> None:
    assert isinstance(create_chat_model(config=LLMConfig(model="", max_retries=-1)), OpenAIChatModel)


def test_what_is_no_configuration_is() -> None:
    with pytest.raises(TypeError, match="config must be an LLMConfig, got dict"):
        create_chat_model(config={})  # type: ignore[arg-type]  # the point of the test


async def test_the_core_finds_it(server: ChatServer) -> None:
    model = chat_model_of(server.config())
    assert isinstance(model, OpenAIChatModel)
    assert (await model.complete_async(messages=[ChatMessage(role="user", content="Hi")])).text == "hello"


def test_making_one_imports_no_library() -> None:
    code = """
import sys
from rampart import LLMConfig
from rampart.core.llm import chat_model_of
chat_model_of(LLMConfig(model="m"))
assert "rampart.llm.openai_chat_model" in sys.modules
assert not {"openai", "httpx2", "genai_prices", "azure", "pydantic"} & sys.modules.keys()
"""
    subprocess.run([sys.executable, "-c", code], check=True)
