"""Who cancelled a call."""

from __future__ import annotations

import asyncio


def cancelled_from_outside() -> bool:
    """Whether somebody cancelled the task that waits, rather than the agent something of its own."""
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0
