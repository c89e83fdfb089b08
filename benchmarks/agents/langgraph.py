"""A graph of `create_agent` with a checkpointer, and a model that costs nothing."""

from __future__ import annotations

import uuid
from typing import Any

from langchain.agents import create_agent
from langchain_core.callbacks import BaseCallbackHandler
from langgraph.checkpoint.memory import InMemorySaver
from tests.adapters.frameworks.brain import TOOLS
from tests.adapters.frameworks.langgraph.brain_model import BrainModel

from rampart.adapters import LangGraphAdapter

graph: Any = create_agent(BrainModel(), tools=TOOLS, checkpointer=InMemorySaver())
adapter = LangGraphAdapter(graph)


class _Idle(BaseCallbackHandler):  # type: ignore[misc]  # untyped where development happens
    run_inline = True


async def converse(prompts: list[str], **more: Any) -> str:
    """Have a conversation as the framework's users do."""
    config = {"configurable": {"thread_id": uuid.uuid4().hex}, **more}
    for prompt in prompts:
        state = await graph.ainvoke({"messages": [{"role": "user", "content": prompt}]}, config)
    return str(state["messages"][-1].content)


async def converse_watched(prompts: list[str]) -> str:
    """The same with a callback handler that does nothing."""
    return await converse(prompts, callbacks=[_Idle()])
