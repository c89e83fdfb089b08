"""Libraries that make their spans after the fact, in a thread of their own."""

from __future__ import annotations

import asyncio
import sys

LATE_SCOPES = frozenset({"langsmith"})
"""Instrumentations whose span that has not ended means that others are still to be made."""


async def flush_async(*, seconds: float) -> str:
    """Have them make what is due.

    Returns:
        Why spans may be missing; empty if none are.
    """
    tracers = sys.modules.get("langchain_core.tracers.langchain")
    wait = getattr(tracers, "wait_for_all_tracers", None)
    if not callable(wait) or "langsmith._internal.otel._otel_exporter" not in sys.modules:
        return ""
    try:
        await asyncio.wait_for(asyncio.to_thread(wait), timeout=max(seconds, 0.05))
    except TimeoutError:
        return f"LangSmith's client had not exported its spans {seconds} s after the reply"
    except Exception as error:  # what a foreign client raises
        return f"LangSmith's client could not export its spans: {type(error).__name__}"
    return ""
