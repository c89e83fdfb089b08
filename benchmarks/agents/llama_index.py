"""An agent of LlamaIndex, and a model that costs nothing."""

from __future__ import annotations

import warnings
from typing import Any

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.workflow import Context
from tests.adapters.frameworks.brain import TOOLS
from tests.adapters.frameworks.llama_index.brain_model import brain_model

from rampart.adapters import LlamaIndexAdapter

warnings.filterwarnings("ignore")  # LlamaIndex warns of itself
agent: Any = FunctionAgent(name="clerk", description="A clerk.", tools=list(TOOLS), llm=brain_model())
adapter = LlamaIndexAdapter(agent)


async def converse(prompts: list[str]) -> str:
    """Have a conversation as the framework's users do."""
    return await _converse(prompts, watched=False)


async def converse_watched(prompts: list[str]) -> str:
    """The same while the events are read, and nothing done with them."""
    return await _converse(prompts, watched=True)


async def _converse(prompts: list[str], *, watched: bool) -> str:
    context, memory = Context(agent), ChatMemoryBuffer.from_defaults(llm=agent.llm)
    for prompt in prompts:
        handler = agent.run(prompt, ctx=context, memory=memory)
        if watched:
            async for _event in handler.stream_events():
                pass
        result = await handler
    return str(result)
