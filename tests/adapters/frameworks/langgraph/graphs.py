"""Graphs of one model node and one node for tools, and how a session talks to one."""

from collections.abc import Callable
from typing import Any

from langgraph.graph import END, START, MessagesState, StateGraph
from tests.adapters.frameworks.langgraph.brain_model import BrainModel

from rampart import Request, Response


def loop(tools: Any, **options: Any) -> Any:
    """A compiled graph that goes on until the model asks for nothing."""

    async def ask(state: Any) -> Any:
        return {"messages": [await BrainModel().ainvoke(state["messages"])]}

    def then(state: Any) -> Any:
        return "tools" if state["messages"][-1].tool_calls else END

    graph: Any = StateGraph(MessagesState)
    graph.add_node("ask", ask)
    graph.add_node("tools", tools)
    graph.add_edge(START, "ask")
    graph.add_conditional_edges("ask", then)
    graph.add_edge("tools", "ask")
    return graph.compile(**options)


def one_node(node: Callable[[Any], Any], state: Any = MessagesState) -> Any:
    """A compiled graph of one node."""
    graph: Any = StateGraph(state)
    graph.add_node("node", node)
    graph.add_edge(START, "node")
    return graph.compile()


async def converse(adapter: Any, *prompts: str) -> list[Response]:
    """The replies to messages of one session."""
    async with await adapter.create_session_async() as session:
        return [await session.send_async(Request(prompt=prompt)) for prompt in prompts]
