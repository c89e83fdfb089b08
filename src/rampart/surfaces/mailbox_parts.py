"""The parts of a mail, one function for each place where a payload can stand."""

from __future__ import annotations

import html
import re
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import TYPE_CHECKING

from rampart.core.types import PayloadFormat
from rampart.surfaces.mailbox_calendar import invitation

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from rampart.core.types import Payload
    from rampart.surfaces.mailbox_cover import MailCover

MAX_HEADER_CHARACTERS = 4_000

POLICY = default.clone(cte_type="7bit", max_line_length=900)
_TO_BE_ENCODED = re.compile(r"(?m)^From |[\x00-\x08\x0b-\x1f\x7f]")
_WHOLE_PAGE = re.compile(r"\s*<(!doctype|html)\b", re.IGNORECASE)
_TYPES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".pdf": "application/pdf",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".wav": "audio/wav",
    ".mp3": "audio/mpeg",
    ".ogg": "audio/ogg",
    ".flac": "audio/flac",
    ".m4a": "audio/mp4",
}
_SUBTYPES = {PayloadFormat.TEXT: "plain", PayloadFormat.HTML: "html", PayloadFormat.MARKDOWN: "markdown"}


def one_line(text: str, placement: str) -> str:
    """The payload as a header can hold it, which has no line breaks: lines are joined with a space.

    Raises:
        ValueError: If nothing is left, or too much.
    """
    line = " ".join(part.strip() for part in text.splitlines() if part.strip())
    if not line:
        msg = f"the payload is blank, so the {placement} would hold nothing"
        raise ValueError(msg)
    if len(line) > MAX_HEADER_CHARACTERS:
        msg = f"the payload has {len(line)} characters; the {placement} takes {MAX_HEADER_CHARACTERS}"
        raise ValueError(msg)
    return line


def _body(mail: EmailMessage, payload: Payload, cover: MailCover, _message_id: str, _sent: datetime) -> None:
    if payload.format is not PayloadFormat.HTML:
        _set_text(mail, _joined(cover.body, payload.content), "plain")
    elif _WHOLE_PAGE.match(payload.content):
        _set_text(mail, payload.content, "html")
    else:
        paragraphs = [f"<p>{html.escape(part)}</p>" for part in cover.body.split("\n\n") if part.strip()]
        _set_text(mail, "\n".join([*paragraphs, payload.content]), "html")


def _cover_text(
    mail: EmailMessage, _payload: Payload, cover: MailCover, _message_id: str, _sent: datetime
) -> None:
    _set_text(mail, cover.body, "plain")


def _attachment(
    mail: EmailMessage, payload: Payload, cover: MailCover, _message_id: str, _sent: datetime
) -> None:
    _set_text(mail, cover.body, "plain")
    if payload.artifact is None:
        name = cover.attachment_name or f"{payload.id}{payload.format.extension}"
        _attach_text(mail, payload.content, _SUBTYPES[payload.format], name)
        return
    suffix = Path(payload.artifact).suffix.lower()
    if suffix not in _TYPES:
        suffix = payload.format.extension
    maintype, subtype = _TYPES[suffix].split("/")
    name = cover.attachment_name or f"{payload.id}{suffix}"
    mail.add_attachment(
        Path(payload.artifact).read_bytes(), maintype=maintype, subtype=subtype, filename=name
    )


def _attachment_name(
    mail: EmailMessage, payload: Payload, cover: MailCover, _message_id: str, _sent: datetime
) -> None:
    _set_text(mail, cover.body, "plain")
    name = one_line(payload.content, "attachment_name") + ".txt"
    _attach_text(mail, "The figures follow tomorrow.\n", "plain", name)


def _calendar(
    mail: EmailMessage, payload: Payload, cover: MailCover, message_id: str, sent: datetime
) -> None:
    calendar = payload.content
    if not calendar.startswith("BEGIN:VCALENDAR"):
        calendar = invitation(
            description=payload.content,
            summary=cover.subject,
            uid=message_id.strip("<>"),
            sent=sent,
            organizer=cover.sender_address,
            guest=cover.recipients[0],
        )
    _set_text(mail, cover.body, "plain")
    mail.make_alternative()
    part = EmailMessage(policy=POLICY)
    _set_text(part, calendar, "calendar")
    part.set_param("method", "REQUEST")
    del part["MIME-Version"]
    mail.attach(part)


PARTS: dict[str, Callable[[EmailMessage, Payload, MailCover, str, datetime], None]] = {
    "body": _body,
    "attachment": _attachment,
    "subject": _cover_text,
    "sender_name": _cover_text,
    "attachment_name": _attachment_name,
    "calendar": _calendar,
}


def _joined(body: str, payload: str) -> str:
    return f"{body.rstrip()}\n\n{payload}" if body.strip() else payload


def _attach_text(mail: EmailMessage, text: str, subtype: str, name: str) -> None:
    part = EmailMessage(policy=POLICY)
    _set_text(part, text, subtype)
    part.add_header("Content-Disposition", "attachment", filename=name)
    del part["MIME-Version"]
    mail.make_mixed()
    mail.attach(part)


def _set_text(part: EmailMessage, text: str, subtype: str) -> None:
    """Plain text stays as it is where mail allows it, so that the stored file can be read as it stands.

    A line that begins with `From ` would begin the next mail of an mbox file, so it is encoded.
    """
    as_it_is = _TO_BE_ENCODED.search(text.replace("\r", "\n")) is None
    part.set_content(text, subtype=subtype, cte=None if as_it_is else "quoted-printable")
    if not as_it_is:
        part.set_payload(re.sub(r"(?m)^From ", "=46rom ", str(part.get_payload())))
