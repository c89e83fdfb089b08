"""What is said when a call of a recorded tool is in no record."""

from __future__ import annotations

import logging
import warnings

_log = logging.getLogger("rampart")


class UnattributedToolCallWarning(UserWarning):
    """A recorded tool was called and nobody can tell by which session, or whether by one at all."""


class LateToolCallWarning(UserWarning):
    """A recorded tool was called too late to be part of a turn of its session."""


def warn_of_late_call(tool: str, *, owner: str) -> None:
    """Say that a call came after the last turn."""
    message = (
        f"tool {tool!r} of {owner} was called after the last turn of its session, so the call is in no "
        "record; let the agent finish its work before it replies"
    )
    _warn(message, LateToolCallWarning)


def warn_of_unattributed_call(tool: str, *, sessions: int) -> None:
    """Say that a call may belong to any of the sessions that are open, or to none."""
    count = "1 session was" if sessions == 1 else f"{sessions} sessions were"
    message = (
        f"tool {tool!r} was called where nothing tells its session, while {count} open: the call is in no "
        "record, and these sessions report their level as response_only. If the agent called it, record "
        "the tools inside session_factory, so that each session has its own, or run the agent's threads in "
        "a copy of the context (contextvars.copy_context().run). If the test called it, let it call the "
        "function that was recorded (inspect.unwrap)"
    )
    _warn(message, UnattributedToolCallWarning)


def _warn(message: str, category: type[Warning]) -> None:
    try:
        warnings.warn(message, category, stacklevel=2)
    except Warning:
        # Warnings are errors here. One raised inside a tool would change what the agent does.
        _log.warning("%s", message)
