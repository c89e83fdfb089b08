"""How a language model is configured; its key must not show."""

from __future__ import annotations

import sys
from dataclasses import FrozenInstanceError, replace
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest
from tests.core.support import REQUIRED, field_table

from rampart.core.llm import ChatMessage, ChatModel, Completion, LLMConfig, chat_model_of
from rampart.text.secrets import _isolated_secrets, redact

if TYPE_CHECKING:
    from collections.abc import Iterator

KEY = "sk-test-AAAA1111"


@pytest.fixture(autouse=True)
def register_of_secrets() -> Iterator[None]:
    with _isolated_secrets():
        yield


def test_fields() -> None:
    assert field_table(LLMConfig) == {
        "model": REQUIRED,
        "endpoint": None,
        "api_key": None,
        "deployment": None,
        "metadata": {},
        "max_retries": 2,
    }
    assert field_table(ChatMessage) == {"role": REQUIRED, "content": REQUIRED}
    assert field_table(Completion) == {"text": REQUIRED, "usage": None}


def test_s98_the_key_is_not_in_the_repr() -> None:
    config = LLMConfig(model="m", api_key=KEY)
    assert repr(config) == "LLMConfig(model='m', endpoint=None, deployment=None, metadata={}, max_retries=2)"
    assert str(config) == repr(config)


@pytest.mark.parametrize(
    ("endpoint", "shown"),
    [
        pytest.param("https://h.example/v1", "https://h.example/v1", id="nothing to hide"),
        pytest.param("https://me:pass@h.example/v1", "https://***@h.example/v1", id="user and password"),
        pytest.param("https://h.example/v1?api-key=abc", "https://h.example/v1?***", id="query"),
        pytest.param("me:pass@h.example", "***@h.example", id="no URL"),
        pytest.param("http://a@b@h.example", "http://***@h.example", id="two signs"),
    ],
)
def test_what_an_endpoint_holds_of_a_key_is_not_in_the_repr(endpoint: str, shown: str) -> None:
    assert f"endpoint={shown!r}," in repr(LLMConfig(model="m", endpoint=endpoint))


def test_s98_the_key_is_registered_as_a_secret() -> None:
    assert redact(f"refused {KEY}") == f"refused {KEY}"
    LLMConfig(model="m", api_key=KEY)
    assert redact(f"refused {KEY}") == "refused ***"


def test_s98_the_shortest_key_that_is_registered() -> None:
    LLMConfig(model="m", api_key="8letters")
    assert redact("8letters") == "***"


def test_s98_a_replaced_key_is_registered_too() -> None:
    replace(LLMConfig(model="m"), api_key=KEY)
    assert redact(KEY) == "***"


@pytest.mark.parametrize(
    "config",
    [
        pytest.param({"model": "", "max_retries": -1}, id="unusable"),
        pytest.param({"model": "m", "api_key": "short"}, id="short-key"),
        pytest.param({"model": "m", "api_key": "   abc   "}, id="short-key-among-spaces"),
        pytest.param({"model": "m", "api_key": ""}, id="empty-key"),
        pytest.param({"model": None, "api_key": 12345678, "max_retries": "2"}, id="wrong-types"),
    ],
)
def test_nothing_is_checked_at_construction(config: dict[str, Any]) -> None:
    LLMConfig(**config)
    assert redact("short abc 12345678") == "short abc 12345678"


def test_they_do_not_change() -> None:
    with pytest.raises(FrozenInstanceError):
        LLMConfig(model="m").model = "n"  # type: ignore[misc]  # the point of the test
    with pytest.raises(FrozenInstanceError):
        ChatMessage(role="user", content="a").content = "b"  # type: ignore[misc]  # likewise
    with pytest.raises(FrozenInstanceError):
        Completion(text="a").text = "b"  # type: ignore[misc]  # likewise


class _Model:
    async def complete_async(
        self, *, messages: list[ChatMessage], response_schema: dict[str, Any] | None = None
    ) -> Completion:
        return Completion(text=f"{len(messages)} messages, {response_schema}")


class TestChatModelOf:
    def test_a_model_is_taken_as_it_is(self) -> None:
        model = _Model()
        assert chat_model_of(model) is model

    def test_a_configuration_becomes_a_client(self, monkeypatch: pytest.MonkeyPatch) -> None:
        made: list[LLMConfig] = []

        def create_chat_model(*, config: LLMConfig) -> ChatModel:
            made.append(config)
            return _Model()

        package, module = ModuleType("rampart.llm"), ModuleType("rampart.llm.factory")
        vars(module)["create_chat_model"] = create_chat_model
        monkeypatch.setitem(sys.modules, "rampart.llm", package)
        monkeypatch.setitem(sys.modules, "rampart.llm.factory", module)
        config = LLMConfig(model="m")
        assert isinstance(chat_model_of(config), _Model)
        assert made == [config]

    @pytest.mark.parametrize(
        "llm", [None, "gpt", {"model": "m"}, _Model], ids=["none", "name", "mapping", "class"]
    )
    def test_anything_else_is_refused(self, llm: Any) -> None:
        with pytest.raises(TypeError, match=r"llm must be an LLMConfig or a ChatModel.*got"):
            chat_model_of(llm)
