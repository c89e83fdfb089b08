"""The shared cases on command-line agents: a process for each turn, and one for a session."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest
from tests.adapters.frameworks.agent_cases import AgentCases

from rampart import AppManifest, ObservabilityLevel, RampartError
from rampart.adapters import SubprocessAdapter
from rampart.adapters.declared_tools import declared_tool
from rampart.core.errors import ConfigurationError, RateLimitError

_AGENT = str(Path(__file__).with_name("brain_agent.py"))
_ERRORS: dict[int, type[RampartError]] = {429: RateLimitError, 401: ConfigurationError}
_TO = {"properties": {"to": {"type": "string"}}}


def read(event: dict[str, Any]) -> Any:
    """The agent's own events; it says by one that its model's endpoint failed."""
    if "error" not in event:
        return event
    kind = _ERRORS[event["error"]]
    message = f"the model's endpoint answered {event['error']}"
    raise RateLimitError(message, retryable=True) if kind is RateLimitError else kind(message)


def options_with(given: dict[str, Any]) -> dict[str, Any]:
    tools = [declared_tool(name, schema=_TO) for name in ("send_email", "lookup", "place_order", "explode")]
    return {
        "output": "json_lines",
        "read": read,
        "observability": ObservabilityLevel.TOOL_ONLY,
        "manifest": AppManifest(name="brain", tools=tools),
        **given,
    }


class TestAProcessForEachTurn(AgentCases):
    @pytest.fixture
    def make_adapter(self, tmp_path: Path) -> Callable[..., Any]:
        command = [sys.executable, "-I", _AGENT, "once", str(tmp_path), "{session_id}", "--", "{prompt}"]
        return lambda **given: SubprocessAdapter(command, **options_with(given))


class TestAProcessForASession(AgentCases):
    patience_s: ClassVar[float] = 110

    @pytest.fixture
    def make_adapter(self) -> Callable[..., Any]:
        command = [sys.executable, "-I", _AGENT, "lines"]
        return lambda **given: SubprocessAdapter(
            command, **options_with({"prompt": "stdin", "per": "session", **given})
        )
