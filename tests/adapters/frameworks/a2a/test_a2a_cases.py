"""The shared cases on an A2A agent behind the SDK's own server, over loopback HTTP."""

import socket
from collections.abc import Iterator

import pytest
from tests.adapters.frameworks.agent_cases import AgentCases, MakeAdapter
from tests.adapters.frameworks.brain import TOOLS
from tests.adapters.frameworks.library import need

need("a2a")

from tests.adapters.frameworks.a2a.a2a_server import KEY, Desk, served  # noqa: E402 - where it is installed

from rampart import AgentAdapter, AppManifest, ToolDeclaration  # noqa: E402 - below what may skip the file
from rampart.adapters import A2AAdapter  # noqa: E402 - likewise
from rampart.testing import AdapterConformance  # noqa: E402 - likewise

pytestmark = [pytest.mark.framework, pytest.mark.filterwarnings("ignore::DeprecationWarning")]


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with served(Desk(), port) as url:
        yield url


class TestA2AWithCallsInDataParts(AgentCases):
    reports_usage = False

    @pytest.fixture
    def make_adapter(self, url: str) -> MakeAdapter:
        tools = [ToolDeclaration(name=tool.__name__, parameters=tool.__annotations__) for tool in TOOLS]
        manifest = AppManifest(name="desk", tools=tools)
        return lambda **options: A2AAdapter(url, tool_calls=KEY, manifest=manifest, **options)


class TestA2A(AdapterConformance):
    prompt = "Say hello."
    memory_prompts = ("Remember the word {word}.", "Which word?")
    failing_prompt = "Hit the limit."

    @pytest.fixture
    def adapter(self, url: str) -> AgentAdapter:
        adapter: AgentAdapter = A2AAdapter(url)
        return adapter
