"""A mail that carries a payload."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from rampart.surfaces.mailbox_cover import now
from rampart.surfaces.mailbox_headers import MailAddress, address_line, header_line
from rampart.surfaces.mailbox_parts import PARTS, POLICY, one_line
from rampart.surfaces.mailbox_read_back import text_at

if TYPE_CHECKING:
    from datetime import datetime

    from rampart.core.types import Payload
    from rampart.surfaces.mailbox_cover import MailCover

MailPlacement = Literal["body", "attachment", "subject", "sender_name", "attachment_name", "calendar"]
"""Where in a mail the payload stands."""

PLACEMENTS: tuple[str, ...] = get_args(MailPlacement)


@dataclass(frozen=True, kw_only=True)
class BuiltMail:
    r"""A mail ready to be stored or sent.

    Attributes:
        content: Its bytes, with `\n` as line break; no line of it begins with `From `.
        message_id: Its Message-ID, in angle brackets.
        sender: The sender's address.
        recipients: The recipients' addresses.
        sent: Its date.
        id_is_given: Whether the user chose the Message-ID, so that another mail may have it.
    """

    content: bytes = field(repr=False)
    message_id: str
    sender: str
    recipients: list[str]
    sent: datetime
    id_is_given: bool


def default_placement(payload: Payload) -> MailPlacement:
    """Text stands in the body, a file is attached."""
    return "attachment" if payload.format.is_binary else "body"


def build_mail(*, payload: Payload, placement: MailPlacement, cover: MailCover, max_bytes: int) -> BuiltMail:
    """Make the mail, and read it back to see that the payload is in its place.

    Raises:
        ValueError: If the payload does not fit the place, by its format, size or characters.
        OSError: If an artifact cannot be read.
    """
    if payload.format.is_binary and placement != "attachment":
        msg = (
            f"a payload of format {payload.format.value!r} can only be attached, not stand in the {placement}"
        )
        raise ValueError(msg)
    message_id, sent = cover.message_id or cover.new_message_id(), cover.date or now()
    mail = EmailMessage(policy=POLICY)
    sender, subject, carried = cover.sender_address, cover.subject, payload.content
    if placement == "subject":
        subject = carried = one_line(payload.content, placement)
    elif placement == "sender_name":
        carried = one_line(payload.content, placement)
        sender = MailAddress(name=carried, address=sender.address)
    elif placement == "attachment_name":
        carried = one_line(payload.content, placement) + ".txt"
    PARTS[placement](mail, payload, cover, message_id, sent)
    content = _headers(cover, sender, subject, message_id, sent) + mail.as_bytes(policy=POLICY)
    if len(content) > max_bytes:
        msg = f"the mail would have {len(content)} bytes; the mailbox takes {max_bytes} (max_bytes)"
        raise ValueError(msg)
    _check(content, placement, payload, carried)
    return BuiltMail(
        content=content,
        message_id=message_id,
        sender=cover.sender_address.address,
        recipients=[one.address for one in cover.recipients],
        sent=sent,
        id_is_given=cover.message_id is not None,
    )


def _headers(cover: MailCover, sender: MailAddress, subject: str, message_id: str, sent: datetime) -> bytes:
    return (
        address_line("From", [sender])
        + address_line("To", cover.recipients)
        + header_line("Subject", subject)
        + f"Date: {format_datetime(sent)}\n"
        + f"Message-ID: {message_id}\n"
        + cover.extra_lines()
    ).encode()


def _check(content: bytes, placement: str, payload: Payload, carried: str) -> None:
    """Refuse a mail from which readers would not get the payload as it was given."""
    if re.search(rb"(?m)^From ", content) is not None:
        msg = "a line of the mail would begin with 'From ', which an mbox file cannot hold"
        raise ValueError(msg)
    found = text_at(content, placement)
    wanted = Path(payload.artifact).read_bytes() if payload.artifact is not None else _as_mailed(carried)
    if isinstance(found, str):
        found = _as_mailed(found)
        if placement == "sender_name":  # readers of addresses do not keep runs of spaces apart
            found, wanted = " ".join(found.split()), " ".join(str(wanted).split())
    if type(found) is not type(wanted) or wanted not in found:  # type: ignore[operator]  # both str or both bytes
        msg = f"the {placement} of a mail cannot carry the payload as it is: readers would get {found!r:.200}"
        raise ValueError(msg)


def _as_mailed(text: str) -> str:
    """Mail knows one kind of line break."""
    return text.replace("\r\n", "\n").replace("\r", "\n")
