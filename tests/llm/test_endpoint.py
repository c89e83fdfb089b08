"""Where calls go."""

from __future__ import annotations

from typing import Any

import pytest

from rampart import ConfigurationError, LLMConfig
from rampart.llm.endpoint import PUBLIC_URL, Endpoint, endpoint_of, is_azure_host
from rampart.text.secrets import register_secret


def of(endpoint: Any, **fields: Any) -> Endpoint:
    return endpoint_of(LLMConfig(**{"model": "gpt 4", "endpoint": endpoint, **fields}))


@pytest.mark.parametrize(
    ("endpoint", "url"),
    [
        pytest.param("http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1", id="local"),
        pytest.param(" http://127.0.0.1:8080/v1/\n", "http://127.0.0.1:8080/v1", id="space-and-slash"),
        pytest.param("https://openrouter.ai/api/v1", "https://openrouter.ai/api/v1", id="openrouter"),
        pytest.param("https://host", "https://host", id="no-path"),
        pytest.param("http://[::1]:8080/v1", "http://[::1]:8080/v1", id="ipv6"),
        pytest.param(None, PUBLIC_URL, id="public"),
    ],
)
def test_plain_services(endpoint: str | None, url: str) -> None:
    assert of(endpoint) == Endpoint(url=url)


def test_the_environment_does_not_move_the_public_endpoint(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    assert of(None).url == "https://api.openai.com/v1"
    assert caplog.records == []
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    assert of(None).url == "https://api.openai.com/v1"
    assert "OPENAI_BASE_URL is set but not read: LLMConfig(model='gpt 4') goes to https://api" in caplog.text


def test_a_query_is_kept_apart_and_not_shown() -> None:
    endpoint = of("https://gateway.example/v1?region=eu&code=private")
    assert endpoint.url == "https://gateway.example/v1"
    assert endpoint.query == {"region": "eu", "code": "private"}
    assert "private" not in repr(endpoint)


class TestAzure:
    HOST = "https://mine.openai.azure.com"

    @pytest.mark.parametrize(
        ("host", "expected"),
        [
            ("mine.openai.azure.com", True),
            ("MINE.OpenAI.Azure.com", True),
            ("mine.cognitiveservices.azure.com", True),
            ("mine.services.ai.azure.com", True),
            ("openai.azure.com.evil.example", False),
            ("evilopenai.azure.com", False),
            ("api.openai.com", False),
        ],
    )
    def test_hosts(self, host: str, expected: bool) -> None:
        assert is_azure_host(host) is expected
        assert of(f"https://{host}/v1").is_azure is expected

    @pytest.mark.parametrize(
        ("endpoint", "fields", "url", "version"),
        [
            pytest.param(HOST, {}, f"{HOST}/openai/v1", None, id="newest"),
            pytest.param(f"{HOST}/openai/v1/", {}, f"{HOST}/openai/v1", None, id="newest-spelled-out"),
            pytest.param(
                HOST,
                {"metadata": {"api_version": "2024-10-21"}},
                f"{HOST}/openai/deployments/gpt%204",
                "2024-10-21",
                id="version-in-metadata",
            ),
            pytest.param(
                f"{HOST}/?api-version=2024-10-21",
                {"deployment": "mine"},
                f"{HOST}/openai/deployments/mine",
                "2024-10-21",
                id="version-in-the-query",
            ),
            pytest.param(
                f"{HOST}/openai/deployments/mine",
                {"metadata": {"api_version": "2024-10-21"}},
                f"{HOST}/openai/deployments/mine",
                "2024-10-21",
                id="deployment-in-the-path",
            ),
        ],
    )
    def test_interfaces(self, endpoint: str, fields: dict[str, Any], url: str, version: str | None) -> None:
        found = of(endpoint, **fields)
        assert (found.url, found.query.get("api-version"), found.is_azure) == (url, version, True)

    def test_the_version_of_the_environment(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_API_VERSION", "2024-10-21")
        assert of(self.HOST, deployment="d").url == f"{self.HOST}/openai/deployments/d"
        assert of(f"{self.HOST}/openai/v1").query == {}  # asked for by name


@pytest.mark.parametrize(
    ("endpoint", "text"),
    [
        pytest.param("localhost:8080/v1", "'localhost:8080/v1' is no http or https URL", id="no-scheme"),
        pytest.param("", "'' is no http or https URL", id="empty"),
        pytest.param("ftp://host/v1", "is no http or https URL", id="other-scheme"),
        pytest.param("http:///v1", "is no http or https URL", id="no-host"),
        pytest.param("http://a..b/v1", "is no http or https URL", id="empty-label"),
        pytest.param("http://host:99999/v1", "is no http or https URL", id="port"),
        pytest.param("http://host:0/v1", "is no http or https URL", id="port-0"),
        pytest.param("http://[::1/v1", "is no http or https URL", id="bracket"),
        pytest.param("http://ho st/v1", "is no http or https URL", id="space"),
        pytest.param("http://h\u00f6st/v1", "is no http or https URL", id="not-ascii"),
        pytest.param(7, "'int' is no http or https URL", id="no-text"),
        pytest.param("http://me:word@host/v1", "holds a user or password", id="user"),
        pytest.param(
            "http://host/v1/chat/completions", r"give the base URL http://host/v1$", id="path-of-the-call"
        ),
    ],
)
def test_what_leads_nowhere_is_refused(endpoint: object, text: str) -> None:
    with pytest.raises(ConfigurationError, match=text) as caught:
        of(endpoint)
    assert str(caught.value).startswith("LLMConfig.endpoint ")
    assert "word" not in str(caught.value).replace("password", "")


@pytest.mark.parametrize(
    ("url", "states"),
    [
        ("https://openrouter.ai/api/v1", True),
        ("https://openrouter.ai.example/api/v1", False),
        ("http://127.0.0.1:1/openrouter.ai", False),
    ],
)
def test_who_states_costs(url: str, states: bool) -> None:
    assert of(url).states_cost is states


@pytest.mark.parametrize(
    ("url", "loopback"),
    [
        ("http://127.0.0.1:1/v1", True),
        ("http://localhost/v1", True),
        ("http://[::1]/v1", True),
        ("http://10.0.0.1/v1", False),
        ("http://localhost.example/v1", False),
    ],
)
def test_loopback(url: str, loopback: bool) -> None:
    assert of(url).is_loopback is loopback


@pytest.mark.parametrize(
    "endpoint",
    [
        "htp://user:pass-word@models.example/v1",
        "http://user:pass-word@models.example:port/v1",
        "user:pass-word@models.example/v1",
        "http://user:pass/word@models.example/v1",
        "http://user:pass?word@models.example:x/v1",
        "models.example/v1?key=pass-word",
        "http://user:pass-word@models.example/v1",
    ],
)
def test_what_is_refused_shows_no_password(endpoint: str) -> None:
    with pytest.raises(ConfigurationError, match=r"^LLMConfig\.endpoint ") as caught:
        of(endpoint)
    assert "word" not in str(caught.value).replace("a password", "").replace("or password", "")


def test_a_registered_secret_in_the_path_is_not_shown() -> None:
    register_secret("key-in-the-path")
    endpoint = of("https://gateway.example/key-in-the-path/v1")
    assert endpoint.shown_url == "https://gateway.example/***/v1"
    assert endpoint.url == "https://gateway.example/key-in-the-path/v1"
