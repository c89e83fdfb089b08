"""The optional library behind everything here."""

from __future__ import annotations

from importlib.util import find_spec

from rampart.core.errors import ConfigurationError

INSTALL = 'pip install "rampart[mcp]"'


def require_mcp() -> None:
    """Refuse to go on without the library.

    Raises:
        ConfigurationError: If the `mcp` package is missing, or is of the 1.x line, which has another API.
    """
    if find_spec("mcp") is None:
        msg = f"the MCP proxy needs the package mcp, which is not installed; run {INSTALL}"
        raise ConfigurationError(msg)
    if find_spec("mcp_types") is None:
        msg = f"the MCP proxy needs mcp 2.3 or later, and an older one is installed; run {INSTALL}"
        raise ConfigurationError(msg)
