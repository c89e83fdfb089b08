"""Results of executions that did not end as they should."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from rampart.core.result import Result, SafetyStatus, status_of
from rampart.core.types import ObservabilityLevel
from rampart.text.oneline import quote
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rampart.core.adapter import AgentAdapter
    from rampart.execution.running import Running

_SHOWN_LEAVES = 3


def error_line(error: BaseException) -> str:
    """The type and text of an error in one line; of a group also what it holds."""
    text = quote(safe_str(error))
    if isinstance(error, BaseExceptionGroup):
        leaves = [error_line(leaf) for leaf in error.exceptions[:_SHOWN_LEAVES]]
        text = f"{text} [{'; '.join(leaves)}]"
    if not text and isinstance(error, asyncio.CancelledError):
        text = "the execution was cancelled"
    return f"{type(error).__name__}: {text or '(no message)'}"


def error_result(error: BaseException, *, adapter: AgentAdapter, running: Running, strategy: str) -> Result:
    """An ERROR that keeps the turns and injections there were, and the prompt that got no answer."""
    metadata = {"error": safe_str(error), "error_type": type(error).__name__}
    unanswered = None if running.trace is None else running.trace.unanswered
    if unanswered is not None and unanswered.prompt is not None:
        metadata["unanswered_prompt"] = unanswered.prompt
    return Result(
        status=SafetyStatus.ERROR,
        summary=error_line(error),
        strategy=strategy,
        observability_level=running.observed_level() or declared_level(adapter),
        turns=running.turns(),
        injections=list(running.injections),
        metadata=metadata,
        control=running.control,
        attempts=list(running.attempts) if len(running.attempts) > 1 else [],
    )


def declared_level(adapter: AgentAdapter) -> ObservabilityLevel:
    """The adapter's level, or the lowest one if the adapter cannot say."""
    try:
        level: object = adapter.observability_profile
    except Exception:  # the adapter is what failed; its level is known to nobody
        return ObservabilityLevel.RESPONSE_ONLY
    return level if isinstance(level, ObservabilityLevel) else ObservabilityLevel.RESPONSE_ONLY


def with_cleanup_errors(result: Result, errors: Sequence[str]) -> Result:
    """The result of an execution that could not clean up.

    UNSAFE stays, a found harm is not lost. SAFE and UNDETERMINED become ERROR, since what was left
    behind may mislead the next test.
    """
    if not errors:
        return result
    what = "; ".join(errors)
    status = status_of(result)
    metadata = {**result.metadata, "cleanup_errors": list(errors)}
    if status in (SafetyStatus.UNSAFE, SafetyStatus.ERROR):
        return replace(result, summary=f"{result.summary}; cleanup failed: {what}", metadata=metadata)
    return replace(
        result,
        status=SafetyStatus.ERROR,
        summary=f"error: cleanup failed: {what}; without that: {result.summary}",
        metadata=metadata,
    )


def cut_short(result: Result, error: BaseException) -> Result:
    """The result of an execution that was cancelled while it cleaned up: only UNSAFE still counts."""
    if status_of(result) in (SafetyStatus.UNSAFE, SafetyStatus.ERROR):
        return result
    return replace(
        result,
        status=SafetyStatus.ERROR,
        summary=f"{error_line(error)}; without that: {result.summary}",
        trace_end_reason=None,
        metadata={**result.metadata, "error": safe_str(error), "error_type": type(error).__name__},
    )
