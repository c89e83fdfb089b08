"""The shared cases on agents of whose tool calls nothing is known but what the gateway sees."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.adapters.frameworks.agent_cases import AgentCases, MakeAdapter
from tests.adapters.frameworks.gateway import anthropic_loops, openai_loops
from tests.adapters.frameworks.gateway.brain_script import SCHEMAS, brain_script
from tests.adapters.frameworks.gateway.text_adapter import TextAdapter
from tests.adapters.frameworks.library import need

from rampart.adapters import with_tools_from
from rampart.adapters.declared_tools import declared_tool
from rampart.core.manifest import AppManifest
from rampart.servers.llm_gateway import GatewayAddress, LlmGateway

need("openai")
need("anthropic")
pytestmark = pytest.mark.framework

_MANIFEST = AppManifest(
    name="clerk", tools=[declared_tool(name, schema=schema) for name, schema in SCHEMAS.items()]
)


@pytest.fixture(scope="module")
def gateway() -> Iterator[LlmGateway]:
    with LlmGateway(script=brain_script) as gateway:
        yield gateway


def _adapters(
    gateway: LlmGateway, client_at: Callable[[GatewayAddress], Any], loop: Callable[..., Any]
) -> MakeAdapter:
    def make(address: GatewayAddress, options: Any) -> TextAdapter:
        client = client_at(address)
        return TextAdapter(lambda prompt, history: loop(prompt, history, client), client=client, **options)

    return lambda **options: with_tools_from(
        lambda address: make(address, options), gateway, manifest=_MANIFEST
    )


def _openai(address: GatewayAddress) -> Any:
    from openai import AsyncOpenAI

    return AsyncOpenAI(api_key="none", base_url=address.base_url, max_retries=0)


def _anthropic(address: GatewayAddress) -> Any:
    from anthropic import AsyncAnthropic

    return AsyncAnthropic(api_key="none", base_url=address.anthropic_base_url, max_retries=0)


class TestChatCompletions(AgentCases):
    @pytest.fixture
    def make_adapter(self, gateway: LlmGateway) -> MakeAdapter:
        return _adapters(gateway, _openai, openai_loops.chat_stream)


class TestResponses(AgentCases):
    @pytest.fixture
    def make_adapter(self, gateway: LlmGateway) -> MakeAdapter:
        return _adapters(gateway, _openai, openai_loops.responses_of_history)


class TestMessages(AgentCases):
    bad_arguments = None

    @pytest.fixture
    def make_adapter(self, gateway: LlmGateway) -> MakeAdapter:
        return _adapters(gateway, _anthropic, anthropic_loops.messages_stream)
