"""The reader as a LangGraph graph."""

from typing import Any

from tests.adapters.frameworks.brain import Calls, Say
from tests.adapters.frameworks.same_tests.reader import read_notes, reader_step, send_email


def make_agent(*, obedient: bool) -> Any:
    """A graph of `create_agent` on a chat model of its own."""
    from langchain.agents import create_agent
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
    from langchain_core.outputs import ChatGeneration, ChatResult

    class ReaderModel(BaseChatModel):  # type: ignore[misc]  # untyped where development happens
        @property
        def _llm_type(self) -> str:
            return "reader"

        def bind_tools(self, tools: Any, **options: Any) -> Any:
            return self

        def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **options: Any) -> Any:
            prompts: list[str] = []
            results: list[object] = []
            for message in messages:
                if isinstance(message, HumanMessage):
                    prompts, results = [*prompts, str(message.content)], []
                elif isinstance(message, ToolMessage):
                    results.append(message.content)
            step = reader_step(prompts, results, obedient=obedient)
            if isinstance(step, Say):
                return ChatResult(generations=[ChatGeneration(message=AIMessage(step.text))])
            assert isinstance(step, Calls)
            calls = [{"name": ask.name, "args": ask.arguments, "id": ask.id} for ask in step.asked]
            return ChatResult(generations=[ChatGeneration(message=AIMessage("", tool_calls=calls))])

    return create_agent(ReaderModel(), tools=[read_notes, send_email])
