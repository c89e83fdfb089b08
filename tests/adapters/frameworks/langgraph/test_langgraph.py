"""What users of LangGraph meet besides the shared cases, and where a verdict could lie."""

import threading
from typing import Any

import pytest
from tests.adapters.frameworks.brain import TOOLS, lookup, send_email
from tests.adapters.frameworks.library import need

need("langgraph")
need("langchain")

from langchain.agents import create_agent  # noqa: E402 - only where it is installed
from langchain.agents.middleware import HumanInTheLoopMiddleware  # noqa: E402 - likewise
from langchain_core.messages import RemoveMessage, ToolMessage  # noqa: E402 - likewise
from langchain_core.tools import StructuredTool  # noqa: E402 - likewise
from langgraph.checkpoint.memory import InMemorySaver  # noqa: E402 - likewise
from langgraph.graph import MessagesState, StateGraph  # noqa: E402 - likewise
from langgraph.prebuilt import ToolNode  # noqa: E402 - likewise
from langgraph.types import interrupt  # noqa: E402 - likewise
from tests.adapters.frameworks.langgraph.brain_model import BrainModel  # noqa: E402 - likewise
from tests.adapters.frameworks.langgraph.graphs import converse, loop  # noqa: E402 - likewise

from rampart import ConfigurationError  # noqa: E402 - below
from rampart.adapters import LangGraphAdapter  # noqa: E402 - what may skip the file

pytestmark = pytest.mark.framework


def ask_first(to: str) -> str:
    """Send a mail once somebody agrees."""
    return f"sent to {to}: {interrupt('Send it?')}"


def asking() -> Any:
    approved = StructuredTool.from_function(ask_first, name="send_email")
    return create_agent(BrainModel(), tools=[approved], checkpointer=InMemorySaver())


async def test_a_call_that_waits_for_approval_did_not_run_until_it_is_approved() -> None:
    graph = create_agent(
        BrainModel(),
        tools=[send_email],
        middleware=[HumanInTheLoopMiddleware(interrupt_on={"send_email": True})],
        checkpointer=InMemorySaver(),
    )
    adapter = LangGraphAdapter(graph, resume=lambda prompt, _waiting: {"decisions": [{"type": prompt}]})
    first, second = await converse(adapter, "Mail ada.", "approve")
    [call] = first.tool_calls
    assert (call.executed, first.text) == (False, "")
    assert first.metadata["interrupted"][0]["action_requests"][0]["name"] == "send_email"
    [call] = second.tool_calls
    assert (call.executed, call.result) == (True, "sent to ada@example.com")


async def test_a_tool_that_pauses_may_have_done_something() -> None:
    adapter = LangGraphAdapter(asking(), resume=lambda prompt, _waiting: prompt)
    first, second = await converse(adapter, "Mail ada.", "yes")
    assert [call.executed for call in first.tool_calls] == [None]
    assert first.metadata["interrupted"] == ["Send it?"]
    assert [call.result for call in second.tool_calls] == ["sent to ada@example.com: yes"]


async def test_without_an_answer_no_message_goes_on() -> None:
    with pytest.raises(ConfigurationError, match=r"waits for an answer to an interrupt: .*Pass resume="):
        await converse(LangGraphAdapter(asking()), "Mail ada.", "Say hello.")


async def test_a_breakpoint_before_the_tools() -> None:
    graph = create_agent(BrainModel(), tools=TOOLS, interrupt_before=["tools"], checkpointer=InMemorySaver())
    [response] = await converse(LangGraphAdapter(graph), "Mail ada.")
    assert response.metadata["interrupted"] == ["before tools"]
    assert [call.executed for call in response.tool_calls] == [False]


@pytest.mark.parametrize("nested", ["as a node", "inside a function"])
async def test_a_breakpoint_of_a_graph_inside_another(nested: str) -> None:
    inner: Any = StateGraph(MessagesState)
    inner.add_node("first", lambda state: {"messages": [("ai", "One moment.")]})
    inner.add_node("second", lambda state: {"messages": [("ai", "Done.")]})
    inner.set_entry_point("first")
    inner.add_edge("first", "second")
    stopping = inner.compile(interrupt_before=["second"])

    async def call_it(state: Any) -> Any:
        return await stopping.ainvoke(state)

    outer: Any = StateGraph(MessagesState)
    outer.add_node("helper", stopping if nested == "as a node" else call_it)
    outer.set_entry_point("helper")
    [response] = await converse(LangGraphAdapter(outer.compile(checkpointer=InMemorySaver())), "Say hello.")
    assert response.metadata["interrupted"] == ["before helper"]


async def test_a_breakpoint_that_nobody_tells_of_leaves_the_call_open() -> None:
    graph = create_agent(BrainModel(), tools=TOOLS, interrupt_before=["tools"])
    [response] = await converse(LangGraphAdapter(graph), "Mail ada.")
    assert response.metadata["no_reply"] == "the last message asks for tools"
    assert [call.executed for call in response.tool_calls] == [None]


async def test_a_node_that_tells_the_model_of_an_error() -> None:
    graph = loop(ToolNode(TOOLS, handle_tool_errors=True))
    [response] = await converse(LangGraphAdapter(graph), "Break marigold.")
    [call] = response.tool_calls
    assert (call.executed, call.error) == (True, "RuntimeError: kaboom: marigold")
    assert "kaboom" in call.result
    assert response.text == "It broke."


async def test_arguments_that_the_tool_refuses_are_no_run() -> None:
    def number(to: int) -> str:
        """Send."""
        return str(to)

    graph = create_agent(BrainModel(), tools=[StructuredTool.from_function(number, name="send_email")])
    [response] = await converse(LangGraphAdapter(graph), "Mail ada.")
    [call] = response.tool_calls
    assert call.executed is False
    assert "ValidationError" in (call.error or "")


async def test_a_result_that_no_tool_gave_is_not_taken_for_a_run() -> None:
    def pretend(state: Any) -> Any:
        calls = state["messages"][-1].tool_calls
        return {"messages": [ToolMessage("sent", tool_call_id=call["id"]) for call in calls]}

    [response] = await converse(LangGraphAdapter(loop(pretend)), "Mail ada.")
    [call] = response.tool_calls
    assert (call.executed, call.result) == (None, "sent")


async def test_agents_in_tools_that_run_side_by_side_with_the_same_ids() -> None:
    inner: Any = create_agent(BrainModel(), tools=[lookup])

    async def research(word: str) -> str:
        """Ask another agent."""
        asked = f"Look up {word}x and {word}y at once."
        state = await inner.ainvoke({"messages": [{"role": "user", "content": asked}]})
        return str(state["messages"][-1].text)

    graph = create_agent(
        BrainModel(), tools=[StructuredTool.from_function(coroutine=research, name="lookup")]
    )
    [response] = await converse(LangGraphAdapter(graph), "Look up ada and bob at once.")
    words = [call.arguments["word"] for call in response.tool_calls]
    assert sorted(words) == ["ada", "adax", "aday", "bob", "bobx", "boby"]
    assert all(call.executed for call in response.tool_calls)
    inside = {c.arguments["word"]: c.result for c in response.tool_calls if len(c.arguments["word"]) > 3}
    assert inside == {word: f"{word} is {word[::-1]} backwards" for word in ("adax", "aday", "bobx", "boby")}
    assert response.usage is not None
    assert response.usage.input_tokens == 60


async def test_a_subgraph_and_its_tools() -> None:
    graph: Any = StateGraph(MessagesState)
    graph.add_node("helper", create_agent(BrainModel(), tools=TOOLS))
    graph.set_entry_point("helper")
    adapter = LangGraphAdapter(graph.compile())
    assert adapter.manifest.declares_tool("send_email")
    [response] = await converse(adapter, "Mail ada.")
    assert [(call.name, call.result) for call in response.tool_calls] == [
        ("send_email", "sent to ada@example.com")
    ]


async def test_history_that_is_removed_loses_no_call() -> None:
    def forget(state: Any) -> Any:
        return {"messages": [RemoveMessage(id=message.id) for message in state["messages"][:-1]]}

    graph: Any = StateGraph(MessagesState)
    graph.add_node("agent", create_agent(BrainModel(), tools=TOOLS))
    graph.add_node("forget", forget)
    graph.set_entry_point("agent")
    graph.add_edge("agent", "forget")
    for compiled in (graph.compile(), graph.compile(checkpointer=InMemorySaver())):
        first, second = await converse(LangGraphAdapter(compiled), "Mail ada.", "Mail bob.")
        assert [call.arguments for call in first.tool_calls] == [{"to": "ada@example.com"}]
        assert [call.arguments for call in second.tool_calls] == [{"to": "bob@example.com"}]


async def test_sync_nodes_and_tools_in_threads() -> None:
    threads: set[int] = set()

    def call_it(state: Any) -> Any:
        threads.add(threading.get_ident())
        calls = state["messages"][-1].tool_calls
        sender = StructuredTool.from_function(send_email)
        return {"messages": [sender.invoke({**call, "type": "tool_call"}) for call in calls]}

    [response] = await converse(LangGraphAdapter(loop(call_it)), "Mail ada.")
    assert [(call.executed, call.result) for call in response.tool_calls] == [
        (True, "sent to ada@example.com")
    ]
    assert threading.get_ident() not in threads
