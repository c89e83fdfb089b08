"""The shared cases on graphs of `create_agent`, with and without a checkpointer."""

from typing import Any

import pytest
from tests.adapters.frameworks.agent_cases import AgentCases, MakeAdapter
from tests.adapters.frameworks.brain import TOOLS
from tests.adapters.frameworks.library import need

need("langgraph")
need("langchain")

from langchain.agents import create_agent  # noqa: E402 - only where it is installed
from langgraph.checkpoint.memory import InMemorySaver  # noqa: E402 - likewise
from tests.adapters.frameworks.langgraph.brain_model import BrainModel  # noqa: E402 - likewise

from rampart.adapters import LangGraphAdapter  # noqa: E402 - below what may skip the file

pytestmark = pytest.mark.framework


class TestWithACheckpointer(AgentCases):
    raising_tool = "ends the turn"

    @pytest.fixture
    def make_adapter(self) -> MakeAdapter:
        graph: Any = create_agent(BrainModel(), tools=TOOLS, checkpointer=InMemorySaver())
        return lambda **options: LangGraphAdapter(graph, **options)


class TestWithoutACheckpointer(AgentCases):
    raising_tool = "ends the turn"

    @pytest.fixture
    def make_adapter(self) -> MakeAdapter:
        graph: Any = create_agent(BrainModel(), tools=TOOLS)
        return lambda **options: LangGraphAdapter(graph, **options)
