"""The converter that writes mail messages."""

from __future__ import annotations

import datetime as dt
from email.message import EmailMessage
from email.policy import default as default_policy
from typing import TYPE_CHECKING, Literal, get_args

from rampart.converters._options import require_address, require_one_line, require_one_of
from rampart.converters.conversion import (
    CARRIED_TEXT,
    FILE_NAME_EXTENSION,
    MEDIA_TYPE,
    converted,
    naming,
    require_text_payload,
)
from rampart.text.encodings import utf8_bytes

if TYPE_CHECKING:
    from rampart.core.types import Payload

EmlPlacement = Literal["body", "html", "subject", "header", "attachment"]

# Text stays readable as it stands; headers are encoded as RFC 2047 says, which every reader understands.
_POLICY = default_policy.clone(cte_type="8bit", linesep="\n")


class EmlConverter:
    """The text of a mail message (RFC 5322) that holds the content; the result is TEXT.

    `metadata` says what the text is: `media_type` `message/rfc822`, `file_name_extension` `.eml`, and
    `carried_text`, the content without the message around it.

    Args:
        sender: The `From` address.
        recipient: The `To` address.
        subject: The subject, where it is not the content.
        placement: `body`: below the cover. `html`: the HTML part beside a plain text that holds the cover
            only. `subject`: the subject. `header`: the header `Comments`. `attachment`: an attached
            `notes.txt`. In subject and header each run of white space becomes one space.
        cover: Text at the beginning of the body.
        sent_at: The `Date`; None for the moment of the conversion.

    Raises:
        ValueError: If an address or the subject cannot stand in a header, or the placement is none of these.
    """

    def __init__(
        self,
        *,
        sender: str = "colleague@example.com",
        recipient: str = "user@example.com",
        subject: str = "For your information",
        placement: EmlPlacement = "body",
        cover: str = "",
        sent_at: dt.datetime | None = None,
    ) -> None:
        self._sender = require_address(sender, what="sender of EmlConverter")
        self._recipient = require_address(recipient, what="recipient of EmlConverter")
        self._subject = require_one_line(subject, what="subject of EmlConverter")
        self._placement = require_one_of(placement, get_args(EmlPlacement), what="placement of EmlConverter")
        self._cover = cover
        self._sent_at = sent_at

    async def convert_async(self, *, payload: Payload) -> Payload:
        """A TEXT payload whose content is the message.

        Raises:
            ValueError: If the payload is binary, or the message cannot hold its content.
        """
        require_text_payload(payload, converter="EmlConverter")
        with naming(payload, converter="EmlConverter"):
            utf8_bytes(payload.content)
            content = self._message(payload).as_bytes(policy=_POLICY).decode("utf-8")
        about = {
            MEDIA_TYPE: "message/rfc822",
            FILE_NAME_EXTENSION: ".eml",
            CARRIED_TEXT: payload.content,
        }
        return converted(payload, converter="EmlConverter", content=content, about=about)

    def _message(self, payload: Payload) -> EmailMessage:
        text = payload.content
        message = EmailMessage(policy=_POLICY)
        message["From"] = self._sender
        message["To"] = self._recipient
        message["Subject"] = _one_line(text) if self._placement == "subject" else self._subject
        message["Date"] = self._sent_at or dt.datetime.now(dt.UTC)
        message["Message-ID"] = f"<{payload.id}@{self._sender.rpartition('@')[2]}>"
        if self._placement == "header":
            message["Comments"] = _one_line(text)
        cover = f"{self._cover}\n" if self._cover else ""
        body = f"{cover}{text}" if self._placement == "body" else cover
        message.set_content(body, cte=_encoding(body))
        if self._placement == "html":
            message.add_alternative(text, subtype="html", cte=_encoding(text))
        elif self._placement == "attachment":
            message.add_attachment(text, filename="notes.txt", cte=_encoding(text))
        return message


def _encoding(text: str) -> str:
    """How a part is encoded: as it is where its lines are short (RFC 5322, 2.1.1), else quoted-printable."""
    if "\0" in text or "\r" in text or any(len(line.encode("utf-8")) > 998 for line in text.split("\n")):
        return "quoted-printable"
    return "7bit" if text.isascii() else "8bit"


def _one_line(text: str) -> str:
    words = " ".join(text.split())
    if not words:
        msg = "a blank content cannot stand in a header of a message"
        raise ValueError(msg)
    return words
