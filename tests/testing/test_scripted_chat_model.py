"""The scripted model answers in order and remembers what it was asked."""

import asyncio
from typing import Any

import pytest

from rampart.core.llm import ChatMessage, ChatModel, Completion
from rampart.core.types import Usage
from rampart.testing import HANG, ScriptedChatModel, ScriptExhaustedError

ASKED = [ChatMessage(role="user", content="hello")]


async def ask(model: ScriptedChatModel, *, schema: dict[str, Any] | None = None) -> Completion:
    return await model.complete_async(messages=ASKED, response_schema=schema)


def test_it_is_a_chat_model() -> None:
    assert isinstance(ScriptedChatModel([]), ChatModel)


async def test_answers_come_in_order() -> None:
    counted = Completion(text="b", usage=Usage(input_tokens=3))
    model = ScriptedChatModel(["a", counted])
    assert await ask(model) == Completion(text="a")
    assert await ask(model) is counted


async def test_calls_are_remembered() -> None:
    model = ScriptedChatModel(["a", "b"])
    conversation = list(ASKED)
    await model.complete_async(messages=conversation, response_schema={"type": "object"})
    conversation.clear()
    await ask(model)
    assert [call.messages for call in model.calls] == [ASKED, ASKED]
    assert [call.response_schema for call in model.calls] == [{"type": "object"}, None]


async def test_a_script_that_runs_out_says_so() -> None:
    model = ScriptedChatModel(["a"])
    await ask(model)
    with pytest.raises(ScriptExhaustedError, match=r"only 1 item, .*call 2; .*repeat_last=True"):
        await ask(model)
    assert len(model.calls) == 2


async def test_repeat_last_never_runs_out() -> None:
    model = ScriptedChatModel(["a", "b"], repeat_last=True)
    assert [(await ask(model)).text for _ in range(4)] == ["a", "b", "b", "b"]


@pytest.mark.parametrize("item", [ConnectionError("down"), ConnectionError], ids=["instance", "class"])
async def test_exceptions_are_raised_and_counted(item: Any) -> None:
    model = ScriptedChatModel([item])
    with pytest.raises(ConnectionError):
        await ask(model)
    assert len(model.calls) == 1


async def test_functions_see_the_messages() -> None:
    async def deferred(messages: list[ChatMessage]) -> Completion:
        return Completion(text=messages[0].content.upper())

    model = ScriptedChatModel([lambda messages: messages[0].content, deferred])
    assert [(await ask(model)).text for _ in range(2)] == ["hello", "HELLO"]


async def test_a_function_may_answer_what_no_model_should() -> None:
    answer: object = await ask(ScriptedChatModel([lambda _messages: None]))
    assert answer is None


async def test_hang_waits_until_it_is_cancelled() -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await ask(ScriptedChatModel([HANG]))


@pytest.mark.parametrize(
    ("script", "message"),
    [
        pytest.param("abc", "script must be a list of answers, got str", id="text"),
        pytest.param(["a", 3], r"script\[1\] must be .*, got int", id="number"),
        pytest.param([None], r"script\[0\] must be .*, got NoneType", id="none"),
    ],
)
def test_wrong_scripts_are_refused(script: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        ScriptedChatModel(script)
