"""What the places have in common where mail is kept."""

from __future__ import annotations

import email.parser
import email.policy
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from rampart.surfaces.mailbox_message import BuiltMail
    from rampart.surfaces.undo import Undo

HEADER_BYTES = 256 * 1024
"""How much of a mail is read to find its Message-ID."""


class MailStore(Protocol):
    """A place where mail is kept; its methods block, and are run in threads."""

    @property
    def place(self) -> str:
        """The place, for error messages."""
        ...

    @property
    def title(self) -> str:
        """The place, as reports name it."""
        ...

    @property
    def isolation_key(self) -> str:
        """The same for all objects over the same place."""
        ...

    def look(self) -> frozenset[str]:
        """What is there now, as far as it helps to tell what comes later."""
        ...

    def plant(self, mail: BuiltMail, undo: Undo) -> None:
        """Put a mail there, and add to `undo` how it is taken back."""
        ...

    def holds(self, message_id: str, before: frozenset[str]) -> bool:
        """Whether a mail with this id is there which was not among what `look` saw before."""
        ...

    def remove(self, message_id: str, before: frozenset[str]) -> None:
        """Remove all such mails; none is no error."""
        ...


def message_id_of(beginning: bytes) -> str | None:
    """The Message-ID of a mail of which at least the headers are given."""
    parser = email.parser.BytesHeaderParser(policy=email.policy.compat32)
    value = parser.parsebytes(beginning).get("Message-ID")
    return None if value is None else str(value).strip()
