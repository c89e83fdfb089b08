"""The client of chat completions, with the real library, against a server on the loopback."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import pytest
from tests.llm.chat_answers import ChatAnswer, ChatCall, completion, refused, silent, throttled
from tests.llm.chat_server import KEY, ChatServer

from rampart import ConfigurationError, LLMConfig, Usage
from rampart.core.errors import ChatModelError, EmptyCompletionError, RateLimitError
from rampart.core.llm import ChatMessage, ChatModel, Completion
from rampart.llm import OpenAIChatModel, create_chat_model, set_price

if TYPE_CHECKING:
    from collections.abc import Iterator

ASKED = [ChatMessage(role="system", content="Be brief."), ChatMessage(role="user", content="Hi")]
CLOSED = {
    "type": "object",
    "properties": {"a": {"type": "string"}},
    "required": ["a"],
    "additionalProperties": False,
}


async def ask_async(config: LLMConfig, schema: dict[str, Any] | None = None) -> Completion:
    return await OpenAIChatModel(config=config).complete_async(messages=ASKED, response_schema=schema)


def without_schemas(call: ChatCall) -> ChatAnswer:
    if "response_format" in call.body:
        return refused(400, "response_format json_schema is not supported")
    return completion("plain")


class TestMaking:
    def test_it_is_a_chat_model(self, server: ChatServer) -> None:
        assert isinstance(create_chat_model(config=server.config()), OpenAIChatModel)
        assert isinstance(create_chat_model(config=server.config()), ChatModel)

    def test_only_configurations_are_taken(self) -> None:
        with pytest.raises(TypeError, match="config must be an LLMConfig, got str"):
            OpenAIChatModel(config="gpt-4o")  # type: ignore[arg-type]  # the point of the test

    def test_reports_name_it_by_what_is_sent(self) -> None:
        assert OpenAIChatModel(config=LLMConfig(model="a")).model_name == "a"
        assert OpenAIChatModel(config=LLMConfig(model="a", deployment="b")).model_name == "b"

    def test_the_repr_tells_no_secret(self) -> None:
        config = LLMConfig(model="m", endpoint="http://x/v1?code=abcdef", api_key="sk-very-secret")
        assert repr(OpenAIChatModel(config=config)) == "OpenAIChatModel('m')"

    @pytest.mark.parametrize(
        ("fields", "text"),
        [
            pytest.param({"model": ""}, r"^LLMConfig.model must name a model, got ''$", id="empty-model"),
            pytest.param({"model": " "}, "LLMConfig.model must name a model", id="blank-model"),
            pytest.param({"model": None}, "LLMConfig.model must name a model, got None", id="no-model"),
            pytest.param(
                {"max_retries": -1}, "LLMConfig.max_retries must be an int of 0 or more, got -1", id="below-0"
            ),
            pytest.param(
                {"max_retries": 1.0}, r"LLMConfig.max_retries must be an int .* got 1\.0", id="float"
            ),
            pytest.param(
                {"max_retries": True}, "LLMConfig.max_retries must be an int .* got True", id="bool"
            ),
            pytest.param(
                {"model": "a\ud800"}, "LLMConfig.model holds half a character", id="half-a-character"
            ),
            pytest.param({"deployment": 5}, "LLMConfig.deployment must name a model, got 5", id="deployment"),
            pytest.param(
                {"deployment": " "}, "LLMConfig.deployment must name a model", id="blank-deployment"
            ),
            pytest.param(
                {"metadata": None}, "LLMConfig.metadata must be a dict, got NoneType", id="no-metadata"
            ),
            pytest.param(
                {"endpoint": "http://256.1.1.1/v1"},
                r"LLMConfig.endpoint http://256.1.1.1/v1 cannot be reached \(Invalid IPv4 address",
                id="no-address",
            ),
            pytest.param(
                {"metadata": {"temperature": 10**400}},
                r"\['temperature'\] must be a finite number",
                id="huge",
            ),
            pytest.param(
                {"metadata": {"timeout_s": 10**5000}},
                r"\['timeout_s'\] must be a finite number, got <unprintable",
                id="huger",
            ),
            pytest.param({"endpoint": "nonsense"}, "LLMConfig.endpoint 'nonsense' is no http", id="endpoint"),
            pytest.param(
                {"metadata": {"seed": "7"}}, r"LLMConfig.metadata\['seed'\] must be a finite", id="seed"
            ),
            pytest.param(
                {"api_key": None}, "there is no credential for the model 'small-model'", id="no-key"
            ),
        ],
    )
    async def test_what_cannot_work_is_refused_at_the_first_call(
        self, server: ChatServer, fields: dict[str, Any], text: str
    ) -> None:
        model = OpenAIChatModel(config=server.config(**fields))
        for _ in range(2):  # and not only at the first
            with pytest.raises(ConfigurationError, match=text):
                await model.complete_async(messages=ASKED)
        assert server.calls == []


class TestRequest:
    async def test_what_is_sent(self, server: ChatServer) -> None:
        answer = await ask_async(server.config())
        assert answer.text == "hello"
        [call] = server.calls
        assert call.path == "/v1/chat/completions"
        assert call.headers["authorization"] == f"Bearer {KEY}"
        assert call.body == {
            "model": "small-model",
            "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}],
        }

    async def test_halves_of_characters_do_not_stop_a_call(self, server: ChatServer) -> None:
        hostile = [ChatMessage(role="user", content="a\ud800b\x00\u202e\U0001f600")]
        await OpenAIChatModel(config=server.config()).complete_async(messages=hostile)
        assert server.bodies[0]["messages"][0]["content"] == "a\ufffdb\x00\u202e\U0001f600"

    async def test_the_deployment_is_the_name_that_is_sent(self, server: ChatServer) -> None:
        await ask_async(server.config(deployment="mine"))
        assert server.bodies[0]["model"] == "mine"

    async def test_the_key_of_the_environment(
        self, server: ChatServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-from-the-environment\n")
        await ask_async(server.config(api_key=None))
        assert server.calls[0].headers["authorization"] == "Bearer sk-from-the-environment"

    async def test_the_query_of_the_endpoint_is_kept(self, server: ChatServer) -> None:
        await ask_async(server.config(endpoint=f"{server.url}/?region=eu"))
        assert server.calls[0].path == "/v1/chat/completions?region=eu"

    async def test_the_organisation_of_the_environment_is_nobody_elses_matter(
        self, server: ChatServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
        await ask_async(server.config())
        assert "openai-organization" not in server.calls[0].headers

    async def test_sampling_options_are_sent_and_others_named_once(
        self, server: ChatServer, caplog: pytest.LogCaptureFixture
    ) -> None:
        sent = {
            "frequency_penalty": 0.1,
            "max_completion_tokens": 5,
            "max_tokens": 6,
            "presence_penalty": 0.2,
            "seed": 7,
            "temperature": 0,
            "top_p": 0.5,
        }
        model = OpenAIChatModel(
            config=server.config(metadata={**sent, "stop": "x", "team": "red", "top_k": 3})
        )
        with caplog.at_level(logging.WARNING, logger="rampart"):
            for _ in range(2):
                await model.complete_async(messages=ASKED)
        assert [
            {key: body[key] for key in body if key not in {"model", "messages"}} for body in server.bodies
        ] == [
            sent,
            sent,
        ]
        [record] = caplog.records
        assert "the metadata keys stop, team, top_k are not sent" in record.message

    async def test_options_that_are_none_are_left_out(self, server: ChatServer) -> None:
        await ask_async(server.config(metadata={"temperature": None}))
        assert "temperature" not in server.bodies[0]


class TestSchema:
    @pytest.mark.parametrize(
        ("schema", "strict"),
        [
            pytest.param(CLOSED, True, id="closed"),
            pytest.param({**CLOSED, "required": []}, False, id="optional-property"),
        ],
    )
    async def test_it_is_asked_for(self, server: ChatServer, schema: dict[str, Any], strict: bool) -> None:
        await ask_async(server.config(), schema)
        assert server.bodies[0]["response_format"] == {
            "type": "json_schema",
            "json_schema": {"name": "reply", "schema": schema, "strict": strict},
        }

    async def test_without_one_there_is_no_format(self, server: ChatServer) -> None:
        await ask_async(server.config())
        assert "response_format" not in server.bodies[0]

    async def test_a_service_that_takes_none_is_asked_without_and_not_bothered_again(self) -> None:
        with ChatServer(default=without_schemas) as server:
            model = OpenAIChatModel(config=server.config(max_retries=0))
            first = await model.complete_async(messages=ASKED, response_schema=CLOSED)
            again = await model.complete_async(messages=ASKED, response_schema=CLOSED)
        assert (first.text, again.text) == ("plain", "plain")
        assert ["response_format" in body for body in server.bodies] == [True, False, False]
        assert first.usage is not None
        assert again.usage is not None
        assert (first.usage.requests, again.usage.requests) == (2, 1)

    async def test_other_faults_are_not_laid_on_the_schema(self) -> None:
        with ChatServer(default=refused(400, "this model does not exist")) as server:
            model = OpenAIChatModel(config=server.config())
            for _ in range(2):
                with pytest.raises(ChatModelError, match="status 400: this model does not exist"):
                    await model.complete_async(messages=ASKED, response_schema=CLOSED)
        assert ["response_format" in body for body in server.bodies] == [True, False] * 2

    async def test_a_filtered_prompt_is_not_sent_twice(self) -> None:
        with (
            ChatServer(default=refused(400, "filtered", code="content_filter")) as server,
            pytest.raises(EmptyCompletionError, match="its content filter refused the prompt"),
        ):
            await ask_async(server.config(), CLOSED)
        assert len(server.calls) == 1


class TestRetries:
    async def test_what_passes_is_asked_again(self) -> None:
        soon = throttled(retry_after="0")
        with ChatServer(answers=[soon, refused(503, headers={"Retry-After": "0"})]) as server:
            answer = await ask_async(server.config(max_retries=2))
        assert answer.text == "hello"
        assert answer.usage is not None
        assert answer.usage.requests == len(server.calls) == 3

    async def test_a_broken_answer_is_asked_again(self) -> None:
        with ChatServer(answers=[completion("a long reply", cut_at=20)]) as server:
            answer = await ask_async(server.config(max_retries=1))
        assert answer.text == "hello"
        assert len(server.calls) == 2

    async def test_at_the_end_the_error_is_that_of_the_last_attempt(self) -> None:
        with (
            ChatServer(default=throttled(retry_after="0")) as server,
            pytest.raises(RateLimitError, match="status 429: Rate limit reached"),
        ):
            await ask_async(server.config(max_retries=2))
        assert len(server.calls) == 3

    @pytest.mark.parametrize(
        "answer",
        [
            pytest.param(refused(400), id="400"),
            pytest.param(refused(401), id="401"),
            pytest.param(refused(404), id="404"),
            pytest.param(refused(501), id="501"),
            pytest.param(refused(503, headers={"x-should-retry": "false"}), id="told-not-to"),
            pytest.param(refused(429, code="insufficient_quota"), id="no-credit"),
            pytest.param(completion(""), id="empty"),
        ],
    )
    async def test_what_does_not_pass_is_not(self, answer: ChatAnswer) -> None:
        with ChatServer(default=answer) as server, pytest.raises(ChatModelError):
            await ask_async(server.config(max_retries=2))
        assert len(server.calls) == 1

    async def test_a_silent_model_is_not_waited_for_twice(self) -> None:
        with (
            ChatServer(default=silent()) as server,
            pytest.raises(ChatModelError, match=r"small-model.* did not answer within 0\.2 s") as caught,
        ):
            await ask_async(server.config(max_retries=2, metadata={"timeout_s": 0.2}))
        assert len(server.calls) == 1
        assert caught.value.retryable


class TestUsage:
    FIGURES = {  # noqa: RUF012  # read only
        "prompt_tokens": 1000,
        "prompt_tokens_details": {"cached_tokens": 400},
        "completion_tokens": 50,
        "completion_tokens_details": {"reasoning_tokens": 20},
        "total_tokens": 1050,
    }

    @pytest.fixture
    def server(self) -> Iterator[ChatServer]:
        with ChatServer(default=completion("hello", usage=self.FIGURES)) as running:
            yield running

    async def test_unknown_prices_are_none(self, server: ChatServer) -> None:
        answer = await ask_async(server.config(model="gpt-4o"))  # a name with a price, at a place without
        assert answer.usage == Usage(
            input_tokens=1000, cached_input_tokens=400, output_tokens=50, reasoning_tokens=20, requests=1
        )

    async def test_a_cost_stated_by_anybody_is_not_believed(self) -> None:
        with ChatServer(default=completion("hello", usage={**self.FIGURES, "cost": 3.0})) as server:
            answer = await ask_async(server.config())
        assert answer.usage is not None
        assert answer.usage.cost_usd is None

    async def test_own_prices(self, server: ChatServer) -> None:
        set_price(
            "small-model", input_usd_per_million=2, output_usd_per_million=10, cached_input_usd_per_million=1
        )
        answer = await ask_async(server.config(deployment="other-name"))
        assert answer.usage is not None
        assert answer.usage.cost_usd == pytest.approx((600 * 2 + 400 * 1 + 50 * 10) / 1e6)

    async def test_a_service_that_tells_nothing(self) -> None:
        with ChatServer(default=completion("hello", usage={})) as server:
            answer = await ask_async(server.config())
        assert answer.usage == Usage(requests=1)


async def test_a_reply_cut_short_is_returned_and_told_of_once(caplog: pytest.LogCaptureFixture) -> None:
    with ChatServer(default=completion("hel", finish_reason="length")) as server:
        model = OpenAIChatModel(config=server.config())
        with caplog.at_level(logging.WARNING, logger="rampart"):
            texts = [(await model.complete_async(messages=ASKED)).text for _ in range(2)]
    assert texts == ["hel", "hel"]
    [record] = caplog.records
    assert "the model 'small-model' at http://127.0.0.1" in record.message
    assert "raise max_completion_tokens" in record.message
