"""The shared cases on Google's ADK."""

import pytest
from tests.adapters.frameworks.agent_cases import AgentCases, MakeAdapter
from tests.adapters.frameworks.brain import TOOLS
from tests.adapters.frameworks.library import need

need("google.adk")

from google.adk.agents import LlmAgent  # noqa: E402 - only where it is installed
from google.adk.agents.run_config import RunConfig, StreamingMode  # noqa: E402 - likewise
from google.adk.apps import App  # noqa: E402 - likewise
from google.adk.runners import InMemoryRunner  # noqa: E402 - likewise
from tests.adapters.frameworks.adk.brain_model import (  # noqa: E402 - likewise
    BrainModel,
    RaisingBrainModel,
)

from rampart.adapters import AdkAdapter  # noqa: E402 - below what may skip the file

pytestmark = [
    pytest.mark.framework,
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning"),
]


def clerk(model: type[BrainModel] = BrainModel) -> LlmAgent:
    return LlmAgent(name="clerk", model=model(), tools=list(TOOLS))


class AdkCases(AgentCases):
    raising_tool = "ends the turn"
    bad_arguments = None


class TestAdk(AdkCases):
    @pytest.fixture
    def make_adapter(self) -> MakeAdapter:
        return lambda **options: AdkAdapter(clerk(), **options)


class TestAdkRunnerWhoseModelRaises(AdkCases):
    @pytest.fixture
    def make_adapter(self) -> MakeAdapter:
        runner = InMemoryRunner(clerk(RaisingBrainModel))
        return lambda **options: AdkAdapter(runner, **options)


class TestAdkAppThatStreams(AdkCases):
    @pytest.fixture
    def make_adapter(self) -> MakeAdapter:
        config = RunConfig(streaming_mode=StreamingMode.SSE)
        app = App(name="office", root_agent=clerk())
        return lambda **options: AdkAdapter(app, run_config=config, **options)
