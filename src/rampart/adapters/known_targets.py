"""What `connect` knows: which adapter goes with which object, and what can be observed through it.

Objects are told by the names of their classes and modules, so that no framework has to be imported for it.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Target:
    """A kind of object that an agent may be.

    Attributes:
        adapter: The public name of its adapter in `rampart.adapters`.
        what: The object, for messages.
        module: Where its class is defined: a module, or the package that it is in.
        names: Names of the class, or of one that it derives from.
        observed: What evaluators get to see, for people.
        unobserved: What they do not.
    """

    adapter: str
    what: str
    module: str
    names: tuple[str, ...]
    observed: str = "replies, tool calls with arguments, results and errors, token usage"
    unobserved: str = "side effects; add a surface's sink or with_state"


TARGETS = (
    Target(
        adapter="LangGraphAdapter",
        what="a compiled LangGraph graph",
        module="langgraph",
        names=("Pregel",),
    ),
    Target(
        adapter="OpenAIAgentsAdapter",
        what="an agent of the OpenAI Agents SDK",
        module="agents",
        names=("Agent",),
    ),
    Target(
        adapter="PydanticAIAdapter",
        what="a Pydantic AI agent",
        module="pydantic_ai",
        names=("AbstractAgent",),
    ),
    Target(
        adapter="AgentFrameworkAdapter",
        what="an agent of Microsoft Agent Framework",
        module="agent_framework",
        names=("BaseAgent",),
    ),
    Target(
        adapter="AdkAdapter",
        what="a Google ADK agent",
        module="google.adk",
        names=("BaseAgent", "Runner", "App"),
    ),
    Target(
        adapter="A2AAdapter",
        what="an A2A agent card",
        module="a2a_pb2",
        names=("AgentCard",),
        observed="replies",
        unobserved="tool calls, which the protocol does not carry; name a data part with tool_calls=",
    ),
    Target(
        adapter="A2AAdapter",
        what="an A2A client",
        module="a2a",
        names=("Client", "AgentCard"),
        observed="replies",
        unobserved="tool calls, which the protocol does not carry; name a data part with tool_calls=",
    ),
    Target(
        adapter="StrandsAdapter",
        what="a Strands agent",
        module="strands",
        names=("Agent",),
    ),
    Target(
        adapter="LlamaIndexAdapter",
        what="a LlamaIndex agent",
        module="llama_index",
        names=("BaseWorkflowAgent", "AgentWorkflow"),
        observed="replies, tool calls with arguments, results and errors",
        unobserved="token usage and side effects; add a surface's sink or with_state",
    ),
    Target(
        adapter="SmolagentsAdapter",
        what="a smolagents agent",
        module="smolagents",
        names=("MultiStepAgent",),
    ),
    Target(
        adapter="ClaudeAgentAdapter",
        what="options of the Claude Agent SDK",
        module="claude_agent_sdk",
        names=("ClaudeAgentOptions",),
    ),
)

CLIENTS = {
    ("openai", "AsyncOpenAI"): "OpenAIClientAdapter",
    ("openai", "OpenAI"): "OpenAIClientAdapter",
    ("anthropic", "AsyncAnthropic"): "AnthropicClientAdapter",
    ("anthropic", "Anthropic"): "AnthropicClientAdapter",
}
"""Clients of models: an agent is the loop around one, which `connect` cannot know."""

URL_PRESETS = (
    ("/chat/completions", "chat_completions"),
    ("/responses", "responses"),
    ("/messages", "anthropic_messages"),
    ("/invoke", "langserve"),
    ("/runs/wait", "langgraph"),
    ("/run", "adk"),
)
"""How the path of a URL ends, and the preset of `HttpAdapter` that goes with it."""


HOMES = {
    "LangGraphAdapter": "rampart.adapters.langgraph_adapter",
    "OpenAIAgentsAdapter": "rampart.adapters.openai_agents_adapter",
    "PydanticAIAdapter": "rampart.adapters.pydantic_ai_adapter",
    "AgentFrameworkAdapter": "rampart.adapters.agent_framework_adapter",
    "AdkAdapter": "rampart.adapters.adk_adapter",
    "A2AAdapter": "rampart.adapters.a2a_adapter",
    "StrandsAdapter": "rampart.adapters.strands_adapter",
    "LlamaIndexAdapter": "rampart.adapters.llama_index_adapter",
    "SmolagentsAdapter": "rampart.adapters.smolagents_adapter",
    "ClaudeAgentAdapter": "rampart.adapters.claude_agent_adapter",
    "HttpAdapter": "rampart.adapters.http_adapter",
    "SubprocessAdapter": "rampart.adapters.subprocess_adapter",
}
"""The module of each adapter that may be chosen."""


def target_of(value: object) -> Target | None:
    """What `value` is, None if its class is not known."""
    return next((target for target in TARGETS if has_class(value, target.module, target.names)), None)


def client_adapter_of(value: object) -> str | None:
    """The adapter for loops around the client that `value` is, None if it is none."""
    found = [name for (module, cls), name in CLIENTS.items() if has_class(value, module, (cls,))]
    return found[0] if found else None


def has_class(value: object, module: str, names: tuple[str, ...]) -> bool:
    """Whether a class of `value`, or one that it derives from, has one of these names in that module."""
    return any(
        one.__name__ in names and (one.__module__ == module or one.__module__.startswith(f"{module}."))
        for one in type(value).__mro__
    )
