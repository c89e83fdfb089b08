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
    "adk": Environment(extras=("adk", "otel")),
    "strands": Environment(extras=("otel", "strands"), in_ci=False),
    "llama-index": Environment(extras=("llama-index",), in_ci=False),
}

_CASES = "tests/adapters/frameworks"

FRAMEWORKS = (
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
        tests=(
            f"{_CASES}/otel/test_otel_agent_framework.py",
            f"{_CASES}/otel/test_otel_anthropic.py",
            f"{_CASES}/otel/test_otel_langgraph.py",
            f"{_CASES}/otel/test_otel_mcp.py",
            f"{_CASES}/otel/test_otel_pydantic_ai.py",
        ),
        page="otel.md",
    ),
    Framework(
        adapter="LangGraphAdapter",
        distribution="langgraph",
        environment="common",
        tests=(f"{_CASES}/langgraph", f"{_CASES}/same_tests"),
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
        adapter="AdkAdapter",
        distribution="google-adk",
        environment="adk",
        tests=(f"{_CASES}/adk", f"{_CASES}/otel/test_otel_adk.py"),
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
        adapter="StrandsAdapter",
        distribution="strands-agents",
        environment="strands",
        tests=(f"{_CASES}/strands", f"{_CASES}/otel/test_otel_strands.py"),
        page="strands.md",
    ),
    Framework(
        adapter="LlamaIndexAdapter",
        distribution="llama-index-core",
        environment="llama-index",
        tests=(f"{_CASES}/llama_index",),
        page="llama-index.md",
    ),
)
