"""One model object, used from several event loops and threads."""

from __future__ import annotations

import asyncio
import gc
import sys
import threading
from typing import TYPE_CHECKING

import openai
import pytest
from tests.llm.chat_answers import completion
from tests.llm.chat_server import ChatServer

from rampart import ConfigurationError
from rampart.core.llm import ChatMessage, LLMConfig
from rampart.llm import OpenAIChatModel, openai_clients
from rampart.llm.endpoint import Endpoint
from rampart.llm.endpoint_limits import limit_endpoint
from rampart.llm.openai_clients import OpenAIClients

if TYPE_CHECKING:
    from collections.abc import Callable

ASKED = [ChatMessage(role="user", content="Hi")]


async def many_async(model: OpenAIChatModel, count: int) -> list[str]:
    answers = await asyncio.gather(*[model.complete_async(messages=ASKED) for _ in range(count)])
    return [answer.text for answer in answers]


class TestLoops:
    def test_one_loop_after_another(self, server: ChatServer) -> None:
        model = OpenAIChatModel(config=server.config())
        for _ in range(3):
            assert asyncio.run(many_async(model, 5)) == ["hello"] * 5
        gc.collect()  # a connection that was left open warns now, and warnings are errors
        asyncio.run(server.all_closed_async())

    def test_a_loop_that_is_closed_without_ceremony(self, server: ChatServer) -> None:
        model = OpenAIChatModel(config=server.config())
        loop = asyncio.new_event_loop()
        assert loop.run_until_complete(many_async(model, 2)) == ["hello"] * 2
        loop.close()
        del loop
        gc.collect()
        asyncio.run(server.all_closed_async())

    def test_several_threads_at_once(self, server: ChatServer) -> None:
        model = OpenAIChatModel(config=server.config())
        texts: list[str] = []

        def work() -> None:
            for _ in range(3):
                texts.extend(asyncio.run(many_async(model, 5)))

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        gc.collect()
        assert texts == ["hello"] * 60
        asyncio.run(server.all_closed_async())

    async def test_calls_that_overlap_share_connections(self) -> None:
        with ChatServer(default=completion("hello", after_s=0.01)) as server:
            limit_endpoint(server.url, requests_in_flight=10)
            assert await many_async(OpenAIChatModel(config=server.config()), 100) == ["hello"] * 100
            assert server.connections <= 10
            await server.all_closed_async()

    async def test_a_hundred_calls_at_once(self) -> None:
        with ChatServer(default=completion("hello", after_s=0.2)) as server:
            limit_endpoint(server.url, requests_in_flight=None)
            assert await many_async(OpenAIChatModel(config=server.config()), 100) == ["hello"] * 100
            assert server.connections > 20  # nothing below the limiter holds calls back
            await server.all_closed_async()


class TestLeases:
    @pytest.fixture
    def clients(self) -> OpenAIClients:
        return OpenAIClients(endpoint=Endpoint(url="http://127.0.0.1:9/v1"), credential="none")

    async def test_one_client_while_it_is_in_use(self, clients: OpenAIClients) -> None:
        async with clients.lease_async() as first:
            async with clients.lease_async() as second:
                assert second is first
            assert not first.is_closed()
        assert first.is_closed()
        async with clients.lease_async() as third:
            assert third is not first
            assert not third.is_closed()

    def test_a_loop_that_ended_in_the_middle_is_forgotten(self, clients: OpenAIClients) -> None:
        async def take_async() -> openai.AsyncOpenAI:
            async with clients.lease_async() as client:
                return client

        loop = asyncio.new_event_loop()
        lease = clients.lease_async()
        loop.run_until_complete(lease.__aenter__())
        loop.close()
        assert asyncio.run(take_async()).is_closed()
        assert clients._leases == {}

    async def test_neither_retries_nor_redirects(self, clients: OpenAIClients) -> None:
        async with clients.lease_async() as client:
            assert client.max_retries == 0
            assert client._client.follow_redirects is False


class TestLibrary:
    @pytest.mark.parametrize("missing", ["openai", "httpx2"])
    async def test_without_it(
        self, missing: str, server: ChatServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, missing, None)
        with pytest.raises(ConfigurationError, match=r'is not installed: pip install "rampart\[openai\]"$'):
            await many_async(OpenAIChatModel(config=server.config()), 1)

    async def test_a_fault_inside_of_it_is_not_ours_to_explain(
        self, server: ChatServer, monkeypatch: pytest.MonkeyPatch, fresh_openai: Callable[[], None]
    ) -> None:
        fresh_openai()
        monkeypatch.setitem(sys.modules, "jiter", None)
        with pytest.raises(ModuleNotFoundError, match="jiter"):
            await many_async(OpenAIChatModel(config=server.config()), 1)

    async def test_an_old_version(self, server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(openai, "__version__", "2.54.0")
        with pytest.raises(ConfigurationError, match=r"needs openai >= 3, got 2\.54\.0: pip install"):
            await many_async(OpenAIChatModel(config=server.config()), 1)

    @pytest.fixture
    def fresh_openai(self, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
        def forget() -> None:
            for name in [name for name in sys.modules if name.partition(".")[0] == "openai"]:
                monkeypatch.delitem(sys.modules, name)

        return forget


class TestEnvironment:
    @pytest.mark.parametrize(
        ("proxy", "text"),
        [
            pytest.param("gopher://user:pass-word@proxy.example:1", "it is no URL of a proxy", id="scheme"),
            pytest.param("http://user:pass-word@proxy.example:port", "it is no URL of a proxy", id="port"),
            pytest.param("http://user:pass/word@proxy.example:1", "it is no URL of a proxy", id="slash"),
            pytest.param("socks5://user:pass-word@proxy.example:1", "pip install socksio", id="socks"),
        ],
    )
    async def test_a_proxy_that_cannot_be_used(
        self, monkeypatch: pytest.MonkeyPatch, proxy: str, text: str
    ) -> None:
        monkeypatch.setenv("HTTPS_PROXY", proxy)
        monkeypatch.delenv("https_proxy", raising=False)
        model = OpenAIChatModel(
            config=LLMConfig(model="m", endpoint="https://models.example/v1", api_key="x")
        )
        with pytest.raises(
            ConfigurationError, match=f"through the proxy that the environment .*{text}"
        ) as caught:
            await model.complete_async(messages=ASKED)
        assert "word" not in str(caught.value)
        assert caught.value.__context__ is None

    async def test_a_proxy_is_not_asked_for_this_machine(
        self, monkeypatch: pytest.MonkeyPatch, server: ChatServer
    ) -> None:
        monkeypatch.setenv("HTTP_PROXY", "gopher://proxy.example:1")
        assert await many_async(OpenAIChatModel(config=server.config()), 1) == ["hello"]

    async def test_certificates_that_cannot_be_read(
        self, monkeypatch: pytest.MonkeyPatch, server: ChatServer
    ) -> None:
        openai_clients._tls.cache_clear()
        monkeypatch.setenv("SSL_CERT_FILE", "/no/such/file.pem")
        with pytest.raises(ConfigurationError, match=r"cannot be read .*SSL_CERT_FILE=/no/such/file\.pem"):
            await many_async(OpenAIChatModel(config=server.config()), 1)
        monkeypatch.delenv("SSL_CERT_FILE")
        assert await many_async(OpenAIChatModel(config=server.config()), 1) == ["hello"]
