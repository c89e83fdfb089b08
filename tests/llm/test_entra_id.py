"""Tokens of Entra ID: fetched, kept, renewed, sent, and never told."""

from __future__ import annotations

import asyncio
import sys
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from rampart import ConfigurationError
from rampart.llm.endpoint import Endpoint
from rampart.llm.entra_id import SCOPE, EntraIdToken
from rampart.llm.openai_clients import OpenAIClients
from rampart.text.secrets import redact

if TYPE_CHECKING:
    from tests.llm.chat_server import ChatServer


@dataclass
class Token:
    token: str
    expires_on: int


@dataclass
class Credential:
    """Gives tokens that live so many seconds."""

    lifetime_s: float = 3600
    takes_s: float = 0.0
    asked: list[tuple[str, ...]] = field(default_factory=list)

    def get_token(self, *scopes: str) -> Token:
        self.asked.append(scopes)
        time.sleep(self.takes_s)
        return Token(f"token-number-{len(self.asked)}", int(time.time() + self.lifetime_s))


class Refusing:
    def get_token(self, *scopes: str) -> Token:
        raise RuntimeError(f"AADSTS7000215: Invalid client secret\nTrace ID: 1 {scopes}")


async def test_a_token_is_kept_while_it_is_good() -> None:
    credential = Credential()
    tokens = EntraIdToken(credential=credential)
    assert [await tokens.get_async() for _ in range(3)] == ["token-number-1"] * 3
    assert credential.asked == [(SCOPE,)]
    assert redact("token-number-1") == "***"


async def test_one_that_is_about_to_end_is_renewed() -> None:
    tokens = EntraIdToken(credential=Credential(lifetime_s=200))
    assert [await tokens.get_async() for _ in range(2)] == ["token-number-1", "token-number-2"]


async def test_concurrent_calls_fetch_it_once() -> None:
    credential = Credential(takes_s=0.05)
    tokens = EntraIdToken(credential=credential)
    assert set(await asyncio.gather(*[tokens.get_async() for _ in range(20)])) == {"token-number-1"}
    assert len(credential.asked) == 1


async def test_a_refusal_says_what_to_do() -> None:
    with pytest.raises(
        ConfigurationError,
        match=r"Entra ID gave no token for https://.* \(AADSTS7000215: Invalid client secret Trace ID.*\); "
        r"log in with `az login`, set the variables of a service principal .*, or pass a key as",
    ) as caught:
        await EntraIdToken(credential=Refusing()).get_async()
    assert caught.value.__cause__ is caught.value.__context__ is None


async def test_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "azure.identity", None)
    with pytest.raises(ConfigurationError, match=r'azure-identity, .* pip install "rampart\[azure\]"'):
        await EntraIdToken().get_async()


async def test_the_real_library_without_any_login(monkeypatch: pytest.MonkeyPatch) -> None:
    """The service principal of the environment is all that it may ask, and there is none."""
    pytest.importorskip("azure.identity")
    for name in ("AZURE_CLIENT_ID", "AZURE_CLIENT_SECRET", "AZURE_TENANT_ID"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AZURE_TOKEN_CREDENTIALS", "EnvironmentCredential")
    with pytest.raises(ConfigurationError, match=r"Entra ID gave no token for .* \(.*EnvironmentCredential"):
        await EntraIdToken().get_async()


@pytest.mark.parametrize(
    ("query", "path"),
    [
        pytest.param({}, "/v1/chat/completions", id="newest"),
        pytest.param(
            {"api-version": "2024-10-21"}, "/v1/chat/completions?api-version=2024-10-21", id="of-deployments"
        ),
    ],
)
@pytest.mark.parametrize("with_key", [False, True], ids=["token", "key"])
async def test_what_azure_is_sent(
    server: ChatServer, query: dict[str, str], path: str, with_key: bool
) -> None:
    url = f"{server.url}/openai/deployments/d" if query else server.url
    credential = "key-of-azure" if with_key else EntraIdToken(credential=Credential())
    clients = OpenAIClients(endpoint=Endpoint(url=url, query=query, is_azure=True), credential=credential)
    server.any_path = True
    async with clients.lease_async() as client:
        await client.chat.completions.create(model="m", messages=[{"role": "user", "content": "Hi"}])
    [call] = server.calls
    assert call.path == (f"/v1/openai/deployments/d{path.removeprefix('/v1')}" if query else path)
    sent = {name: call.headers.get(name) for name in ("authorization", "api-key")}
    if with_key and query:
        assert sent == {"authorization": None, "api-key": "key-of-azure"}
    else:
        secret = "key-of-azure" if with_key else "token-number-1"
        assert sent == {"authorization": f"Bearer {secret}", "api-key": None}
