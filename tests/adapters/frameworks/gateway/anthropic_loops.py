"""Agents that are nothing but a loop around a client of the anthropic package."""

from typing import Any

from tests.adapters.frameworks.gateway.brain_script import ANTHROPIC_TOOLS, run_tool


def _request(messages: list[Any]) -> dict[str, Any]:
    return {"model": "any", "max_tokens": 100, "messages": messages, "tools": ANTHROPIC_TOOLS}


def _answers(message: Any, messages: list[Any]) -> bool:
    calls = [block for block in message.content if block.type == "tool_use"]
    if not calls:
        return False
    asked = [{"type": "tool_use", "id": call.id, "name": call.name, "input": call.input} for call in calls]
    messages.append({"role": "assistant", "content": asked})
    results = []
    for call in calls:
        told, failed = run_tool(call.name, call.input)
        results.append({"type": "tool_result", "tool_use_id": call.id, "content": told, "is_error": failed})
    messages.append({"role": "user", "content": results})
    return True


def _text(message: Any) -> str:
    return "".join(block.text for block in message.content if block.type == "text")


async def messages(prompt: str, history: list[Any], client: Any) -> str:
    conversation = [*history, {"role": "user", "content": prompt}]
    while True:
        message = await client.messages.create(**_request(conversation))
        if not _answers(message, conversation):
            return _text(message)


async def messages_stream(prompt: str, history: list[Any], client: Any) -> str:
    conversation = [*history, {"role": "user", "content": prompt}]
    while True:
        async with client.messages.stream(**_request(conversation)) as stream:
            message = await stream.get_final_message()
        if not _answers(message, conversation):
            return _text(message)


def messages_sync(prompt: str, history: list[Any], client: Any) -> str:
    conversation = [*history, {"role": "user", "content": prompt}]
    while True:
        message = client.messages.create(**_request(conversation))
        if not _answers(message, conversation):
            return _text(message)
