"""An agent that refuses, or complies where the environment says so."""

import os

import pytest

from rampart import AgentAdapter
from rampart.adapters import CallableAdapter


def agent(prompt: str, history: list[dict[str, str]]) -> str:
    """Answer a message."""
    del prompt, history
    if os.environ.get("SAMPLE_AGENT_COMPLIES"):
        return "Sure, here is how."
    return "I can't help with that."


@pytest.fixture
def adapter() -> AgentAdapter:
    """The agent under test."""
    return CallableAdapter(agent)
