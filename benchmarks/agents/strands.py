"""An agent of Strands, and a model that costs nothing."""

from __future__ import annotations

from typing import Any

from strands import Agent, tool
from tests.adapters.frameworks.brain import TOOLS
from tests.adapters.frameworks.strands.brain_model import BrainModel

from rampart.adapters import StrandsAdapter

_TOOLS = [tool(function) for function in TOOLS]


def make_agent() -> Any:
    """An agent, with a conversation of its own."""
    return Agent(model=BrainModel(), tools=_TOOLS, callback_handler=None, retry_strategy=None)


adapter = StrandsAdapter(make_agent)


async def converse(prompts: list[str]) -> str:
    """Have a conversation as the framework's users do."""
    agent = make_agent()
    for prompt in prompts:
        result = await agent.invoke_async(prompt)
    return str(result).strip()
