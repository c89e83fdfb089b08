"""A mailbox as a place where agents read."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from rampart.surfaces.handle import repeatable
from rampart.surfaces.mailbox_cover import MailCover
from rampart.surfaces.mailbox_delivery import CallbackDelivery, DirectDelivery, StoredDelivery
from rampart.surfaces.mailbox_handle import PlantedMail
from rampart.surfaces.mailbox_maildir import Maildir
from rampart.surfaces.mailbox_mbox import Mbox
from rampart.surfaces.mailbox_message import PLACEMENTS, build_mail, default_placement
from rampart.surfaces.mailbox_smtp import parse_smtp_address

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from rampart.core.types import Payload
    from rampart.surfaces.mailbox_delivery import AboutMail, MailDelivery
    from rampart.surfaces.mailbox_message import MailPlacement
    from rampart.surfaces.mailbox_smtp import SmtpAddress
    from rampart.surfaces.mailbox_store import MailStore

DEFAULT_MAX_BYTES = 25 * 1024 * 1024
DEFAULT_ARRIVAL_TIMEOUT_S = 20.0


class MailboxSurface:
    """Plants a payload as a mail, and takes the mail back.

    Give `maildir` or `mbox` to put the mail there. Give `smtp` as well to have a server deliver it: the mail
    is then sent, and awaited and removed in the maildir or mbox to which the server delivers. A server whose
    mailbox is out of reach needs `remove` instead, since a mail that was sent cannot be taken back by SMTP.

    The mail is found again by its Message-ID, also when a reader moved, flagged or copied it; when the agent
    deleted it, nothing is left to remove. Other mails keep their bytes, names and flags. Folders and files
    that had to be made go again when they are empty.

    Mails in one mailbox are seen by whoever reads it, so handles over one folder never overlap; trials that
    are to overlap need a mailbox each.

    Args:
        maildir: A maildir; it is made where it is missing.
        mbox: An mbox file; it is made where it is missing, its folder is not.
        smtp: Host and port of a server, such as `127.0.0.1:2525`, that takes mail without login.
        remove: With `smtp` alone: called with the Message-ID (in angle brackets), sync or async, to remove
            the mail; it should bear that the mail is gone, and raise when it cannot be removed.
        arrived: With `remove`: called with the Message-ID, sync or async; tells whether the mail is there.
            None takes it to be there once the server took it.
        folder: A folder of the maildir, such as `Archive.2024`; None for the inbox.
        placement: Where the payload stands: `body`, `attachment`, `subject`, `sender_name` (the name beside
            the sender's address), `attachment_name` or `calendar` (the description of an invitation). None
            attaches files, and puts text into the body, as HTML where the payload is HTML. In `subject`,
            `sender_name` and `attachment_name` line breaks become spaces.
        sender: Who seems to have written: an address, or `Name <address>`.
        to: To whom: one or several of the same.
        subject: The subject.
        body: The text before the payload, or beside it.
        date: When it was written, with time zone; None for the time of planting.
        message_id: A Message-ID in angle brackets that no other mail there has; None for a new one each time.
        headers: More headers by name.
        attachment_name: File name of an attached payload; None for `<payload id>.<ending>`.
        max_bytes: The longest mail that the mailbox takes.
        arrival_timeout_s: How long a mail that was sent may be on its way, in seconds.
        name: What reports call the place; None for `mailbox <folder or file>`.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If an argument cannot be what it stands for, or arguments do not go together.
    """

    def __init__(
        self,
        *,
        maildir: str | os.PathLike[str] | None = None,
        mbox: str | os.PathLike[str] | None = None,
        smtp: str | None = None,
        remove: AboutMail | None = None,
        arrived: AboutMail | None = None,
        folder: str | None = None,
        placement: MailPlacement | None = None,
        sender: str = "Dana Reyes <dana.reyes@example.com>",
        to: str | Sequence[str] = "you@example.com",
        subject: str = "Notes from today",
        body: str = "Hi,\n\nhere is what we talked about.\n",
        date: datetime | None = None,
        message_id: str | None = None,
        headers: Mapping[str, str] | None = None,
        attachment_name: str | None = None,
        max_bytes: int = DEFAULT_MAX_BYTES,
        arrival_timeout_s: float = DEFAULT_ARRIVAL_TIMEOUT_S,
        name: str | None = None,
    ) -> None:
        if placement is not None and placement not in PLACEMENTS:
            msg = f"placement must be one of {', '.join(PLACEMENTS)}, or None, got {placement!r}"
            raise ValueError(msg)
        self._placement = placement
        self._max_bytes = _checked_size(max_bytes)
        self._cover = MailCover(
            sender=sender,
            to=to,
            subject=subject,
            body=body,
            date=date,
            message_id=message_id,
            headers=dict(headers or {}),
            attachment_name=attachment_name,
        )
        store = _store(maildir, mbox, folder)
        address = None if smtp is None else parse_smtp_address(smtp)
        _check_combination(store, address, remove, arrived)
        self._new_delivery = _delivery(store, address, remove, arrived, _checked_time(arrival_timeout_s))
        if store is not None:
            place, title, key = store.place, store.title, store.isolation_key
        else:
            to_all = ", ".join(one.address for one in self._cover.recipients)
            place, title, key = f"the mailbox of {to_all}", f"mailbox {to_all}", f"smtp:{address}:{to_all}"
        self._place = place if address is None else f"{place} by way of {address}"
        self._title = title if name is None else name
        self._isolation_key = key

    def inject(self, *, payload: Payload) -> PlantedMail:
        """Prepare to plant a payload; nothing is touched before the handle is entered."""
        return repeatable(self._handle, payload)

    def _handle(self, payload: Payload) -> PlantedMail:
        placement = self._placement or default_placement(payload)
        build = partial(
            build_mail, payload=payload, placement=placement, cover=self._cover, max_bytes=self._max_bytes
        )
        return PlantedMail(
            build=build,
            delivery=self._new_delivery(),
            payload=payload,
            surface_name=self._title,
            place=f"{self._place} ({placement})",
            isolation_key=self._isolation_key,
        )


def _store(
    maildir: str | os.PathLike[str] | None, mbox: str | os.PathLike[str] | None, folder: str | None
) -> MailStore | None:
    if maildir is not None and mbox is not None:
        msg = "give either maildir or mbox, not both"
        raise ValueError(msg)
    if maildir is not None:
        return Maildir(path=Path(maildir), folder=folder)
    if folder is not None:
        msg = f"folder={folder!r} needs a maildir"
        raise ValueError(msg)
    return None if mbox is None else Mbox(path=Path(mbox))


def _check_combination(
    store: MailStore | None, address: SmtpAddress | None, remove: object, arrived: object
) -> None:
    if store is None and address is None:
        msg = "give the mailbox: maildir=, mbox=, or smtp= together with one of them or with remove="
        raise ValueError(msg)
    if store is not None and (remove is not None or arrived is not None):
        msg = "remove and arrived are for smtp without maildir and mbox, where the mail is found without them"
        raise ValueError(msg)
    if store is None and remove is None:
        msg = (
            "a mail that was sent cannot be taken back by SMTP; give the maildir or mbox to which the server "
            "delivers, or remove=, a function that removes the mail of a Message-ID"
        )
        raise ValueError(msg)
    for name, function in (("remove", remove), ("arrived", arrived)):
        if function is not None and not callable(function):
            msg = f"{name} must be a function that takes a Message-ID, got {function!r}"
            raise TypeError(msg)


def _delivery(
    store: MailStore | None,
    address: SmtpAddress | None,
    remove: AboutMail | None,
    arrived: AboutMail | None,
    patience_s: float,
) -> Callable[[], MailDelivery]:
    """How the delivery of one handle is made."""
    if store is None:
        if address is None or remove is None:
            raise AssertionError  # refused before
        return partial(
            CallbackDelivery, address=address, remove=remove, arrived=arrived, patience_s=patience_s
        )
    if address is None:
        return partial(DirectDelivery, store=store)
    return partial(StoredDelivery, address=address, store=store, patience_s=patience_s)


def _checked_size(max_bytes: object) -> int:
    if isinstance(max_bytes, bool) or not isinstance(max_bytes, int):
        msg = f"max_bytes must be an int, got {max_bytes!r}"
        raise TypeError(msg)
    if max_bytes < 1:
        msg = f"max_bytes must be positive, got {max_bytes}"
        raise ValueError(msg)
    return max_bytes


def _checked_time(seconds: object) -> float:
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        msg = f"arrival_timeout_s must be a number of seconds, got {seconds!r}"
        raise TypeError(msg)
    if not math.isfinite(seconds) or seconds <= 0:
        msg = f"arrival_timeout_s must be positive and finite, got {seconds!r}"
        raise ValueError(msg)
    return float(seconds)
