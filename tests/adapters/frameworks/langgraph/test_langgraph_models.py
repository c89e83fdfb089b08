"""Models of every kind in graphs, what is not known of a graph, and the options."""

from dataclasses import dataclass
from typing import Any, TypedDict

import pytest
from tests.adapters.frameworks.brain import TOOLS
from tests.adapters.frameworks.library import need

need("langgraph")
need("langchain")

from langchain.agents import create_agent  # noqa: E402 - only where it is installed
from langchain_core.messages import AIMessage, AIMessageChunk  # noqa: E402 - likewise
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult  # noqa: E402 - likewise
from langchain_core.runnables import RunnableConfig  # noqa: E402 - likewise
from langgraph.graph import MessagesState, StateGraph  # noqa: E402 - likewise
from langgraph.runtime import get_runtime  # noqa: E402 - likewise
from tests.adapters.frameworks.langgraph.brain_model import USAGE, BrainModel, result_of, step_after  # noqa: E402 - likewise
from tests.adapters.frameworks.langgraph.graphs import converse, one_node  # noqa: E402 - likewise

from rampart import ConfigurationError, InfrastructureError, ObservabilityLevel, Request  # noqa: E402 - below
from rampart.adapters import LangGraphAdapter  # noqa: E402 - what may skip the file
from rampart.core.errors import partial_of  # noqa: E402 - likewise

pytestmark = pytest.mark.framework


class StreamingModel(BrainModel):
    """Says everything in two chunks."""

    def _stream(self, messages: Any, stop: Any = None, run_manager: Any = None, **options: Any) -> Any:
        message = result_of(step_after(messages)).generations[0].message
        yield ChatGenerationChunk(message=AIMessageChunk(str(message.content)))
        assert isinstance(message, AIMessage)
        pieces: Any = [
            {"name": call["name"], "args": f'{{"to": "{call["args"]["to"]}"}}', "id": call["id"], "index": 0}
            for call in message.tool_calls
        ]
        yield ChatGenerationChunk(message=AIMessageChunk("", tool_call_chunks=pieces, usage_metadata=USAGE))


async def test_a_model_that_streams_is_heard_once() -> None:
    async def ask(state: Any) -> Any:
        whole: Any = None
        async for piece in StreamingModel().astream(state["messages"]):
            whole = piece if whole is None else whole + piece
        return {"messages": [whole]}

    [response] = await converse(LangGraphAdapter(one_node(ask)), "Mail ada.")
    assert [(call.name, call.arguments) for call in response.tool_calls] == [
        ("send_email", {"to": "ada@example.com"})
    ]
    assert response.usage is not None
    assert response.usage.input_tokens == USAGE["input_tokens"]


class WrappingModel(BrainModel):
    """Has another model answer, and hands its message on."""

    async def _agenerate(
        self, messages: Any, stop: Any = None, run_manager: Any = None, **options: Any
    ) -> Any:
        inner = BrainModel()
        message = await inner.ainvoke(messages)
        made = result_of(step_after(messages))
        made.generations[0].message = message
        return made


async def test_a_model_inside_a_model_asks_once() -> None:
    [response] = await converse(LangGraphAdapter(create_agent(WrappingModel(), tools=TOOLS)), "Mail ada.")
    assert len(response.tool_calls) == 1
    assert response.usage is not None
    assert response.usage.input_tokens == 2 * USAGE["input_tokens"]


async def test_a_model_that_uses_an_id_again_asks_each_time() -> None:
    words = [{"name": "lookup", "args": {"word": "ada"}, "id": "1"}]
    asks: Any = [AIMessage("", tool_calls=words) for _ in range(2)]
    said = iter([*asks, AIMessage("Done.")])

    class Repeating(BrainModel):
        async def _agenerate(
            self, messages: Any, stop: Any = None, run_manager: Any = None, **options: Any
        ) -> Any:
            return ChatResult(generations=[ChatGeneration(message=next(said))])

    [response] = await converse(LangGraphAdapter(create_agent(Repeating(), tools=TOOLS)), "Go.")
    assert [call.executed for call in response.tool_calls] == [True, True]
    assert response.usage is None


async def test_usage_of_a_model_that_does_not_tell_is_unknown() -> None:
    def canned(_state: Any) -> Any:
        return {"messages": [AIMessage("Hello.")]}

    adapter = LangGraphAdapter(one_node(canned))
    async with await adapter.create_session_async() as session:
        response = await session.send_async(Request(prompt="Hi."))
        assert session.observability_profile is ObservabilityLevel.RESPONSE_ONLY
    assert response.usage is None
    assert "not known" in response.metadata["observability"]


async def test_who_knows_better_states_the_level() -> None:
    def canned(_state: Any) -> Any:
        return {"messages": [AIMessage("Hello.")]}

    adapter = LangGraphAdapter(one_node(canned), observability=ObservabilityLevel.TOOL_ONLY)
    async with await adapter.create_session_async() as session:
        await session.send_async(Request(prompt="Hi."))
        assert session.observability_profile is ObservabilityLevel.TOOL_ONLY


async def test_what_the_provider_ran_itself() -> None:
    content: Any = [
        {"type": "server_tool_call", "name": "web_search", "args": {"query": "ada"}, "id": "s1"},
        {"type": "server_tool_result", "tool_call_id": "s1", "status": "success", "output": "found"},
        {"type": "text", "text": "Here."},
    ]

    class Searching(BrainModel):
        async def _agenerate(
            self, messages: Any, stop: Any = None, run_manager: Any = None, **options: Any
        ) -> Any:
            made = result_of(step_after(messages))
            made.generations[0].message = AIMessage(
                content=content, response_metadata={"output_version": "v1"}
            )
            return made

    [response] = await converse(LangGraphAdapter(create_agent(Searching(), tools=[])), "Find ada.")
    [call] = response.tool_calls
    assert (call.name, call.arguments, call.executed, call.result) == (
        "web_search",
        {"query": "ada"},
        True,
        "found",
    )
    assert response.text == "Here."


async def test_steps_that_are_used_up_keep_the_calls() -> None:
    adapter = LangGraphAdapter(create_agent(BrainModel(), tools=TOOLS), config={"recursion_limit": 2})
    with pytest.raises(InfrastructureError, match="GraphRecursionError") as caught:
        await converse(adapter, "Mail ada.")
    partial = partial_of(caught.value)
    assert partial is not None
    assert [call.result for call in partial.tool_calls] == ["sent to ada@example.com"]


class Ticket(TypedDict):
    question: str
    answer: str


async def test_a_state_of_its_own() -> None:
    def answer(state: Any) -> Any:
        return {"answer": state["question"].upper()}

    graph = one_node(answer, Ticket)
    adapter = LangGraphAdapter(
        graph,
        input=lambda prompt, last: {"question": f"{prompt} after {last}"},
        output=lambda state: state["answer"],
    )
    first, second = await converse(adapter, "one", "two")
    assert first.text == "ONE AFTER NONE"
    assert second.text.startswith("TWO AFTER {'QUESTION'")
    with pytest.raises(ConfigurationError, match=r"has no 'messages'.*pass input="):
        await converse(LangGraphAdapter(graph), "one")
    with pytest.raises(InfrastructureError, match=r"without messages; pass output="):
        await converse(LangGraphAdapter(graph, input=lambda prompt, _last: {"question": prompt}), "one")


@dataclass
class Customer:
    name: str


async def test_config_and_context_reach_the_graph() -> None:
    seen: list[Any] = []

    def look(state: Any, config: RunnableConfig) -> Any:
        seen.append(
            (get_runtime(Customer).context.name, config.get("configurable", {})["shop"], config.get("tags"))
        )
        return {"messages": [AIMessage("Seen.")]}

    graph: Any = StateGraph(MessagesState, context_schema=Customer)
    graph.add_node("look", look)
    graph.set_entry_point("look")
    config = {"configurable": {"shop": 7}, "tags": ["test"]}
    adapter = LangGraphAdapter(graph.compile(), config=config, context=lambda: Customer("Ada"))
    await converse(adapter, "Hi.")
    assert seen[0][:2] == ("Ada", 7)
    assert config == {"configurable": {"shop": 7}, "tags": ["test"]}


async def test_a_graph_that_says_nothing() -> None:
    def silent(_state: Any) -> Any:
        return {}

    [response] = await converse(LangGraphAdapter(one_node(silent)), "Hi.")
    assert (response.text, response.metadata["no_reply"]) == (
        "",
        "the graph ended without a message of its own",
    )


async def test_a_function_makes_a_graph_for_each_session() -> None:
    made: list[Any] = []

    async def make() -> Any:
        made.append(create_agent(BrainModel(), tools=TOOLS))
        return made[-1]

    adapter = LangGraphAdapter(make)
    await converse(adapter, "Say hello.")
    await converse(adapter, "Say hello.")
    assert len(made) == 2


def test_refusals() -> None:
    with pytest.raises(TypeError, match="expected a compiled LangGraph graph"):
        LangGraphAdapter(StateGraph(MessagesState))
    graph = create_agent(BrainModel(), tools=TOOLS)
    with pytest.raises(ValueError, match="config names a thread_id"):
        LangGraphAdapter(graph, config={"configurable": {"thread_id": "1"}})
    given: Any = 3
    with pytest.raises(TypeError, match="config must be a dict"):
        LangGraphAdapter(graph, config=given)
    with pytest.raises(TypeError, match="resume must be a function or None, got int"):
        LangGraphAdapter(graph, resume=given)
