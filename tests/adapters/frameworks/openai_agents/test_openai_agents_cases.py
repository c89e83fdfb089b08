"""The shared cases on the OpenAI Agents SDK, with tools as they come and with ones that raise."""

import pytest
from tests.adapters.frameworks.agent_cases import AgentCases, MakeAdapter
from tests.adapters.frameworks.brain import TOOLS
from tests.adapters.frameworks.library import need

need("agents")

from agents import Agent, function_tool  # noqa: E402 - only where it is installed
from tests.adapters.frameworks.openai_agents.brain_model import BrainModel  # noqa: E402 - likewise

from rampart.adapters import OpenAIAgentsAdapter  # noqa: E402 - below what may skip the file

pytestmark = [
    pytest.mark.framework,
    # The SDK makes the coroutine before a task that may be cancelled before it starts.
    pytest.mark.filterwarnings("ignore:coroutine 'run_single_turn' was never awaited:RuntimeWarning"),
]


class TestToolsAsTheyCome(AgentCases):
    unknown_tool = "ends the turn"

    @pytest.fixture
    def make_adapter(self) -> MakeAdapter:
        agent = Agent(
            name="clerk", model=BrainModel(), tools=[function_tool(tool, strict_mode=False) for tool in TOOLS]
        )
        return lambda **options: OpenAIAgentsAdapter(agent, **options)


class TestToolsThatRaise(AgentCases):
    raising_tool = "ends the turn"
    unknown_tool = "ends the turn"
    bad_arguments = "ends the turn"

    @pytest.fixture
    def make_adapter(self) -> MakeAdapter:
        tools = [function_tool(tool, strict_mode=False, failure_error_function=None) for tool in TOOLS]
        agent = Agent(name="clerk", model=BrainModel(), tools=tools)
        return lambda **options: OpenAIAgentsAdapter(agent, **options)
