"""What an SMTP server hands over."""

from __future__ import annotations

import email
import email.policy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from email.message import EmailMessage


@dataclass(frozen=True, kw_only=True)
class ReceivedMail:
    """One mail as it came in.

    Attributes:
        mail_from: The sender of the envelope; empty for the null sender.
        rcpt_tos: The recipients of the envelope.
        content: The mail's bytes as they were sent, with dot-stuffing undone.
        peer: Address and port of the client.
    """

    mail_from: str
    rcpt_tos: list[str]
    content: bytes = field(repr=False)
    peer: tuple[str, int]

    @property
    def message(self) -> EmailMessage:
        """The content, parsed anew at each access; defects are noted in it and never raised."""
        return email.message_from_bytes(self.content, policy=email.policy.default)
