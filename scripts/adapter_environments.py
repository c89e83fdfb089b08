"""The frameworks whose adapters are tested, and the virtual environments in which they can be."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Environment:
    """A virtual environment for frameworks that can share one.

    Attributes:
        extras: The extras of rampart that it holds.
        packages: What its tests need besides.
        in_ci: Whether it is among those that are tested when none is named.
    """

    extras: tuple[str, ...]
    packages: tuple[str, ...] = ()
    in_ci: bool = True


@dataclass(frozen=True, kw_only=True)
class Framework:
    """A framework and what there is of rampart for it.

    Attributes:
        adapter: The adapter as the table in the docs names it.
        distribution: What is installed for it; empty where it needs none, so that no version is shown.
        environment: Where it is tested.
        tests: Folders and files of its tests; the first one names its column of the table.
        page: Its page in docs/adapters; empty where it has none of its own.
    """

    adapter: str
    distribution: str
    environment: str
    tests: tuple[str, ...]
    page: str = ""


ENVIRONMENTS = {
    "common": Environment(
        extras=(
            "a2a",
            "agent-framework",
            "anthropic",
            "http",
            "langgraph",
            "mcp",
            "openai",
            "openai-agents",
            "otel",
            "pydantic-ai",
        ),
        packages=("langchain-openai", "uvicorn"),
    ),
    "adk": Environment(extras=("adk",)),
    "strands": Environment(extras=("otel", "strands"), in_ci=False),
    "llama-index": Environment(extras=("llama-index",), in_ci=False),
    "smolagents": Environment(extras=("smolagents",), in_ci=False),
    "claude-agent": Environment(extras=("claude-agent",), in_ci=False),
    "crewai": Environment(extras=(), packages=("crewai",), in_ci=False),
}

_CASES = "tests/adapters/frameworks"

FRAMEWORKS = (
    Framework(
        adapter="HttpAdapter",
        distribution="httpx",
        environment="common",
        tests=("tests/adapters/http",),
        page="http.md",
    ),
    Framework(
        adapter="SubprocessAdapter",
        distribution="",
        environment="common",
        tests=("tests/adapters/subprocess",),
        page="subprocess.md",
    ),
    Framework(
        adapter="McpProxy",
        distribution="mcp",
        environment="common",
        tests=("tests/servers/test_mcp_old_clients.py",),
        page="mcp.md",
    ),
    Framework(
        adapter="OtelCollector",
        distribution="opentelemetry-sdk",
        environment="common",
        tests=(f"{_CASES}/otel",),
        page="otel.md",
    ),
    Framework(
        adapter="LangGraphAdapter",
        distribution="langgraph",
        environment="common",
        tests=(f"{_CASES}/langgraph",),
        page="langgraph.md",
    ),
    Framework(
        adapter="OpenAIAgentsAdapter",
        distribution="openai-agents",
        environment="common",
        tests=(f"{_CASES}/openai_agents",),
        page="openai-agents.md",
    ),
    Framework(
        adapter="PydanticAIAdapter",
        distribution="pydantic-ai-slim",
        environment="common",
        tests=(f"{_CASES}/pydantic_ai",),
        page="pydantic-ai.md",
    ),
    Framework(
        adapter="OpenAIClientAdapter",
        distribution="openai",
        environment="common",
        tests=(f"{_CASES}/openai_client",),
        page="openai-client.md",
    ),
    Framework(
        adapter="AnthropicClientAdapter",
        distribution="anthropic",
        environment="common",
        tests=(f"{_CASES}/anthropic_client",),
        page="anthropic-client.md",
    ),
    Framework(
        adapter="AgentFrameworkAdapter",
        distribution="agent-framework-core",
        environment="common",
        tests=(f"{_CASES}/agent_framework",),
        page="agent-framework.md",
    ),
    Framework(
        adapter="AdkAdapter",
        distribution="google-adk",
        environment="adk",
        tests=(f"{_CASES}/adk",),
        page="adk.md",
    ),
    Framework(
        adapter="A2AAdapter",
        distribution="a2a-sdk",
        environment="common",
        tests=(f"{_CASES}/a2a",),
        page="a2a.md",
    ),
    Framework(
        adapter="LlmGateway",
        distribution="",
        environment="common",
        tests=(f"{_CASES}/gateway",),
        page="llm-gateway.md",
    ),
    Framework(
        adapter="StrandsAdapter",
        distribution="strands-agents",
        environment="strands",
        tests=(f"{_CASES}/strands",),
        page="strands.md",
    ),
    Framework(
        adapter="LlamaIndexAdapter",
        distribution="llama-index-core",
        environment="llama-index",
        tests=(f"{_CASES}/llama_index",),
        page="llama-index.md",
    ),
    Framework(
        adapter="SmolagentsAdapter",
        distribution="smolagents",
        environment="smolagents",
        tests=(f"{_CASES}/smolagents",),
        page="smolagents.md",
    ),
    Framework(
        adapter="ClaudeAgentAdapter",
        distribution="claude-agent-sdk",
        environment="claude-agent",
        tests=(f"{_CASES}/claude_agent",),
        page="claude-agent.md",
    ),
    Framework(
        adapter="CrewAI recipe",
        distribution="crewai",
        environment="crewai",
        tests=(f"{_CASES}/crewai",),
        page="crewai.md",
    ),
)
