"""An agent of Google's ADK, and a model that costs nothing."""

from __future__ import annotations

import uuid
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.runners import InMemoryRunner
from google.genai.types import Content, Part
from tests.adapters.frameworks.adk.brain_model import BrainModel
from tests.adapters.frameworks.brain import TOOLS

from rampart.adapters import AdkAdapter

agent: Any = LlmAgent(name="clerk", model=BrainModel(), tools=list(TOOLS))
adapter = AdkAdapter(agent)
_plain = InMemoryRunner(agent)
_watched = InMemoryRunner(agent, plugins=[BasePlugin("idle")])


async def converse(prompts: list[str]) -> str:
    """Have a conversation as the framework's users do."""
    return await _converse(_plain, prompts)


async def converse_watched(prompts: list[str]) -> str:
    """The same with a plugin that does nothing."""
    return await _converse(_watched, prompts)


async def _converse(runner: Any, prompts: list[str]) -> str:
    session = uuid.uuid4().hex
    await runner.session_service.create_session(app_name=runner.app_name, user_id="ada", session_id=session)
    text = ""
    for prompt in prompts:
        said = Content(role="user", parts=[Part(text=prompt)])
        async for event in runner.run_async(user_id="ada", session_id=session, new_message=said):
            if event.is_final_response() and event.content:
                text = "".join(part.text or "" for part in event.content.parts)
    await runner.session_service.delete_session(app_name=runner.app_name, user_id="ada", session_id=session)
    return text
