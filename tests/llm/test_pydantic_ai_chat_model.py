"""A chat model through pydantic-ai: its function and test models, and its OpenAI model on the loopback."""

import asyncio
import logging
import sys
import warnings
from typing import Any

import pytest
from pydantic_ai.exceptions import ContentFilterError, ModelHTTPError, UserError
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    UserPromptPart,
)
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.profiles import ModelProfile
from pydantic_ai.providers.openai import OpenAIProvider
from tests.llm.chat_answers import ChatAnswer, completion, html, refused, throttled
from tests.llm.chat_server import KEY, ChatServer

from rampart.core.errors import (
    ChatModelError,
    ConfigurationError,
    EmptyCompletionError,
    RateLimitError,
)
from rampart.core.llm import ChatMessage, ChatModel
from rampart.core.types import Usage
from rampart.llm.pydantic_ai_chat_model import PydanticAIChatModel

QUESTION = [ChatMessage(role="user", content="Well?")]
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"word": {"enum": ["stone", "paper"]}},
    "required": ["word"],
    "additionalProperties": False,
}


class Recorded:
    """Answers with what it is given, one after another, and keeps what it was asked."""

    def __init__(self, *answers: ModelResponse | Exception) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[list[ModelMessage], AgentInfo]] = []

    async def __call__(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.asked.append((messages, info))
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def saying(text: str, **fields: Any) -> ModelResponse:
    return ModelResponse(parts=[TextPart(content=text)], **fields)


def model_with(*answers: ModelResponse | Exception, **arguments: Any) -> tuple[PydanticAIChatModel, Recorded]:
    recorded = Recorded(*answers)
    return PydanticAIChatModel(FunctionModel(recorded), **{"max_retries": 0, **arguments}), recorded


def model_on(server: ChatServer, *, name: str = "gpt-4o", **arguments: Any) -> PydanticAIChatModel:
    provider = OpenAIProvider(base_url=server.url, api_key=KEY)
    return PydanticAIChatModel(OpenAIChatModel(name, provider=provider), **{"max_retries": 0, **arguments})


async def test_roles_and_order_are_kept() -> None:
    model, recorded = model_with(saying("yes"))
    assert isinstance(model, ChatModel)
    answer = await model.complete_async(
        messages=[
            ChatMessage(role="system", content="Be brief."),
            ChatMessage(role="user", content="Hello"),
            ChatMessage(role="assistant", content="Hi"),
            ChatMessage(role="user", content="Half of a pair: \ud800"),
        ]
    )
    assert answer.text == "yes"
    [(history, info)] = recorded.asked
    seen = [
        (type(message), [(type(part), getattr(part, "content", None)) for part in message.parts])
        for message in history
    ]
    assert seen == [
        (ModelRequest, [(SystemPromptPart, "Be brief."), (UserPromptPart, "Hello")]),
        (ModelResponse, [(TextPart, "Hi")]),
        (ModelRequest, [(UserPromptPart, "Half of a pair: \ufffd")]),
    ]
    assert info.model_request_parameters.output_mode == "text"


async def test_reasoning_is_no_part_of_the_text() -> None:
    thinking = ModelResponse(parts=[ThinkingPart(content="hm"), TextPart(content="yes")])
    model, _ = model_with(thinking)
    assert (await model.complete_async(messages=QUESTION)).text == "yes"


async def test_settings_go_along_and_the_library_does_not_retry() -> None:
    model, recorded = model_with(saying("yes"), settings={"temperature": 0.3, "max_retries": 9})
    await model.complete_async(messages=QUESTION)
    assert recorded.asked[0][1].model_settings == {"temperature": 0.3, "max_retries": 0}


@pytest.mark.parametrize(("native", "mode"), [(True, "native"), (False, "prompted")])
async def test_a_schema_is_enforced_where_the_model_can_and_else_prompted(native: bool, mode: str) -> None:
    recorded = Recorded(saying('{"word": "stone"}'))
    profile = ModelProfile(supports_json_schema_output=native)
    model = PydanticAIChatModel(FunctionModel(recorded, profile=profile))
    answer = await model.complete_async(messages=QUESTION, response_schema=SCHEMA)
    assert answer.text == '{"word": "stone"}'
    parameters = recorded.asked[0][1].model_request_parameters
    assert parameters.output_mode == mode
    assert parameters.output_object is not None
    assert parameters.output_object.json_schema == SCHEMA


async def test_the_service_gets_the_schema() -> None:
    with ChatServer() as server:
        await model_on(server).complete_async(messages=QUESTION, response_schema=SCHEMA)
        [body] = server.bodies
    assert body["response_format"]["json_schema"]["schema"] == SCHEMA
    assert body["messages"] == [{"role": "user", "content": "Well?"}]


async def test_a_service_that_refuses_the_schema_is_asked_without_it_from_then_on() -> None:
    with ChatServer(answers=[refused(400, "no response_format here")]) as server:
        model = model_on(server)
        answers = [await model.complete_async(messages=QUESTION, response_schema=SCHEMA) for _ in range(2)]
        assert ["response_format" in body for body in server.bodies] == [True, False, False]
    usages = [answer.usage for answer in answers if answer.usage]
    assert [usage.requests for usage in usages] == [2, 1]


async def test_a_call_that_fails_without_the_schema_as_well_keeps_it_for_the_next() -> None:
    with ChatServer(answers=[refused(400), refused(400, "bad user name")]) as server:
        model = model_on(server)
        with pytest.raises(ChatModelError, match="answered with status 400: bad user name"):
            await model.complete_async(messages=QUESTION, response_schema=SCHEMA)
        await model.complete_async(messages=QUESTION, response_schema=SCHEMA)
        assert "response_format" in server.bodies[-1]


async def test_usage_is_what_the_service_tells() -> None:
    told = {
        "prompt_tokens": 100,
        "prompt_tokens_details": {"cached_tokens": 40},
        "completion_tokens": 20,
        "completion_tokens_details": {"reasoning_tokens": 5},
        "total_tokens": 120,
    }
    with ChatServer(default=completion("yes", usage=told)) as server:
        answer = await model_on(server).complete_async(messages=QUESTION)
    assert answer.usage == Usage(
        input_tokens=100, cached_input_tokens=40, output_tokens=20, reasoning_tokens=5, requests=1
    )


async def test_usage_that_is_not_told_is_unknown() -> None:
    with ChatServer(default=completion("yes", usage={})) as server:
        answer = await model_on(server).complete_async(messages=QUESTION)
    assert answer.usage == Usage(requests=1)


def test_one_object_serves_loops_one_after_the_other_and_leaves_no_connection() -> None:
    with ChatServer() as server:
        model = model_on(server)
        for _ in range(2):
            assert asyncio.run(model.complete_async(messages=QUESTION)).text == "hello"
        assert server.connections == 2


async def test_calls_that_overlap_share_connections() -> None:
    with ChatServer(default=completion("hello", after_s=0.05)) as server:
        model = model_on(server)
        await asyncio.gather(*(model.complete_async(messages=QUESTION) for _ in range(8)))
        assert len(server.calls) == 8


@pytest.mark.parametrize(
    ("answer", "error", "message"),
    [
        pytest.param(
            throttled(), RateLimitError, r"the model 'gpt-4o' answered with status 429: Rate lim", id="429"
        ),
        pytest.param(
            throttled(retry_after="100"),
            RateLimitError,
            r"the server asks for a wait of 100 s",
            id="429-long",
        ),
        pytest.param(
            refused(429, "no credit", code="insufficient_quota"),
            ChatModelError,
            r"status 429: no credit; the account has no credit left for this model$",
            id="quota",
        ),
        pytest.param(refused(500, "broken"), ChatModelError, r"answered with status 500: broken$", id="500"),
        pytest.param(html(502), ChatModelError, r"status 502: an HTML page titled 'Sign in'$", id="html-502"),
        pytest.param(
            html(), ChatModelError, r"gave no usable answer: Invalid response .*JSON", id="html-200"
        ),
        pytest.param(
            ChatAnswer(body=b"{}"), ChatModelError, r"gave no usable answer: Inv", id="no-completion"
        ),
        pytest.param(ChatAnswer(), ChatModelError, r"answered with an error: Failed to decode", id="no-body"),
        pytest.param(
            refused(401, "wrong key"),
            ChatModelError,
            r"status 401: wrong key; check the provider's credential, and that it may use this model$",
            id="401",
        ),
        pytest.param(refused(403), ChatModelError, r"status 403: no; check the provider's cred", id="403"),
        pytest.param(
            refused(404), ChatModelError, r"status 404: no; check the name of the model, and the", id="404"
        ),
        pytest.param(
            completion("hello", cut_at=30), ChatModelError, r"broke off its answer \(peer closed", id="cut"
        ),
        pytest.param(
            ChatAnswer(silent=True),
            ChatModelError,
            r"did not answer within 0\.5 s; .* set settings\['timeout'\], and Limits\.turn_timeout_s",
            id="silent",
        ),
        pytest.param(
            completion(" \n"), EmptyCompletionError, r"answered nothing \(finish_reason stop\)", id="empty"
        ),
        pytest.param(completion(None), EmptyCompletionError, r"answered nothing", id="no-text"),
        pytest.param(
            completion(None, finish_reason="content_filter"),
            EmptyCompletionError,
            r"answered nothing: its content filter",
            id="filtered",
        ),
    ],
)
async def test_failures_say_what_was_seen(
    answer: ChatAnswer, error: type[ChatModelError], message: str
) -> None:
    with ChatServer(default=answer) as server, pytest.raises(error, match=message) as caught:
        await model_on(server, settings={"timeout": 0.5}).complete_async(messages=QUESTION)
    assert type(caught.value) is error
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


async def test_a_server_that_is_gone_cannot_be_reached() -> None:
    with ChatServer() as server:
        model = model_on(server)
    with pytest.raises(ChatModelError, match=r"could not be reached \(.*\); check its address") as caught:
        await model.complete_async(messages=QUESTION)
    assert caught.value.retryable


async def test_the_key_is_in_no_text() -> None:
    with ChatServer(default=refused(401, f"unknown key {KEY}")) as server:
        with pytest.raises(ChatModelError, match=r"unknown key \*\*\*") as caught:
            await model_on(server).complete_async(messages=QUESTION)
        assert KEY not in str(caught.value)


@pytest.mark.parametrize("answer", [throttled(retry_after="0"), refused(503)], ids=["429", "503"])
async def test_what_passes_is_tried_again(answer: ChatAnswer) -> None:
    with ChatServer(answers=[answer]) as server:
        completed = await model_on(server, max_retries=1).complete_async(messages=QUESTION)
        assert len(server.calls) == 2
    assert completed.usage is not None
    assert completed.usage.requests == 2


async def test_attempts_come_to_an_end() -> None:
    with ChatServer(default=refused(500)) as server:
        with pytest.raises(ChatModelError, match=r"status 500: no \(2 attempts\)"):
            await model_on(server, max_retries=1).complete_async(messages=QUESTION)
        assert len(server.calls) == 2


async def test_what_does_not_pass_is_not_tried_again() -> None:
    with ChatServer(default=refused(401)) as server:
        with pytest.raises(ChatModelError, match="status 401"):
            await model_on(server, max_retries=3).complete_async(messages=QUESTION)
        assert len(server.calls) == 1


@pytest.mark.parametrize(
    ("failure", "error", "message"),
    [
        (UserError("set a key"), ConfigurationError, "cannot be used as it is set up: set a key"),
        (ContentFilterError("no"), EmptyCompletionError, "its content filter refused"),
        (ModelHTTPError(status_code=418, model_name="x"), ChatModelError, "answered with status 418"),
        (ConnectionResetError("reset"), ChatModelError, r"could not be reached \(reset\)"),
        (LookupError("a bug"), LookupError, "a bug"),
    ],
    ids=["user", "filter", "teapot", "reset", "bug"],
)
async def test_errors_of_models_are_told_apart(
    failure: Exception, error: type[Exception], message: str
) -> None:
    model, _ = model_with(failure)
    with pytest.raises(error, match=message):
        await model.complete_async(messages=QUESTION)


async def test_a_cancelled_call_gives_its_connection_back() -> None:
    with ChatServer(answers=[ChatAnswer(silent=True)]) as server:
        model = model_on(server)
        call = asyncio.create_task(model.complete_async(messages=QUESTION))
        async with asyncio.timeout(10):
            while not server.calls:  # noqa: ASYNC110  # the server runs in a thread of its own
                await asyncio.sleep(0.01)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert (await model.complete_async(messages=QUESTION)).text == "hello"


async def test_a_cut_reply_is_told_of_once(caplog: pytest.LogCaptureFixture) -> None:
    model, _ = model_with(saying("a", finish_reason="length"), saying("b", finish_reason="length"))
    for _ in range(2):
        await model.complete_async(messages=QUESTION)
    assert caplog.text.count("was cut at its largest number of tokens") == 1


async def test_a_name_becomes_a_model_at_the_first_call() -> None:
    model = PydanticAIChatModel("test")
    assert (model.model_name, repr(model)) == ("test", "PydanticAIChatModel('test')")
    assert (await model.complete_async(messages=QUESTION)).text == "success (no tool calls)"


async def test_a_model_that_chooses_among_others_is_served() -> None:
    model = PydanticAIChatModel(FallbackModel(TestModel(), TestModel()))
    assert (await model.complete_async(messages=QUESTION, response_schema=SCHEMA)).text


async def test_a_model_that_cannot_turn_retries_off_does_not_complain() -> None:
    class Stubborn(FunctionModel):
        unsupported_settings = frozenset({"max_retries"})

    recorded = Recorded(saying("yes"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        await PydanticAIChatModel(Stubborn(recorded)).complete_async(messages=QUESTION)
    assert not recorded.asked[0][1].model_settings


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("openai:gpt-4o", "OPENAI_API_KEY"),
        ("nonsense:abc", "Unknown model: nonsense:abc"),
        ("nonsense", "Unknown model: nonsense"),
    ],
)
async def test_names_that_lead_nowhere_say_what_to_do(name: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        await PydanticAIChatModel(name).complete_async(messages=QUESTION)


async def test_a_missing_library_of_the_provider_names_its_install_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for module in [name for name in sys.modules if name.startswith("pydantic_ai.providers.anthropic")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "anthropic", None)
    with pytest.raises(ConfigurationError, match=r'pip install "pydantic-ai-slim\[anthropic\]"'):
        await PydanticAIChatModel("anthropic:claude-sonnet-4-5").complete_async(messages=QUESTION)


async def test_missing_pydantic_ai_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in [name for name in sys.modules if name.partition(".")[0] == "pydantic_ai"]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "pydantic_ai", None)
    with pytest.raises(ConfigurationError, match=r'pip install "rampart\[pydantic-ai\]"'):
        await PydanticAIChatModel("test").complete_async(messages=QUESTION)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"model": 3}, TypeError, "model must be a model of pydantic-ai or the name of one, got int"),
        ({"model": " "}, ValueError, "model must be named, such as 'anthropic:"),
        ({"settings": [1]}, TypeError, "settings must be a dict, pydantic-ai's ModelSettings, got list"),
        ({"max_retries": True}, TypeError, "max_retries must be an int, got bool"),
        ({"max_retries": -1}, ValueError, "max_retries must be 0 or more, got -1"),
    ],
    ids=["model", "name", "settings", "retries-type", "retries-negative"],
)
def test_arguments_are_checked(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    model = arguments.pop("model", "test")
    with pytest.raises(error, match=message):
        PydanticAIChatModel(model, **arguments)


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(ChatAnswer(body=b"[" * 100_000), id="nested-too-deep"),
        pytest.param(ChatAnswer(body=b'{"choices": [1]}'), id="choice-that-is-a-number"),
        pytest.param(
            ChatAnswer(status=400, body=b"no", content_type="text/html; charset=hex"), id="charset-hex-400"
        ),
        pytest.param(
            ChatAnswer(status=429, body=b"no", content_type="text/html; charset=rot13"),
            id="charset-rot13-429",
        ),
    ],
)
async def test_an_answer_that_the_library_trips_over_is_an_error_of_the_model(answer: ChatAnswer) -> None:
    with (
        ChatServer(default=answer) as server,
        pytest.raises(ChatModelError, match=r"'gpt-4o' gave no usable answer \((\w+): ") as caught,
    ):
        await model_on(server).complete_async(messages=QUESTION)
    assert caught.value.__context__ is None


async def test_a_key_that_the_server_repeats_in_its_headers_stays_out_of_logs(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    answer = ChatAnswer(body=completion("hello").body, headers={"X-Asked-With": f"Bearer {KEY}"})
    with ChatServer(default=answer) as server:
        await model_on(server).complete_async(messages=QUESTION)
    assert "X-Asked-With" in caplog.text
    assert KEY not in caplog.text


async def test_a_schema_that_cannot_be_sent_is_refused() -> None:
    model, recorded = model_with(saying("x"))
    with pytest.raises(ValueError, match=r"response_schema must be a JSON Schema, .*set is not JSON"):
        await model.complete_async(messages=QUESTION, response_schema={"enum": {1, 2}})
    assert recorded.asked == []
