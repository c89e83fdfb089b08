"""What services are shown to let us in."""

from __future__ import annotations

import pytest

from rampart import ConfigurationError, LLMConfig
from rampart.llm.credentials import credential_of
from rampart.llm.endpoint import endpoint_of
from rampart.llm.entra_id import EntraIdToken
from rampart.text.secrets import redact

AZURE = "https://mine.openai.azure.com"


def of(endpoint: str | None, api_key: str | None = None) -> str | EntraIdToken:
    config = LLMConfig(model="m", endpoint=endpoint, api_key=api_key)
    return credential_of(config, endpoint=endpoint_of(config))


def test_the_key_of_the_configuration_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-environment")
    assert of(None, " sk-own\n") == "sk-own"
    assert of(AZURE, "sk-own") == "sk-own"


def test_the_key_of_the_environment_is_kept_out_of_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-environment\n")
    assert of("http://127.0.0.1:1/v1") == "sk-environment"
    assert redact("key sk-environment") == "key ***"


def test_azure_without_a_key_means_entra_id(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-environment")  # of another service
    assert isinstance(of(AZURE), EntraIdToken)


@pytest.mark.parametrize(
    ("endpoint", "text"),
    [
        pytest.param(
            None,
            r"^there is no credential for the model 'm' at https://api\.openai\.com/v1: pass "
            r"LLMConfig.api_key or set the environment variable OPENAI_API_KEY; a server that asks for none "
            r"takes any text as api_key$",
            id="public",
        ),
        pytest.param(
            "http://127.0.0.1:1/v1",
            r"^there is no credential for the model 'm' at http://127\.0\.0\.1:1/v1: pass "
            r"LLMConfig.api_key or set the environment variable OPENAI_API_KEY; a server that asks for no "
            r"key takes any text, such as 'none'$",
            id="loopback",
        ),
    ],
)
@pytest.mark.parametrize("environment", ["", " \n"])
def test_none(endpoint: str | None, text: str, environment: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", environment)
    with pytest.raises(ConfigurationError, match=text):
        of(endpoint)


@pytest.mark.parametrize(
    ("key", "text"),
    [
        pytest.param("", "LLMConfig.api_key is empty", id="empty"),
        pytest.param(" ", "LLMConfig.api_key is empty", id="blank"),
        pytest.param("sk-first\nsk-second", r"LLMConfig\.api_key holds a line break", id="two-lines"),
        pytest.param("sk-schl\u00fcssel", "another character that cannot be sent", id="not-ascii"),
        pytest.param(b"sk-bytes", "LLMConfig.api_key must be a str, got bytes", id="bytes"),
    ],
)
def test_what_cannot_be_sent(key: str, text: str) -> None:
    with pytest.raises(ConfigurationError, match=text) as caught:
        of(None, key)
    assert "sk-" not in str(caught.value)


def test_the_variable_is_named_where_its_key_cannot_be_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "a\nb")
    with pytest.raises(
        ConfigurationError, match=r"^the environment variable OPENAI_API_KEY holds a line break"
    ):
        of(None)
