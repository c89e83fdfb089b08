"""Talking to an adapter in tests."""

from rampart.adapters import CallableAdapter
from rampart.core.types import Payload, Request, Response, ToolCall

History = list[dict[str, str]]


async def say(adapter: CallableAdapter, *prompts: str) -> list[Response]:
    """The replies of one session."""
    async with await adapter.create_session_async() as session:
        return [await session.send_async(Request(prompt=prompt)) for prompt in prompts]


async def reply_to(adapter: CallableAdapter, prompt: str = "hello") -> Response:
    """The reply of a session of one turn."""
    return (await say(adapter, prompt))[0]


async def send_attachments(
    adapter: CallableAdapter, *payloads: Payload, prompt: str | None = None
) -> Response:
    """The reply of a session of one turn to a request with attachments."""
    async with await adapter.create_session_async() as session:
        return await session.send_async(Request(prompt=prompt, attachments=list(payloads)))


def calls_of(response: Response) -> list[tuple[str, dict[str, object]]]:
    """Names and arguments."""
    return [(call.name, call.arguments) for call in response.tool_calls]


def only_call(response: Response) -> ToolCall:
    """The call of a response that has exactly one."""
    (call,) = response.tool_calls
    return call
