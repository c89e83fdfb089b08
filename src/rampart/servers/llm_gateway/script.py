"""Runs the script of a gateway."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rampart.core.errors import ConfigurationError
from rampart.core.types import ToolCall
from rampart.servers.llm_gateway.steps import GatewayFailure, GatewayReply
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from rampart.servers.llm_gateway.steps import GatewayRequest

_KINDS = "a str, a ToolCall, a list of them, a GatewayReply, a GatewayFailure"


def check_script(script: object) -> None:
    """Refuse what is no script.

    Raises:
        TypeError: If it is neither a function nor a list of steps.
    """
    if callable(script):
        return
    if not isinstance(script, list | tuple):
        msg = f"script must be a function (request) or a list of replies, got {type(script).__name__}"
        raise TypeError(msg)
    for place, step in enumerate(script):
        if not callable(step) and _outcome(step) is None:
            msg = f"script[{place}] must be {_KINDS} or a function (request), got {type(step).__name__}"
            raise TypeError(msg)


def next_step(script: Any, request: GatewayRequest) -> GatewayReply | GatewayFailure:
    """What the script says to a request.

    Raises:
        ConfigurationError: If it is at its end, fails, or says nothing that can be sent.
    """
    if callable(script):
        step = script
    elif request.number < len(script):
        step = script[request.number]
    else:
        msg = (
            f"the script of the gateway has {len(script)} replies, and this session asks for one more; "
            "add it, or have the agent's client not repeat requests that failed (max_retries=0)"
        )
        raise ConfigurationError(msg)
    if callable(step):
        try:
            step = step(request)
        except Exception as error:
            msg = f"the script of the gateway raised {type(error).__name__}: {safe_str(error)}"
            raise ConfigurationError(msg) from error
    outcome = _outcome(step)
    if outcome is None:
        msg = f"the script of the gateway must give {_KINDS}, got {type(step).__name__}"
        raise ConfigurationError(msg)
    return outcome


def _outcome(step: object) -> GatewayReply | GatewayFailure | None:
    if isinstance(step, GatewayReply | GatewayFailure):
        return step
    if isinstance(step, str):
        return GatewayReply(text=step)
    if isinstance(step, ToolCall):
        return GatewayReply(tool_calls=(step,))
    if isinstance(step, list | tuple) and step and all(isinstance(one, ToolCall) for one in step):
        return GatewayReply(tool_calls=tuple(step))
    return None
