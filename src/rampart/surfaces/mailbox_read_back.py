"""What a reader finds at a place of a mail."""

from __future__ import annotations

import email
import email.policy
from email.message import EmailMessage, Message

from rampart.surfaces.mailbox_calendar import description_of


def text_at(content: bytes, placement: str) -> str | bytes | None:
    """The text at a placement, or the bytes of a binary attachment; None where there is none."""
    message = email.message_from_bytes(content, policy=email.policy.default)
    if placement == "subject":
        return str(message["Subject"])
    if placement == "sender_name":
        addresses = message["From"].addresses
        return str(addresses[0].display_name) if len(addresses) == 1 else None
    if placement == "attachment_name":
        return next(message.iter_attachments()).get_filename()
    if placement == "attachment":
        return _content(next(message.iter_attachments()))
    if placement == "calendar":
        return _calendar(message)
    return _content(message)


def _calendar(message: EmailMessage) -> str | None:
    for part in message.walk():
        if part.get_content_type() == "text/calendar":
            calendar = str(_content(part))
            # Both, since a payload may be a whole calendar of its own.
            return f"{description_of(calendar)}\n{calendar}"
    return None


def _content(part: Message) -> str | bytes | None:
    if not isinstance(part, EmailMessage):
        return None
    content = part.get_content()
    return content if isinstance(content, str | bytes) else None
