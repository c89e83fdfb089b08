"""Recorded tools, and a thread that knows nothing of sessions."""

import asyncio
import contextvars
import threading
from collections.abc import Awaitable, Callable

from rampart.adapters import record_tools
from rampart.core.types import ObservabilityLevel

Work = Callable[[str], Awaitable[None]]
RESPONSE_ONLY, TOOL_ONLY = ObservabilityLevel.RESPONSE_ONLY, ObservabilityLevel.TOOL_ONLY


@record_tools
def send(to: str) -> str:
    return f"sent to {to}"


@record_tools
async def send_async(to: str) -> str:
    await asyncio.sleep(0)
    return f"sent to {to}"


def in_own_thread(work: Callable[[], object]) -> None:
    """Run `work` in a thread that knows nothing of the session, as an agent might."""
    thread = threading.Thread(target=contextvars.Context().run, args=(work,))
    thread.start()
    thread.join()
