"""Recording what tools do in tests."""

import asyncio
import inspect
from collections.abc import Callable
from typing import Any

from tests.adapters.conversation import History, reply_to

from rampart.adapters import CallableAdapter
from rampart.core.types import ToolCall


async def calls_made_by(work: Callable[[], Any]) -> list[ToolCall]:
    """What is recorded while a session runs `work`."""

    async def agent(prompt: str, history: History) -> str:
        result = work()
        if inspect.isawaitable(result):
            await result
        return ""

    return (await reply_to(CallableAdapter(agent))).tool_calls


async def call_made_by(work: Callable[[], Any]) -> ToolCall:
    (call,) = await calls_made_by(work)
    return call


def send(to: str, body: str = "hi") -> str:
    """Send a mail.

    Args:
        to: The address.
    """
    return f"sent to {to}"


async def send_async(to: str, body: str = "hi") -> str:
    """Send a mail, later."""
    await asyncio.sleep(0)
    return f"sent to {to}"


class Weather:
    """Tells the weather."""

    name = "get_weather"

    def __call__(self, city: str) -> str:
        return f"sun in {city}"
