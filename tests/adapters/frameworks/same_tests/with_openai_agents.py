"""The reader as an agent of the OpenAI Agents SDK."""

from typing import Any

from tests.adapters.frameworks.same_tests.reader import read_notes, reader_step, send_email


def make_agent(*, obedient: bool) -> Any:
    """An agent on a model of its own."""
    from agents import Agent, function_tool
    from tests.adapters.frameworks.openai_agents.brain_model import BrainModel, conversation

    class ReaderModel(BrainModel):
        def step_after(self, items: Any) -> Any:
            return reader_step(*conversation(items), obedient=obedient)

    tools = [function_tool(read_notes), function_tool(send_email)]
    return Agent(name="reader", model=ReaderModel(), tools=tools)
