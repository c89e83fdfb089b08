"""`connect` recognises what it is given, without importing frameworks, and refuses the rest with advice."""

import subprocess
import sys
from typing import Any

import pytest

from rampart import ObservabilityLevel
from rampart.adapters import CallableAdapter, connect, explain, record_tools
from rampart.adapters.known_targets import CLIENTS, NEEDS_A_FUNCTION, TARGETS, Target, target_of
from rampart.core.connection import noted
from rampart.testing import ScriptedAgent


def agent(prompt: str, history: list[Any]) -> str:
    return "Hello."


def made_of(module: str, name: str) -> Any:
    """An object whose class has a base with this name in that module."""
    base = type(name, (), {"__module__": module})
    return type("Own", (base,), {"__module__": "shop"})()


def test_a_function() -> None:
    adapter = connect(agent)
    assert type(adapter) is CallableAdapter
    assert explain(agent).level is ObservabilityLevel.RESPONSE_ONLY
    assert "record the tools" in str(explain(agent))


def test_a_function_with_recorded_tools() -> None:
    @record_tools
    def mail(to: str) -> str:
        return f"sent to {to}"

    def assistant(prompt: str, history: list[Any]) -> str:
        return mail(prompt)

    found = explain(assistant)
    assert found.level is ObservabilityLevel.TOOL_ONLY
    assert found.observed == "replies and tool calls"


def test_options_reach_the_adapter() -> None:
    assert connect(agent, max_concurrent_sessions=3).max_concurrent_sessions == 3  # type: ignore[attr-defined]  # a CallableAdapter


def test_an_adapter_stays_what_it_is() -> None:
    adapter = ScriptedAgent(["Hello."])
    assert connect(adapter) is adapter
    with pytest.raises(TypeError, match="ScriptedAgent is an adapter already, so it takes no options"):
        connect(adapter, timeout_s=3)


def test_a_connection_is_noted_once() -> None:
    before = len(noted())

    def unheard_of(prompt: str, history: list[Any]) -> str:
        return ""

    for _ in range(2):
        connect(unheard_of)
    explain(lambda prompt, history: "")
    assert [one.target for one in noted()[before:]] == ["the function 'unheard_of'"]


@pytest.mark.parametrize("target", TARGETS, ids=lambda one: f"{one.adapter}-{one.module}")
def test_an_agent_of_a_framework_is_known_by_its_class(target: Target) -> None:
    for name in target.names:
        assert target_of(made_of(target.module, name)) is target
        assert target_of(made_of(f"{target.module}.deeper", name)) is target
        assert target_of(made_of(f"{target.module}x", name)) is None
    assert target_of(made_of(target.module, "Unheard")) is None


@pytest.mark.parametrize(("module", "name"), CLIENTS)
def test_a_client_of_a_model_is_no_agent(module: str, name: str) -> None:
    with pytest.raises(TypeError, match="Own is a client of a model; the agent is your loop around it"):
        connect(made_of(f"{module}._client", name))


@pytest.mark.parametrize(("module", "name"), NEEDS_A_FUNCTION)
def test_an_agent_that_keeps_its_conversation_is_not_shared(module: str, name: str) -> None:
    with pytest.raises(TypeError, match=r"one of its own: \w+\(make_agent\) takes a function"):
        connect(made_of(f"{module}.deeper", name))


@pytest.mark.parametrize(
    ("target", "error", "message"),
    [
        pytest.param("my-agent --prompt", TypeError, "a command is a list of str", id="shell-text"),
        pytest.param([], TypeError, "a command is a list of str", id="empty-command"),
        pytest.param(["run", 3], TypeError, "a command is a list of str", id="number-in-command"),
        pytest.param(None, TypeError, "no adapter is known for NoneType", id="none"),
        pytest.param({"url": "x"}, TypeError, "no adapter is known for dict", id="dict"),
        pytest.param(CallableAdapter, TypeError, "known for the class CallableAdapter", id="class"),
        pytest.param(lambda: "x", TypeError, "prompt", id="wrong-signature"),
    ],
)
def test_what_is_no_agent_is_refused(target: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        connect(target)


def test_importing_the_adapters_imports_no_framework() -> None:
    code = (
        "import sys, rampart.adapters as a\n"
        "for name in a.__all__: getattr(a, name)\n"
        "import rampart.adapters.connecting\n"
        "heavy = {'httpx', 'httpx2', 'jmespath', 'openai', 'anthropic', 'pydantic_ai', 'pydantic',\n"
        "  'langgraph', 'langchain_core', 'agents', 'agent_framework', 'google', 'a2a', 'strands',\n"
        "  'llama_index', 'smolagents', 'claude_agent_sdk', 'crewai', 'opentelemetry', 'mcp', 'anyio'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    ran = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
