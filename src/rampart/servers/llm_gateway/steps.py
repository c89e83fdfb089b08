"""What a scripted gateway is asked, and what it can say."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rampart.core.types import ToolCall, Usage


@dataclass(frozen=True, kw_only=True)
class GatewayRequest:
    """A request to the model.

    Attributes:
        prompts: The user's messages of the conversation, oldest first.
        results: What the tools that were called since the last of them returned, in order.
        tools: The names of the tools that the model is offered.
        model: The model that was asked for.
        api: `chat completions`, `responses` or `messages`.
        number: How many requests the session made before.
        body: The whole request as JSON.
    """

    prompts: tuple[str, ...]
    results: tuple[Any, ...] = ()
    tools: tuple[str, ...] = ()
    model: str = ""
    api: str
    number: int
    body: Mapping[str, Any] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, kw_only=True)
class GatewayReply:
    """The model replies.

    Attributes:
        text: What it says.
        tool_calls: The tools that it asks for, of which name, arguments (or `raw_arguments`, for text that is
            no JSON object) and id count; without an id they get one.
        usage: What it says that it used; None says nothing, or 0 where the format demands a number.
        delay_s: Seconds before the reply; infinity never replies.
    """

    text: str = ""
    tool_calls: Sequence[ToolCall] = ()
    usage: Usage | None = None
    delay_s: float = 0.0


@dataclass(frozen=True, kw_only=True)
class GatewayFailure:
    """The endpoint refuses.

    Attributes:
        status: The HTTP status, 400 or above.
        message: What it says.
        headers: Further headers, such as `Retry-After`.
        delay_s: Seconds before it does.

    Raises:
        ValueError: If the status is none of a failure.
    """

    status: int = 500
    message: str = "the scripted model failed"
    headers: Mapping[str, str] = field(default_factory=dict)
    delay_s: float = 0.0

    def __post_init__(self) -> None:
        """Refuse a status that says that all is well."""
        if not 400 <= self.status <= 599:
            msg = f"the status of a GatewayFailure is 400 to 599, got {self.status}"
            raise ValueError(msg)


Step = str | ToolCall | Sequence[ToolCall] | GatewayReply | GatewayFailure
"""One reply: text, one or more tool calls, or all of it."""

Script = Callable[[GatewayRequest], Step] | Sequence[Step | Callable[[GatewayRequest], Step]]
"""A function that decides each time, or the replies of a session in order."""
