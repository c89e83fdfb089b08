"""The shared cases on loops around clients of the anthropic package, over real connections."""

from collections.abc import Iterator
from typing import Any

import pytest
from tests.adapters.frameworks.agent_cases import AgentCases, MakeAdapter
from tests.adapters.frameworks.gateway import anthropic_loops
from tests.adapters.frameworks.gateway.brain_script import ANTHROPIC_TOOLS, brain_script
from tests.adapters.frameworks.library import need

from rampart.adapters import AnthropicClientAdapter
from rampart.servers.llm_gateway import LlmGateway

need("anthropic")
pytestmark = pytest.mark.framework


@pytest.fixture(scope="module")
def gateway() -> Iterator[LlmGateway]:
    with LlmGateway(script=brain_script) as gateway:
        yield gateway


def _adapters(gateway: LlmGateway, loop: Any, kind: str = "AsyncAnthropic") -> MakeAdapter:
    import anthropic

    def client() -> Any:
        return getattr(anthropic, kind)(api_key="none", base_url=gateway.anthropic_base_url, max_retries=0)

    return lambda **options: AnthropicClientAdapter(loop, client=client, tools=ANTHROPIC_TOOLS, **options)


class TestMessages(AgentCases):
    bad_arguments = None  # they are objects in this format

    @pytest.fixture
    def make_adapter(self, gateway: LlmGateway) -> MakeAdapter:
        return _adapters(gateway, anthropic_loops.messages)


class TestStreamedMessages(AgentCases):
    bad_arguments = None

    @pytest.fixture
    def make_adapter(self, gateway: LlmGateway) -> MakeAdapter:
        return _adapters(gateway, anthropic_loops.messages_stream)


class TestMessagesOfASyncClient(AgentCases):
    bad_arguments = None

    @pytest.fixture
    def make_adapter(self, gateway: LlmGateway) -> MakeAdapter:
        return _adapters(gateway, anthropic_loops.messages_sync, "Anthropic")
