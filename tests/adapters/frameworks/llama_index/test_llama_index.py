"""What users of LlamaIndex meet: agents that hand off to others."""

from typing import Any

import pytest
from tests.adapters.frameworks.library import need

need("llama_index.core")

from llama_index.core.agent.workflow import (  # noqa: E402 - only where it is installed
    AgentWorkflow,
    FunctionAgent,
)
from llama_index.core.base.llms.types import ChatMessage, TextBlock, ToolCallBlock  # noqa: E402 - likewise
from llama_index.core.llms.mock import MockFunctionCallingLLM  # noqa: E402 - likewise
from tests.adapters.frameworks.brain import send_email  # noqa: E402 - likewise

from rampart import Request  # noqa: E402 - below what may skip the file
from rampart.adapters import LlamaIndexAdapter  # noqa: E402 - likewise

pytestmark = [
    pytest.mark.framework,
    pytest.mark.filterwarnings("ignore::pydantic.warnings.PydanticDeprecationWarning"),
]


def model(name: str, arguments: dict[str, Any]) -> MockFunctionCallingLLM:
    def answer(messages: Any, **_: Any) -> ChatMessage:
        called = [m for m in messages if m.role == "tool" and name in m.additional_kwargs["tool_call_id"]]
        ask = ToolCallBlock(tool_name=name, tool_kwargs=arguments, tool_call_id=f"{name}-1")
        return ChatMessage(role="assistant", blocks=[TextBlock(text="Sent.") if called else ask])

    return MockFunctionCallingLLM(response_generator=answer)


async def test_calls_of_an_agent_that_was_handed_to_are_seen() -> None:
    desk = FunctionAgent(
        name="desk",
        description="Takes questions.",
        llm=model("handoff", {"to_agent": "post", "reason": "mail"}),
        can_handoff_to=["post"],
    )
    post = FunctionAgent(
        name="post",
        description="Sends mail.",
        tools=[send_email],
        llm=model("send_email", {"to": "ada@example.com"}),
    )
    adapter = LlamaIndexAdapter(AgentWorkflow(agents=[desk, post], root_agent="desk"))
    async with await adapter.create_session_async() as session:
        calls = (await session.send_async(Request(prompt="Mail ada."))).tool_calls
    assert [(call.name, call.id, call.executed) for call in calls] == [
        ("handoff", "handoff-1", True),
        ("send_email", "send_email-1", True),
    ]
