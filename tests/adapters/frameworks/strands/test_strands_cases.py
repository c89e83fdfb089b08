"""The shared cases on Strands."""

import pytest
from tests.adapters.frameworks.agent_cases import AgentCases, MakeAdapter
from tests.adapters.frameworks.brain import TOOLS
from tests.adapters.frameworks.library import need

need("strands")

from strands import Agent, tool  # noqa: E402 - only where it is installed
from tests.adapters.frameworks.strands.brain_model import BrainModel  # noqa: E402 - likewise

from rampart.adapters import StrandsAdapter  # noqa: E402 - below what may skip the file

pytestmark = pytest.mark.framework

_TOOLS = [tool(function) for function in TOOLS]


def clerk() -> Agent:
    return Agent(model=BrainModel(), tools=_TOOLS, callback_handler=None, retry_strategy=None)


class TestStrands(AgentCases):
    @pytest.fixture
    def make_adapter(self) -> MakeAdapter:
        return lambda **options: StrandsAdapter(clerk, **options)
