"""An agent of the OpenAI Agents SDK, and a model that costs nothing."""

from __future__ import annotations

from typing import Any

from agents import Agent, RunConfig, RunHooks, Runner, function_tool
from tests.adapters.frameworks.brain import TOOLS
from tests.adapters.frameworks.openai_agents.brain_model import BrainModel

from rampart.adapters import OpenAIAgentsAdapter

agent: Any = Agent(
    name="clerk", model=BrainModel(), tools=[function_tool(tool, strict_mode=False) for tool in TOOLS]
)
adapter = OpenAIAgentsAdapter(agent)


async def converse(prompts: list[str], **more: Any) -> str:
    """Have a conversation as the framework's users do."""
    items: list[Any] = []
    for prompt in prompts:
        given = [*items, {"role": "user", "content": prompt}]
        result = await Runner.run(agent, given, run_config=RunConfig(tracing_disabled=True), **more)
        items = result.to_input_list()
    return str(result.final_output)


async def converse_watched(prompts: list[str]) -> str:
    """The same with hooks that do nothing."""
    return await converse(prompts, hooks=RunHooks())
