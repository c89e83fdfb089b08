"""PyRIT targets as chat models, with the real PyRIT."""

import asyncio
from typing import Any

import pytest
from tests.integrations.pyrit.library import need_pyrit
from tests.integrations.pyrit.openai_server import OpenAIServer

from rampart import Usage
from rampart.core.errors import ChatModelError, ConfigurationError, EmptyCompletionError, RateLimitError
from rampart.core.llm import ChatMessage, ChatModel
from rampart.integrations.pyrit import PyRITChatModel

need_pyrit()
pytestmark = pytest.mark.pyrit

_ASK = [ChatMessage(role="user", content="How are you?")]


def _target_that(act: Any) -> Any:
    """A target of a user's own, which gives what `act` makes of a conversation."""
    from pyrit.prompt_target import PromptTarget

    async def send(_self: Any, *, normalized_conversation: list[Any]) -> Any:
        return act(normalized_conversation)

    return type("OwnTarget", (PromptTarget,), {"_send_prompt_to_target_async": send})()


def _echo(conversation: list[Any]) -> list[Any]:
    from pyrit.models import Message

    text = conversation[-1].get_value()
    return [Message.from_prompt(prompt=f"echo: {text}", role="assistant")]


def test_it_is_a_chat_model(target: Any) -> None:
    assert isinstance(PyRITChatModel(target=target), ChatModel)


async def test_the_whole_conversation_is_sent(target: Any, endpoint: OpenAIServer) -> None:
    endpoint.reply("Fine.")
    messages = [
        ChatMessage(role="system", content="Be brief."),
        ChatMessage(role="user", content="Hello"),
        ChatMessage(role="assistant", content="Hello!"),
        *_ASK,
    ]
    completion = await PyRITChatModel(target=target).complete_async(messages=messages)
    assert completion.text == "Fine."
    [asked] = endpoint.asked
    assert [(m["role"], m["content"]) for m in asked["messages"]] == [(m.role, m.content) for m in messages]
    assert "response_format" not in asked


async def test_usage_is_what_pyrit_noted(target: Any, endpoint: OpenAIServer) -> None:
    endpoint.reply("Fine.")
    completion = await PyRITChatModel(target=target).complete_async(messages=_ASK)
    assert completion.usage == Usage(
        input_tokens=30, cached_input_tokens=20, output_tokens=7, reasoning_tokens=3
    )


async def test_a_target_that_notes_no_usage(memory: Any) -> None:
    completion = await PyRITChatModel(target=_target_that(_echo)).complete_async(messages=_ASK)
    assert (completion.text, completion.usage) == ("echo: How are you?", None)


async def test_calls_know_nothing_of_each_other(target: Any, endpoint: OpenAIServer) -> None:
    model = PyRITChatModel(target=target)
    for _ in range(8):
        endpoint.reply("Fine.")
    await asyncio.gather(*(model.complete_async(messages=_ASK) for _ in range(8)))
    assert [len(asked["messages"]) for asked in endpoint.asked] == [1] * 8


async def test_conversations_are_in_the_memory(target: Any, endpoint: OpenAIServer, memory: Any) -> None:
    before = {piece.conversation_id for piece in memory.get_message_pieces()}
    endpoint.reply("Fine.")
    messages = [ChatMessage(role="system", content="Be brief."), *_ASK]
    await PyRITChatModel(target=target).complete_async(messages=messages)
    pieces = [piece for piece in memory.get_message_pieces() if piece.conversation_id not in before]
    assert [(piece.role, piece.converted_value) for piece in pieces] == [
        ("system", "Be brief."),
        ("user", "How are you?"),
        ("assistant", "Fine."),
    ]
    assert len({piece.conversation_id for piece in pieces}) == 1


async def test_a_schema_is_passed_on(target: Any, endpoint: OpenAIServer) -> None:
    endpoint.reply('{"mood": "fine"}')
    schema = {"type": "object", "properties": {"mood": {"type": "string"}}}
    await PyRITChatModel(target=target).complete_async(messages=_ASK, response_schema=schema)
    sent = endpoint.asked[0]["response_format"]
    assert (sent["type"], sent["json_schema"]["schema"]) == ("json_schema", schema)


async def test_a_schema_is_ignored_where_the_target_cannot_take_it(memory: Any) -> None:
    completion = await PyRITChatModel(target=_target_that(_echo)).complete_async(
        messages=_ASK, response_schema={"type": "object"}
    )
    assert completion.text == "echo: How are you?"


@pytest.mark.parametrize(
    ("answer", "error", "text"),
    [
        pytest.param((429, "slow_down"), RateLimitError, "RateLimitException", id="rate-limit"),
        pytest.param((401, "no_key"), ChatModelError, "Authentication", id="key-refused"),
        pytest.param((500, "down"), ChatModelError, "as told", id="server-error"),
        pytest.param((400, "content_filter"), ChatModelError, "blocked", id="content-filter"),
    ],
)
async def test_failures(
    target: Any, endpoint: OpenAIServer, answer: tuple[int, str], error: type[Exception], text: str
) -> None:
    status, code = answer
    for _ in range(20):
        endpoint.fail(status, code=code)
    with pytest.raises(error, match=text) as caught:
        await PyRITChatModel(target=target).complete_async(messages=_ASK)
    assert type(caught.value) is error
    assert "OpenAIChatTarget" in str(caught.value)
    assert "key-of-the-test" not in str(caught.value)


@pytest.mark.parametrize("text", [None, "", " \n"], ids=["none", "empty", "blank"])
async def test_a_reply_of_nothing(target: Any, endpoint: OpenAIServer, text: str | None) -> None:
    for _ in range(20):
        endpoint.reply(text)
    with pytest.raises(EmptyCompletionError, match="OpenAIChatTarget answered with nothing"):
        await PyRITChatModel(target=target).complete_async(messages=_ASK)


async def test_a_target_that_cannot_take_a_system_message_says_so(memory: Any) -> None:
    messages = [ChatMessage(role="system", content="Be brief."), *_ASK]
    with pytest.raises(ChatModelError, match="OwnTarget failed"):
        await PyRITChatModel(target=_target_that(_echo)).complete_async(messages=messages)


async def test_a_target_that_adapts_system_messages(memory: Any) -> None:
    from pyrit.prompt_target.common.target_capabilities import (
        CapabilityHandlingPolicy,
        CapabilityName,
        TargetCapabilities,
        UnsupportedCapabilityBehavior,
    )
    from pyrit.prompt_target.common.target_configuration import TargetConfiguration

    adapt = UnsupportedCapabilityBehavior.ADAPT
    target = _target_that(_echo)
    target._configuration = TargetConfiguration(
        capabilities=TargetCapabilities(),
        policy=CapabilityHandlingPolicy(behaviors=dict.fromkeys(CapabilityName, adapt)),
    )
    messages = [ChatMessage(role="system", content="Be brief."), *_ASK]
    completion = await PyRITChatModel(target=target).complete_async(messages=messages)
    assert "Be brief." in completion.text
    assert "How are you?" in completion.text


async def test_a_target_that_does_not_answer_is_refused(memory: Any) -> None:
    target = _target_that(lambda _conversation: [])
    with pytest.raises(ChatModelError, match="OwnTarget does not answer"):
        await PyRITChatModel(target=target).complete_async(messages=_ASK)


@pytest.mark.parametrize(
    "messages",
    [
        pytest.param([], id="none"),
        pytest.param([*_ASK, ChatMessage(role="assistant", content="Fine.")], id="assistant-last"),
    ],
)
async def test_a_conversation_must_end_with_the_user(memory: Any, messages: list[ChatMessage]) -> None:
    with pytest.raises(ValueError, match="must end with a message of the user"):
        await PyRITChatModel(target=_target_that(_echo)).complete_async(messages=messages)


async def test_a_memory_that_was_not_initialised_is_named(
    memory: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pyrit.memory import CentralMemory

    model = PyRITChatModel(target=_target_that(_echo))
    monkeypatch.setattr(CentralMemory, "_memory_instance", None)
    with pytest.raises(ConfigurationError, match='initialize_pyrit_async\\("InMemory"\\)'):
        await model.complete_async(messages=_ASK)


@pytest.mark.parametrize("wrong", [object(), "https://endpoint.example"], ids=["object", "url"])
def test_what_is_no_target_is_refused(wrong: Any) -> None:
    with pytest.raises(TypeError, match="must be a PyRIT target"):
        PyRITChatModel(target=wrong)


def test_a_class_is_no_target() -> None:
    from pyrit.prompt_target import OpenAIChatTarget

    with pytest.raises(TypeError, match="got the class OpenAIChatTarget"):
        PyRITChatModel(target=OpenAIChatTarget)
