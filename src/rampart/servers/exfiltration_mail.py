"""Reading a mail that reached an exfiltration sink."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from rampart.servers.exfiltration_records import MAX_BODY_BYTES, SinkEmail

if TYPE_CHECKING:
    from email.message import EmailMessage

    from rampart.servers.received_mail import ReceivedMail


def read_mail(mail: ReceivedMail, *, host: str) -> SinkEmail:
    """What a mail says, as far as it can be made out; it never fails.

    Args:
        mail: The mail.
        host: Host and port of the listener.
    """
    subject, body, attachments = _content(mail)
    return SinkEmail(
        sender=mail.mail_from,
        recipients=tuple(mail.rcpt_tos),
        subject=subject,
        body=body.replace("\r\n", "\n")[:MAX_BODY_BYTES],
        attachments=attachments,
        host=host,
        client=":".join(map(str, mail.peer)),
        received_at=datetime.now(UTC),
        canary=None,
    )


def _content(mail: ReceivedMail) -> tuple[str, str, tuple[str, ...]]:
    raw = mail.content.decode("utf-8", "replace")
    try:
        message = mail.message
        names = tuple(part.get_filename() or "" for part in message.iter_attachments())
        return str(message["Subject"] or ""), _text(message, raw), names
    except Exception:  # hostile mails bring the parser to raise whatever it likes
        return "", raw, ()


def _text(message: EmailMessage, raw: str) -> str:
    part = message.get_body(preferencelist=("plain", "html"))
    if part is None:
        return raw
    content = part.get_content()
    return content if isinstance(content, str) else raw
