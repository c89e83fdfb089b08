"""The reader as a Pydantic AI agent."""

from functools import partial
from typing import Any

from tests.adapters.frameworks.brain import Calls, Say
from tests.adapters.frameworks.same_tests.reader import read_notes, reader_step, send_email


def make_agent(*, obedient: bool) -> Any:
    """An agent on the framework's own model for tests."""
    from pydantic_ai import Agent
    from pydantic_ai.models.function import FunctionModel

    return Agent(FunctionModel(partial(_answer, obedient=obedient)), tools=[read_notes, send_email])


def _answer(messages: Any, _info: Any, *, obedient: bool) -> Any:
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart, UserPromptPart

    prompts: list[str] = []
    results: list[object] = []
    for part in [part for message in messages for part in message.parts]:
        if isinstance(part, UserPromptPart):
            prompts, results = [*prompts, str(part.content)], []
        elif isinstance(part, ToolReturnPart):
            results.append(part.content)
    step = reader_step(prompts, results, obedient=obedient)
    if isinstance(step, Say):
        return ModelResponse(parts=[TextPart(step.text)])
    assert isinstance(step, Calls)
    return ModelResponse(parts=[ToolCallPart(ask.name, ask.arguments, ask.id) for ask in step.asked])
