"""Agents that are nothing but a loop around a client of the openai package."""

from typing import Any

from tests.adapters.frameworks.gateway.brain_script import CHAT_TOOLS, RESPONSES_TOOLS, run_tool


def _chat_request(messages: list[Any]) -> dict[str, Any]:
    return {"model": "any", "messages": messages, "tools": CHAT_TOOLS}


def _chat_answers(message: Any, messages: list[Any]) -> bool:
    """Add the model's message and what the tools say; whether there was any tool to call."""
    if not message.tool_calls:
        return False
    asked = [
        {
            "id": call.id,
            "type": "function",
            "function": {"name": call.function.name, "arguments": call.function.arguments},
        }
        for call in message.tool_calls
    ]
    messages.append({"role": "assistant", "content": message.content, "tool_calls": asked})
    for call in message.tool_calls:
        told, _ = run_tool(call.function.name, call.function.arguments)
        messages.append({"role": "tool", "tool_call_id": call.id, "content": told})
    return True


async def chat(prompt: str, history: list[Any], client: Any) -> str:
    messages = [*history, {"role": "user", "content": prompt}]
    while True:
        completion = await client.chat.completions.create(**_chat_request(messages))
        message = completion.choices[0].message
        if not _chat_answers(message, messages):
            return str(message.content)


def chat_sync(prompt: str, history: list[Any], client: Any) -> str:
    messages = [*history, {"role": "user", "content": prompt}]
    while True:
        message = client.chat.completions.create(**_chat_request(messages)).choices[0].message
        if not _chat_answers(message, messages):
            return str(message.content)


def chat_stream_sync(prompt: str, history: list[Any], client: Any) -> str:
    messages = [*history, {"role": "user", "content": prompt}]
    while True:
        request = {**_chat_request(messages), "stream_options": {"include_usage": True}}
        with client.chat.completions.stream(**request) as stream:
            message = stream.get_final_completion().choices[0].message
        if not _chat_answers(message, messages):
            return str(message.content)


async def chat_stream(prompt: str, history: list[Any], client: Any) -> str:
    messages = [*history, {"role": "user", "content": prompt}]
    while True:
        request = {**_chat_request(messages), "stream_options": {"include_usage": True}}
        async with client.chat.completions.stream(**request) as stream:
            message = (await stream.get_final_completion()).choices[0].message
        if not _chat_answers(message, messages):
            return str(message.content)


class Responses:
    """A conversation that the server remembers: only what is new is sent."""

    def __init__(self, client: Any, *, streams: bool) -> None:
        self._client = client
        self._streams = streams
        self._last: dict[str, str] = {}

    async def reply(self, prompt: str, history: list[Any]) -> str:
        items: list[Any] = [{"role": "user", "content": prompt}]
        while True:
            response = await self._ask(items)
            self._last = {"previous_response_id": response.id}
            calls = [item for item in response.output if item.type == "function_call"]
            if not calls:
                return str(response.output_text)
            items = [
                {
                    "type": "function_call_output",
                    "call_id": call.call_id,
                    "output": run_tool(call.name, call.arguments)[0],
                }
                for call in calls
            ]

    async def _ask(self, items: list[Any]) -> Any:
        request: dict[str, Any] = {"model": "any", "input": items, "tools": RESPONSES_TOOLS, **self._last}
        if not self._streams:
            return await self._client.responses.create(**request)
        async with self._client.responses.stream(**request) as stream:
            return await stream.get_final_response()


def responses(client: Any) -> Any:
    return Responses(client, streams=False).reply


def responses_stream(client: Any) -> Any:
    return Responses(client, streams=True).reply


async def responses_of_history(prompt: str, history: list[Any], client: Any) -> str:
    """The whole conversation is sent each time, streamed."""
    items: list[Any] = [*history, {"role": "user", "content": prompt}]
    while True:
        request = {"model": "any", "input": items, "tools": RESPONSES_TOOLS, "store": False}
        async with client.responses.stream(**request) as stream:
            response = await stream.get_final_response()
        calls = [item for item in response.output if item.type == "function_call"]
        if not calls:
            return str(response.output_text)
        items += [item.to_dict() for item in calls]
        items += [
            {
                "type": "function_call_output",
                "call_id": call.call_id,
                "output": run_tool(call.name, call.arguments)[0],
            }
            for call in calls
        ]
