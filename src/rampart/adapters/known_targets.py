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
        adapter="AdkAdapter",
        what="a Google ADK agent",
        module="google.adk",
        names=("BaseAgent", "BaseNode", "Runner", "App"),
    ),
    Target(
        adapter="A2AAdapter",
        what="an A2A agent card",
        module="a2a_pb2",
        names=("AgentCard",),
        observed="replies, and tool calls where the agent puts them into data parts that tool_calls= names",
        unobserved="other tool calls, which the protocol does not carry, and side effects",
    ),
    Target(
        adapter="A2AAdapter",
        what="an A2A client",
        module="a2a",
        names=("Client", "AgentCard"),
        observed="replies, and tool calls where the agent puts them into data parts that tool_calls= names",
        unobserved="other tool calls, which the protocol does not carry, and side effects",
    ),
    Target(
        adapter="LlamaIndexAdapter",
        what="a LlamaIndex agent",
        module="llama_index",
        names=("BaseWorkflowAgent", "AgentWorkflow"),
        observed="replies, tool calls with arguments, results and errors",
        unobserved="token usage and side effects; add a surface's sink or with_state",
    ),
)

HOMES = {
    "A2AAdapter": "rampart.adapters.a2a_adapter",
    "AdkAdapter": "rampart.adapters.adk_adapter",
    "LangGraphAdapter": "rampart.adapters.langgraph_adapter",
    "LlamaIndexAdapter": "rampart.adapters.llama_index_adapter",
    "OpenAIAgentsAdapter": "rampart.adapters.openai_agents_adapter",
    "SubprocessAdapter": "rampart.adapters.subprocess_adapter",
}
"""The module of each adapter that may be chosen."""

NEEDS_A_FUNCTION = {("strands", "Agent"): "StrandsAdapter"}
"""Agents that hold their conversation themselves, so that each session needs one of its own."""

CLIENTS = (
    ("openai", "AsyncOpenAI"),
    ("openai", "OpenAI"),
    ("anthropic", "AsyncAnthropic"),
    ("anthropic", "Anthropic"),
)
"""Clients of models: an agent is the loop around one, which `connect` cannot know."""


def target_of(value: object) -> Target | None:
    """What `value` is, None if its class is not known."""
    return next((target for target in TARGETS if has_class(value, target.module, target.names)), None)


def is_client(value: object) -> bool:
    """Whether it is a client of a model."""
    return any(has_class(value, module, (name,)) for module, name in CLIENTS)


def adapter_with_function(value: object) -> str | None:
    """The adapter that takes a function which makes such an agent; None if the agent itself can be shared."""
    found = [name for (module, cls), name in NEEDS_A_FUNCTION.items() if has_class(value, module, (cls,))]
    return found[0] if found else None


def has_class(value: object, module: str, names: tuple[str, ...]) -> bool:
    """Whether a class of `value`, or one that it derives from, has one of these names in that module."""
    return any(
        one.__name__ in names and (one.__module__ == module or one.__module__.startswith(f"{module}."))
        for one in type(value).__mro__
    )
