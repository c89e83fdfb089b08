"""The client for OpenAI-compatible servers, against a real server."""

import socket
from collections.abc import Iterator

import pytest
from tests.demo.loopback_server import Asked, completion, loopback

from rampart.core.errors import ChatModelError, ConfigurationError
from rampart.core.llm import ChatMessage
from rampart.demo.endpoint_model import EndpointModel
from rampart.text.secrets import _isolated_secrets, redact

MESSAGES = [ChatMessage(role="system", content="Be brief."), ChatMessage(role="user", content="Hé?")]
SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}


@pytest.fixture(autouse=True)
def _own_secrets() -> Iterator[None]:
    with _isolated_secrets():
        yield


def _ask(model: EndpointModel, *, with_schema: bool = False) -> str:
    schema = SCHEMA if with_schema else None
    return model.complete(MESSAGES, max_tokens=9, temperature=0.5, seed=3, schema=schema)


def test_request_and_reply() -> None:
    with loopback(lambda _asked: (200, completion("Oui, ça."))) as server:
        model = EndpointModel(endpoint=f"{server.url}/v1/", model="small", api_key="a-long-secret")
        assert _ask(model) == "Oui, ça."
    [asked] = server.asked
    assert asked.path == "/v1/chat/completions"
    assert asked.headers["Authorization"] == "Bearer a-long-secret"
    assert asked.body == {
        "model": "small",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hé?"}],
        "max_tokens": 9,
        "temperature": 0.5,
        "seed": 3,
    }


def test_without_a_key_none_is_sent() -> None:
    with loopback(lambda _asked: (200, completion("x"))) as server:
        _ask(EndpointModel(endpoint=server.url, model="small"))
    assert "Authorization" not in server.asked[0].headers


def test_schema_is_asked_for() -> None:
    with loopback(lambda _asked: (200, completion("{}"))) as server:
        _ask(EndpointModel(endpoint=server.url, model="small"), with_schema=True)
    assert server.asked[0].body["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "reply", "schema": SCHEMA, "strict": True},
    }


def test_server_without_schemas_is_asked_for_one_only_once() -> None:
    def answer(asked: Asked) -> tuple[int, bytes]:
        return (
            (400, b"no response_format here") if "response_format" in asked.body else (200, completion("{}"))
        )

    with loopback(answer) as server:
        model = EndpointModel(endpoint=server.url, model="small")
        assert [_ask(model, with_schema=True) for _ in range(2)] == ["{}", "{}"]
    assert ["response_format" in asked.body for asked in server.asked] == [True, False, False]


def test_refusal_for_another_reason_does_not_give_schemas_up() -> None:
    with loopback(lambda _asked: (400, b"too long")) as server:
        model = EndpointModel(endpoint=server.url, model="small")
        for _ in range(2):
            with pytest.raises(ChatModelError, match="status 400: too long"):
                _ask(model, with_schema=True)
    assert ["response_format" in asked.body for asked in server.asked] == [True, False, True, False]


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        pytest.param(401, b"who?", r"status 401: who\?; check RAMPART_LLM_API_KEY", id="unauthorised"),
        pytest.param(404, b"", r"/chat/completions with status 404: ; .* ends in /v1", id="wrong-path"),
        pytest.param(500, b"a\nb", r"status 500: a\\nb$", id="server-error-on-one-line"),
        pytest.param(307, b"http://127.0.0.1:1/", "status 307", id="redirect-is-not-followed"),
        pytest.param(200, b"<html>", "sent no chat completion .*<html>", id="not-json"),
        pytest.param(200, b"[]", r"no choices\[0\]\.message\.content in the reply", id="not-a-completion"),
        pytest.param(200, b'{"error": {"message": "overloaded"}}', "overloaded", id="error-with-status-200"),
        pytest.param(200, b'{"choices": [{"message": {"content": null}}]}', "no choices", id="no-text"),
        pytest.param(200, b"\xff\xfe", "sent no chat completion", id="not-text"),
    ],
)
def test_answers_that_are_none(status: int, body: bytes, said: str) -> None:
    with (
        loopback(lambda _asked: (status, body)) as server,
        pytest.raises(ChatModelError, match=said),
    ):
        _ask(EndpointModel(endpoint=server.url, model="small"))
    assert len(server.asked) == 1


def test_key_is_blanked_out_of_what_the_server_says() -> None:
    with loopback(lambda _asked: (403, b"bad key: a-long-secret")) as server:
        model = EndpointModel(endpoint=server.url, model="small", api_key="a-long-secret")
        with pytest.raises(ChatModelError, match=r"bad key: \*\*\*"):
            _ask(model)
    assert redact("a-long-secret") == "***"


def test_short_key_is_used_though_it_cannot_be_blanked_out() -> None:
    with loopback(lambda _asked: (200, completion("x"))) as server:
        assert _ask(EndpointModel(endpoint=server.url, model="small", api_key="none")) == "x"
    assert server.asked[0].headers["Authorization"] == "Bearer none"


def test_query_of_the_endpoint_is_kept() -> None:
    with loopback(lambda _asked: (200, completion("x"))) as server:
        _ask(EndpointModel(endpoint=f"{server.url}/v1?api-version=2", model="small"))
    assert server.asked[0].path == "/v1/chat/completions?api-version=2"


def test_nobody_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    model = EndpointModel(endpoint=f"http://127.0.0.1:{port}", model="small")
    with pytest.raises(
        ChatModelError, match=r"127\.0\.0\.1 did not answer .*check RAMPART_LLM_ENDPOINT"
    ) as caught:
        _ask(model)
    assert caught.value.retryable


def test_silence_is_bounded() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        model = EndpointModel(
            endpoint=f"http://127.0.0.1:{silent.getsockname()[1]}", model="small", timeout_s=0.1
        )
        with pytest.raises(ChatModelError, match=r"did not answer \(timed out\)"):
            _ask(model)


@pytest.mark.parametrize(
    "endpoint",
    [
        pytest.param("127.0.0.1:8080", id="no-scheme"),
        pytest.param("ftp://host/v1", id="other-scheme"),
        pytest.param("http://", id="no-host"),
        pytest.param("http://host:99999", id="port-too-large"),
        pytest.param("http://[::1", id="open-bracket"),
        pytest.param("http://host/a b", id="space"),
        pytest.param("http://höst/", id="not-ascii"),
    ],
)
def test_endpoint_must_be_a_web_address(endpoint: str) -> None:
    with pytest.raises(ConfigurationError, match="the endpoint"):
        EndpointModel(endpoint=endpoint, model="small")


@pytest.mark.parametrize(
    ("environ", "missing"),
    [
        pytest.param({"RAMPART_LLM_MODEL": "m"}, "RAMPART_LLM_ENDPOINT", id="endpoint"),
        pytest.param(
            {"RAMPART_LLM_ENDPOINT": "http://host", "RAMPART_LLM_MODEL": " "}, "RAMPART_LLM_MODEL", id="m"
        ),
    ],
)
def test_environment_must_be_complete(environ: dict[str, str], missing: str) -> None:
    with pytest.raises(ConfigurationError, match=f"{missing} is not set"):
        EndpointModel.from_environment(environ)


def test_environment_is_read() -> None:
    environ = {"RAMPART_LLM_MODEL": "small", "RAMPART_LLM_API_KEY": "key-of-length\n"}
    with loopback(lambda _asked: (200, completion("x"))) as server:
        model = EndpointModel.from_environment({**environ, "RAMPART_LLM_ENDPOINT": f"{server.url}/v1"})
        assert _ask(model) == "x"
    assert server.asked[0].headers["Authorization"] == "Bearer key-of-length"
    assert model.description == "small, on 127.0.0.1"


def test_key_that_is_no_header_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="RAMPART_LLM_API_KEY holds a line break") as caught:
        EndpointModel(endpoint="http://host", model="small", api_key="a-long\nsecret")
    assert "secret" not in str(caught.value)
