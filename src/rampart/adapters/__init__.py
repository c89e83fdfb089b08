"""Adapters: how rampart reaches an agent."""

from rampart.adapters.callable_adapter import CallableAdapter
from rampart.adapters.tool_spy import record_tools

__all__ = ["CallableAdapter", "record_tools"]
