"""What requests to models and their replies hold, whatever the format."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rampart.core.types import Usage


@dataclass(kw_only=True)
class Said:
    """A message.

    Attributes:
        role: Whose, such as `user`.
        text: What it says; empty where it is an image or the like.
    """

    role: str
    text: str


@dataclass(kw_only=True)
class Asked:
    """A model asks for a tool.

    Attributes:
        name: The tool; of one of the provider its kind, such as `web_search`.
        arguments: A mapping, or the text that the model wrote.
        id: What results refer to; None where the format or the server has none.
        by_provider: Whether the provider runs it, and no one else.
        is_text: Whether its arguments are free text and never were meant to be JSON.
        known: Whether the tool is there although no request may list it by its name.
        replaces: The id of the request for approval that this call was waiting for.
    """

    name: str
    arguments: Any = None
    id: str | None = None
    by_provider: bool = False
    is_text: bool = False
    known: bool = False
    replaces: str | None = None


@dataclass(kw_only=True)
class Answered:
    """What became of a call.

    Attributes:
        id: The id of the call.
        name: The tool's name, where results go by it.
        content: What the model is told: text where it is text alone, else what stands there.
        failed: Whether it is said to be an error; None where the format does not say.
        refused: Whether it is said that the tool did not run.
    """

    id: str | None = None
    name: str | None = None
    content: Any = None
    failed: bool | None = None
    refused: bool = False


Item = Said | Asked | Answered


@dataclass(kw_only=True)
class OfferedTool:
    """A tool that a request offers.

    Attributes:
        name: Its name.
        description: What the model is told of it.
        schema: The JSON Schema of its arguments, where there is one.
    """

    name: str
    description: str = ""
    schema: Any = None


@dataclass(kw_only=True)
class WireRequest:
    """A request to a model.

    Attributes:
        items: The conversation as far as it is sent, oldest first.
        tools: What the model is offered.
        may_offer_more: Whether tools can come from elsewhere, such as a stored prompt.
        model: The model's name.
        streams: Whether the reply is to come in pieces.
        counts_usage: Whether a streamed reply is to say what was used.
        follows: The id of the reply that the conversation goes on from.
    """

    items: list[Item] = field(default_factory=list)
    tools: list[OfferedTool] = field(default_factory=list)
    may_offer_more: bool = False
    model: str = ""
    streams: bool = False
    counts_usage: bool = True
    follows: str | None = None


@dataclass(kw_only=True)
class WireReply:
    """A model's reply.

    Attributes:
        items: The calls, with the results of those that the provider ran, in order.
        text: What it says.
        usage: What it used; None where it does not say.
        id: Its id.
        failure: Why the model gave none, where it says so in place of a reply.
        pending: Whether the model is still at work, and the reply has to be fetched.
    """

    items: list[Item] = field(default_factory=list)
    text: str = ""
    usage: Usage | None = None
    id: str | None = None
    failure: str = ""
    pending: bool = False
