"""Mailboxes as agents read them, with the standard library's readers, and a server that fills a maildir."""

from __future__ import annotations

import email
import email.policy
import mailbox
from contextlib import contextmanager, suppress
from email.message import EmailMessage
from typing import TYPE_CHECKING

from rampart.servers.smtp_server import SmtpServer
from rampart.surfaces.mailbox_calendar import description_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rampart.servers.received_mail import ReceivedMail


def parse(content: bytes) -> EmailMessage:
    return email.message_from_bytes(content, policy=email.policy.default)


def text_of(message: EmailMessage) -> str:
    """All that a careful agent reads of a mail: sender, subject, names and texts of the parts."""
    shown = [str(message["From"]), str(message["Subject"])]
    for part in message.walk():
        if part.get_filename():
            shown.append(str(part.get_filename()))
        if part.get_content_maintype() == "text":
            text = str(part.get_content())
            shown.append((description_of(text) or "") if part.get_content_subtype() == "calendar" else text)
    return "\n".join(shown)


def maildir_mails(path: Path, folder: str | None = None, *, mark_seen: bool = False) -> list[EmailMessage]:
    """The mails of a maildir; seen ones move from `new` to `cur`, as mail readers do it."""
    if not (path / "cur").is_dir():
        return []
    box = mailbox.Maildir(path, create=False)
    box = box if folder is None else box.get_folder(folder)
    mails = []
    for key in box.keys():  # noqa: SIM118  # a mailbox iterates over mails
        with suppress(KeyError, FileNotFoundError):  # taken away meanwhile
            mails.append(parse(box.get_bytes(key)))
        if mark_seen:
            message = box[key]
            message.set_subdir("cur")
            message.add_flag("S")
            box[key] = message
    box.close()
    return mails


def maildir_text(path: Path) -> str:
    return "\n".join(text_of(one) for one in maildir_mails(path, mark_seen=False))


def mbox_mails(path: Path) -> list[EmailMessage]:
    if not path.exists():
        return []
    box = mailbox.mbox(path, create=False)
    mails = [parse(box.get_bytes(key)) for key in box.keys()]  # noqa: SIM118  # a mailbox iterates over mails
    box.close()
    return mails


def mbox_text(path: Path) -> str:
    return "\n".join(text_of(one) for one in mbox_mails(path))


def content(path: Path) -> bytes | None:
    """What a file holds; None where there is none."""
    return path.read_bytes() if path.exists() else None


def held(path: Path) -> bytes:
    """What a file holds that is there."""
    return path.read_bytes()


def put(path: Path, text: bytes) -> None:
    path.write_bytes(text)


def names(path: Path) -> list[str]:
    return sorted(one.name for one in path.iterdir())


def mail(text: str, **headers: str) -> EmailMessage:
    """Somebody's own mail, as it was there before."""
    message = EmailMessage()
    message["From"] = headers.pop("sender", "Cy <cy@example.com>")
    message["To"] = "you@example.com"
    message["Subject"] = headers.pop("subject", "Lunch")
    for name, value in headers.items():
        message[name.replace("_", "-")] = value
    message.set_content(text)
    return message


def fill_maildir(path: Path) -> None:
    """Three mails: one new, one seen, one in a folder."""
    box = mailbox.Maildir(path)
    box.add(mail("Lunch is at noon.\n"))
    seen = mailbox.MaildirMessage(mail("The figures are ready.\n"))
    seen.set_subdir("cur")
    seen.set_flags("RS")
    box.add(seen)
    box.add_folder("Archive").add(mail("Old news.\n"))
    box.close()


def fill_mbox(path: Path) -> None:
    box = mailbox.mbox(path)
    box.add(mail("Lunch is at noon.\n\nFrom there we go home.\n"))
    box.add(mail("The figures are ready.\n"))
    box.close()


@contextmanager
def server_filling(path: Path) -> Iterator[str]:
    """A server that puts all its mail into a maildir; gives its host and port."""

    def keep(received: ReceivedMail) -> None:
        box = mailbox.Maildir(path)
        box.add(received.content)
        box.close()

    with SmtpServer(on_message=keep) as server:
        yield f"127.0.0.1:{server.port}"
