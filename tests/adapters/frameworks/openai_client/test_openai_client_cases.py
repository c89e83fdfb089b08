"""The shared cases on loops around clients of the openai package, over real connections."""

from collections.abc import Iterator
from typing import Any

import pytest
from tests.adapters.frameworks.agent_cases import AgentCases, MakeAdapter
from tests.adapters.frameworks.gateway import openai_loops
from tests.adapters.frameworks.gateway.brain_script import CHAT_TOOLS, RESPONSES_TOOLS, brain_script
from tests.adapters.frameworks.library import need

from rampart.adapters import OpenAIClientAdapter
from rampart.servers.llm_gateway import LlmGateway

need("openai")
pytestmark = pytest.mark.framework


@pytest.fixture(scope="module")
def gateway() -> Iterator[LlmGateway]:
    with LlmGateway(script=brain_script) as gateway:
        yield gateway


def _adapters(gateway: LlmGateway, loop: Any, tools: list[Any], kind: str = "AsyncOpenAI") -> MakeAdapter:
    import openai

    def client() -> Any:
        return getattr(openai, kind)(api_key="none", base_url=gateway.base_url, max_retries=0)

    return lambda **options: OpenAIClientAdapter(loop, client=client, tools=tools, **options)


class TestChatCompletions(AgentCases):
    @pytest.fixture
    def make_adapter(self, gateway: LlmGateway) -> MakeAdapter:
        return _adapters(gateway, openai_loops.chat, CHAT_TOOLS)


class TestStreamedChatCompletionsOfASyncClient(AgentCases):
    @pytest.fixture
    def make_adapter(self, gateway: LlmGateway) -> MakeAdapter:
        return _adapters(gateway, openai_loops.chat_stream_sync, CHAT_TOOLS, "OpenAI")


class TestResponsesThatTheServerRemembers(AgentCases):
    @pytest.fixture
    def make_adapter(self, gateway: LlmGateway) -> MakeAdapter:
        return _adapters(gateway, openai_loops.responses, RESPONSES_TOOLS, "AsyncOpenAI")


class TestStreamedResponses(AgentCases):
    @pytest.fixture
    def make_adapter(self, gateway: LlmGateway) -> MakeAdapter:
        return _adapters(gateway, openai_loops.responses_stream, RESPONSES_TOOLS, "AsyncOpenAI")
