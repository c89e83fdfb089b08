"""The harmless mail around a payload."""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from rampart.surfaces.mailbox_headers import (
    MailAddress,
    check_header_name,
    check_header_value,
    header_line,
    parse_address,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_MESSAGE_ID = re.compile(r"<[!-;=?-~]{1,200}@[!-;=?A-~]{1,200}>")
_OWN_PARAMETERS = {"from", "to", "subject", "date", "message-id", "mime-version"}


@dataclass(frozen=True, kw_only=True)
class MailCover:
    """Headers and text of the mail that carries a payload; its fields are those of `MailboxSurface`.

    Raises:
        TypeError: If a field has the wrong type.
        ValueError: If a field cannot stand in a mail.
    """

    sender: str
    to: str | Sequence[str]
    subject: str
    body: str
    date: datetime | None
    message_id: str | None
    headers: Mapping[str, str]
    attachment_name: str | None
    sender_address: MailAddress = field(init=False)
    recipients: list[MailAddress] = field(init=False)

    def __post_init__(self) -> None:
        """Check every field."""
        to = [self.to] if isinstance(self.to, str) else list(self.to)
        if not to:
            msg = "to must name a recipient, got none"
            raise ValueError(msg)
        object.__setattr__(self, "sender_address", parse_address(self.sender, what="sender"))
        object.__setattr__(self, "recipients", [parse_address(one, what="to") for one in to])
        check_header_value(self.subject, what="subject")
        if not isinstance(self.body, str):
            msg = f"body must be a str, got {self.body!r}"
            raise TypeError(msg)
        if self.attachment_name is not None:
            check_header_value(self.attachment_name, what="attachment_name")
        _check_date(self.date)
        if self.message_id is not None:
            check_header_value(self.message_id, what="message_id")
            if _MESSAGE_ID.fullmatch(self.message_id) is None:
                msg = f"message_id must look like '<1@example.com>', got {self.message_id!r}"
                raise ValueError(msg)
        for name, value in self.headers.items():
            _check_extra_header(name, value)

    def new_message_id(self) -> str:
        """A Message-ID that no other mail has."""
        return f"<{uuid.uuid4().hex}@{self.sender_address.address.rpartition('@')[2]}>"

    def extra_lines(self) -> str:
        """The lines of the additional headers."""
        return "".join(header_line(name, value) for name, value in self.headers.items())


def now() -> datetime:
    """The time, to the second, as mails state it."""
    return datetime.now(UTC).replace(microsecond=0)


def _check_date(date: object) -> None:
    if date is None:
        return
    if not isinstance(date, datetime):
        msg = f"date must be a datetime, got {date!r}"
        raise TypeError(msg)
    if date.utcoffset() is None:
        msg = f"date must have a time zone, got {date!r}"
        raise ValueError(msg)


def _check_extra_header(name: object, value: object) -> None:
    check_header_name(name)
    lower = str(name).lower()
    if lower in _OWN_PARAMETERS or lower.startswith("content-"):
        msg = f"headers cannot hold {name!r}: it follows from the parameters of the surface"
        raise ValueError(msg)
    check_header_value(value, what=f"the header {name!r}")
