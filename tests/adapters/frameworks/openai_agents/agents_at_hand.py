"""Agents that the tests use, and how a session talks to one."""

from typing import Any

from agents import Agent, function_tool
from agents.testing import ScriptedModel, assistant_message, function_call
from tests.adapters.frameworks.brain import TOOLS, send_email
from tests.adapters.frameworks.openai_agents.brain_model import BrainModel

from rampart import Request, Response


def clerk(**fields: Any) -> Agent[Any]:
    tools = [function_tool(tool, strict_mode=False) for tool in TOOLS]
    return Agent(**{"name": "clerk", "model": BrainModel(), "tools": tools, **fields})


def scripted(*steps: list[Any], **fields: Any) -> Agent[Any]:
    return Agent(**{"name": "scripted", "model": ScriptedModel(steps), **fields})


def with_helper(helper: Agent[Any], asked: str = "Look up ada and bob at once.") -> Agent[Any]:
    """An agent that uses another as a tool, and gives its call an id that the other one uses too."""
    ask = [function_call("helper", {"input": asked}, call_id="call-1-1")]
    return scripted(ask, [assistant_message("Done.")], tools=[helper.as_tool("helper", "Helps.")])


def careful() -> Agent[Any]:
    return clerk(tools=[function_tool(send_email, needs_approval=True)])


async def converse(adapter: Any, *prompts: str) -> list[Response]:
    async with await adapter.create_session_async() as session:
        return [await session.send_async(Request(prompt=prompt)) for prompt in prompts]
