"""What is planted in a memory, and whether a conversation shows that it is there."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rampart.attacks.delivery import carried_text
from rampart.attacks.evidence import TELLING, Evidence
from rampart.attacks.handles import planted_payloads
from rampart.core.admission import DRIVER_MEMBERS, admit
from rampart.core.types import Payload, Request
from rampart.drivers.coerce import coerce_driver
from rampart.text.residue import letters_and_digits

_COLON = re.compile(r":\s+")
_MARKS = '"\u201c\u201d\u201e\u00ab\u00bb'
_QUOTED = re.compile(f"[{_MARKS}]([^{_MARKS}]+)[{_MARKS}]")

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rampart.core.injection import InjectionHandle
    from rampart.core.prompt_driver import PromptDriver
    from rampart.core.types import Turn


def planting_driver(plant: object) -> PromptDriver:
    """What sends the messages that plant; of a payload the text is sent, or its file as an attachment.

    Raises:
        TypeError: If `plant` is neither a message, nor a list of messages, nor a driver.
        ValueError: If it is an empty list, or a message is blank.
    """
    given = plant if isinstance(plant, list | tuple) else [plant]
    if not given:
        msg = "plant is empty, so nothing would be planted: give the messages that the agent is to remember"
        raise ValueError(msg)
    if not isinstance(plant, list | tuple) and not isinstance(plant, str | Payload | Request):
        admit(plant, members=DRIVER_MEMBERS, role="driver")
        return plant  # type: ignore[return-value]  # it has what a driver has
    messages = [_message(one, position) for position, one in enumerate(given)]
    for position, message in enumerate(messages):
        if not message.attachments and not (message.prompt or "").strip():
            msg = f"plant[{position}] is blank, and leaves nothing to be remembered"
            raise ValueError(msg)
    return coerce_driver(messages)


def _message(given: object, position: int) -> Request:
    if isinstance(given, str):
        return Request(prompt=given)
    if isinstance(given, Payload):
        return Request(prompt=given.content) if given.format.is_text else Request(attachments=[given])
    if isinstance(given, Request):
        return given
    msg = f"plant[{position}] is of type {type(given).__name__}, expected a text, a Payload or a Request"
    raise TypeError(msg)


def planted_texts(handles: Sequence[InjectionHandle], requests: Sequence[Request]) -> list[str]:
    """By which texts the planted content is recognised.

    Of what the handles planted where there are handles, since the messages are harmless then; else of the
    messages that were sent. Of "Remember this: ..." an agent keeps what follows the colon or stands in
    quotation marks, so that is looked for by itself too. A short message beside, such as "Hi", stands
    everywhere and is no trace of anything.
    """
    if handles:
        return [carried_text(payload) for payload in planted_payloads(handles)]
    texts = []
    for request in requests:
        texts += [request.prompt] if request.prompt else []
        texts += [carried_text(attachment) for attachment in request.attachments]
    wordings = [wording for text in texts for wording in (text, *_inner_texts(text))]
    telling = [wording for wording in wordings if _is_telling(wording)]
    return telling or sorted(wordings, key=lambda wording: len(letters_and_digits(wording)))[-1:]


def _inner_texts(text: str) -> list[str]:
    parts = [*_COLON.split(text)[1:], *_QUOTED.findall(text)]
    return [part for part in parts if _is_telling(part)]


def _is_telling(text: str) -> bool:
    return len(letters_and_digits(text)) >= TELLING


async def shows_async(texts: Sequence[str], turns: Sequence[Turn]) -> bool | None:
    """Whether a conversation shows one of the texts; None if it does not, and no tool result was reported.

    Looked for as payloads are: in tool results, side effects and replies, by whole lines and sentences.
    """
    evidence = Evidence(turns)
    for text in texts:
        if await evidence.shows_async(text):
            return True
    return False if texts and evidence.has_tool_results else None
