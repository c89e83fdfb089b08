"""Agents of ADK whose models say what a script says."""

from typing import Any

from google.adk.agents import LlmAgent
from google.adk.models import LlmResponse
from google.genai import types
from tests.adapters.frameworks.adk.brain_model import BrainModel, answer
from tests.adapters.frameworks.brain import send_email

from rampart import ObservabilityLevel, Request, Response
from rampart.adapters import AdkAdapter


class Script(BrainModel):
    """Gives its answers one after another, in every session from the first one."""

    answers: list[Any]

    async def generate_content_async(self, llm_request: Any, stream: bool = False) -> Any:
        said = sum(content.role == "model" for content in llm_request.contents)
        yield self.answers[min(said, len(self.answers) - 1)]


def say(text: str) -> LlmResponse:
    return answer(types.Part(text=text))


def ask(name: str, call_id: str = "c1", **arguments: Any) -> LlmResponse:
    return answer(types.Part(function_call=types.FunctionCall(id=call_id, name=name, args=arguments)))


def agent(*answers: Any, tools: list[Any] | None = None, name: str = "clerk", **options: Any) -> LlmAgent:
    return LlmAgent(name=name, model=Script(answers=list(answers)), tools=tools or [], **options)


def mailing(**options: Any) -> LlmAgent:
    tools = options.pop("tools", [send_email])
    return agent(ask("send_email", to="ada"), say("Done."), tools=tools, **options)


async def turn(given: Any, **options: Any) -> Response:
    async with await AdkAdapter(given, **options).create_session_async() as session:
        return await session.send_async(Request(prompt="Go."))


async def level_after_turn(given: Any) -> ObservabilityLevel:
    async with await AdkAdapter(given).create_session_async() as session:
        await session.send_async(Request(prompt="Go."))
        return session.observability_profile
