"""Whether a session can take a message, and why it cannot."""

from __future__ import annotations

from typing import Literal

from rampart.core.types import Request

SessionState = Literal["new", "open", "broken", "closed"]
"""Not entered yet; ready; answering, or failed in an earlier turn; left."""

_WHY = {
    "new": "was not entered; use `async with session:`",
    "broken": "is answering, or failed in an earlier turn; ask the adapter for another one",
    "closed": "is closed; ask the adapter for another one",
}


def require_ready(request: object, *, state: SessionState, label: str) -> None:
    """Refuse what a session cannot take.

    Args:
        request: What was handed to `send_async`.
        state: The session's state.
        label: The agent as messages name it, such as `the agent function 'shop'`.

    Raises:
        RuntimeError: If the session is not open, has failed, or is still answering.
        TypeError: If `request` is no Request.
    """
    if not isinstance(request, Request):
        msg = f"send_async takes a Request, got {type(request).__name__}"
        raise TypeError(msg)
    if state != "open":
        msg = f"this session of {label} {_WHY[state]}"
        raise RuntimeError(msg)
