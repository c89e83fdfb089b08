"""The shared cases on LlamaIndex."""

import pytest
from tests.adapters.frameworks.agent_cases import AgentCases, MakeAdapter
from tests.adapters.frameworks.brain import TOOLS
from tests.adapters.frameworks.library import need

need("llama_index.core")

from llama_index.core.agent.workflow import (  # noqa: E402 - only where it is installed
    AgentWorkflow,
    FunctionAgent,
)
from tests.adapters.frameworks.llama_index.brain_model import brain_model  # noqa: E402 - likewise

from rampart.adapters.llama_index_adapter import LlamaIndexAdapter  # noqa: E402 - below what may skip

pytestmark = [
    pytest.mark.framework,
    # LlamaIndex looks through all attributes of an agent, and pydantic has renamed some of them.
    pytest.mark.filterwarnings("ignore::pydantic.warnings.PydanticDeprecationWarning"),
    # It warns of the memory whenever a context is used again.
    pytest.mark.filterwarnings("ignore:Skipping serialization of known unserializable key"),
]


def clerk() -> FunctionAgent:
    return FunctionAgent(name="clerk", description="A clerk.", tools=list(TOOLS), llm=brain_model())


class TestAnAgent(AgentCases):
    reports_usage = False
    bad_arguments = None  # calls of its models have arguments that are parsed already

    @pytest.fixture
    def make_adapter(self) -> MakeAdapter:
        agent = clerk()
        return lambda **options: LlamaIndexAdapter(agent, **options)


class TestAWorkflowOfAgents(AgentCases):
    reports_usage = False
    bad_arguments = None

    @pytest.fixture
    def make_adapter(self) -> MakeAdapter:
        workflow = AgentWorkflow(agents=[clerk()], root_agent="clerk")
        return lambda **options: LlamaIndexAdapter(workflow, **options)
