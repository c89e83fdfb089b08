"""Adapters: how rampart reaches an agent."""

from typing import TYPE_CHECKING

from rampart.core.lazy import lazy_exports

if TYPE_CHECKING:
    from rampart.adapters.a2a_adapter import A2AAdapter
    from rampart.adapters.adk_adapter import AdkAdapter
    from rampart.adapters.anthropic_client_adapter import AnthropicClientAdapter
    from rampart.adapters.callable_adapter import CallableAdapter
    from rampart.adapters.connecting import connect, explain
    from rampart.adapters.files_state import FilesState
    from rampart.adapters.langgraph_adapter import LangGraphAdapter
    from rampart.adapters.llama_index_adapter import LlamaIndexAdapter
    from rampart.adapters.observed_adapter import with_tools_from
    from rampart.adapters.openai_agents_adapter import OpenAIAgentsAdapter
    from rampart.adapters.openai_client_adapter import OpenAIClientAdapter
    from rampart.adapters.sql_state import SqlState
    from rampart.adapters.state_adapter import with_state
    from rampart.adapters.strands_adapter import StrandsAdapter
    from rampart.adapters.subprocess_adapter import SubprocessAdapter
    from rampart.adapters.tool_spy import record_tools

_HOMES = {
    "A2AAdapter": "rampart.adapters.a2a_adapter",
    "AdkAdapter": "rampart.adapters.adk_adapter",
    "AnthropicClientAdapter": "rampart.adapters.anthropic_client_adapter",
    "CallableAdapter": "rampart.adapters.callable_adapter",
    "connect": "rampart.adapters.connecting",
    "explain": "rampart.adapters.connecting",
    "FilesState": "rampart.adapters.files_state",
    "LangGraphAdapter": "rampart.adapters.langgraph_adapter",
    "LlamaIndexAdapter": "rampart.adapters.llama_index_adapter",
    "OpenAIAgentsAdapter": "rampart.adapters.openai_agents_adapter",
    "OpenAIClientAdapter": "rampart.adapters.openai_client_adapter",
    "SqlState": "rampart.adapters.sql_state",
    "StrandsAdapter": "rampart.adapters.strands_adapter",
    "SubprocessAdapter": "rampart.adapters.subprocess_adapter",
    "record_tools": "rampart.adapters.tool_spy",
    "with_state": "rampart.adapters.state_adapter",
    "with_tools_from": "rampart.adapters.observed_adapter",
}

__all__ = [
    "A2AAdapter",
    "AdkAdapter",
    "AnthropicClientAdapter",
    "CallableAdapter",
    "FilesState",
    "LangGraphAdapter",
    "LlamaIndexAdapter",
    "OpenAIAgentsAdapter",
    "OpenAIClientAdapter",
    "SqlState",
    "StrandsAdapter",
    "SubprocessAdapter",
    "connect",
    "explain",
    "record_tools",
    "with_state",
    "with_tools_from",
]

if not TYPE_CHECKING:  # type checkers know the names from above, and that there are no others
    __getattr__, __dir__ = lazy_exports(__name__, _HOMES)
