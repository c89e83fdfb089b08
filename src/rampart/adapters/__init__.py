"""Adapters: how rampart reaches an agent."""

from rampart.adapters.callable_adapter import CallableAdapter
from rampart.adapters.files_state import FilesState
from rampart.adapters.sql_state import SqlState
from rampart.adapters.state_adapter import with_state
from rampart.adapters.tool_spy import record_tools

__all__ = ["CallableAdapter", "FilesState", "SqlState", "record_tools", "with_state"]
