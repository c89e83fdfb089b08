"""Ways in which a mail gets to where the agent reads, each with the way back."""

from __future__ import annotations

import asyncio
import inspect
import time
from functools import partial
from typing import TYPE_CHECKING, Protocol

from rampart.core.limits import configured_limits
from rampart.surfaces.blocking import run_blocking_async
from rampart.surfaces.mailbox_smtp import Transit, send

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from rampart.surfaces.mailbox_message import BuiltMail
    from rampart.surfaces.mailbox_smtp import SmtpAddress
    from rampart.surfaces.mailbox_store import MailStore
    from rampart.surfaces.undo import Undo

    AboutMail = Callable[[str], Awaitable[object] | object]
    """A function of the user that is given a Message-ID; a sync one runs in a thread."""

_FIRST_WAIT_S = 0.01
_LONGEST_WAIT_S = 0.25


class MailDelivery(Protocol):
    """One mail on its way."""

    @property
    def store(self) -> MailStore | None:
        """Where it arrives; None if only functions of the user know."""
        ...

    async def plant_async(self, mail: BuiltMail, undo: Undo) -> None:
        """Send it off, and add to `undo` how it is taken back."""
        ...

    async def wait_async(self, mail: BuiltMail) -> None:
        """Wait until it is there."""
        ...


class DirectDelivery:
    """A mail that is put where it is kept."""

    def __init__(self, *, store: MailStore) -> None:
        self.store: MailStore | None = store
        self._store = store

    async def plant_async(self, mail: BuiltMail, undo: Undo) -> None:
        """Store it."""
        await run_blocking_async(partial(self._store.plant, mail, undo))

    async def wait_async(self, mail: BuiltMail) -> None:
        """Nothing: it is there."""


class StoredDelivery:
    """One mail that goes to a server and is found in the store to which the server delivers.

    Args:
        address: The server.
        store: Where it delivers.
        patience_s: How long the mail may be on its way, in seconds.
    """

    def __init__(self, *, address: SmtpAddress, store: MailStore, patience_s: float) -> None:
        self.store: MailStore | None = store
        self._address = address
        self._store = store
        self._patience_s = patience_s
        self._before: frozenset[str] = frozenset()
        self._transit = Transit()
        self._arrived = False

    async def plant_async(self, mail: BuiltMail, undo: Undo) -> None:
        """Send it."""
        if mail.id_is_given and await self._arrived_async(mail):
            msg = f"a mail with the Message-ID {mail.message_id} is there already; choose another one"
            raise ValueError(msg)
        self._before = await run_blocking_async(self._store.look)
        undo.add(partial(self._take_back_async, mail))
        await run_blocking_async(partial(send, self._address, mail, self._transit))

    async def wait_async(self, mail: BuiltMail) -> None:
        """Wait until it has arrived.

        Raises:
            TimeoutError: If it does not.
        """
        where = f"{self._address} took the mail {mail.message_id}, but in {self._store.place}"
        await _poll_async(partial(self._arrived_async, mail), self._patience_s, where)
        self._arrived = True

    async def _arrived_async(self, mail: BuiltMail) -> bool:
        return await run_blocking_async(partial(self._store.holds, mail.message_id, self._before))

    async def _take_back_async(self, mail: BuiltMail) -> None:
        if self._transit.at_server and not self._arrived:
            await self.wait_async(mail)
        await run_blocking_async(partial(self._store.remove, mail.message_id, self._before))


class CallbackDelivery:
    """One mail that goes to a server, from where functions of the user take it back.

    Args:
        address: The server.
        remove: Takes the mail back.
        arrived: Says whether it is there; None where that cannot be known.
        patience_s: How long the mail may be on its way, in seconds.
    """

    def __init__(
        self, *, address: SmtpAddress, remove: AboutMail, arrived: AboutMail | None, patience_s: float
    ) -> None:
        self.store: MailStore | None = None
        self._address = address
        self._remove = remove
        self._arrived = arrived
        self._patience_s = patience_s
        self._transit = Transit()

    async def plant_async(self, mail: BuiltMail, undo: Undo) -> None:
        """Send it."""
        undo.add(partial(self._take_back_async, mail))
        await run_blocking_async(partial(send, self._address, mail, self._transit))

    async def wait_async(self, mail: BuiltMail) -> None:
        """Wait until it has arrived, where that can be known.

        Raises:
            TimeoutError: If it does not arrive.
        """
        if self._arrived is not None:
            where = f"{self._address} took the mail {mail.message_id}, but as `arrived` says"
            await _poll_async(partial(_call_async, self._arrived, mail.message_id), self._patience_s, where)

    async def _take_back_async(self, mail: BuiltMail) -> None:
        if self._transit.at_server:
            await _call_async(self._remove, mail.message_id)


async def _poll_async(arrived: Callable[[], Awaitable[object]], patience_s: float, where: str) -> None:
    deadline = time.monotonic() + patience_s
    wait = _FIRST_WAIT_S
    while not await arrived():
        if time.monotonic() > deadline:
            msg = f"{where} it did not arrive within {patience_s:g} s; does the server deliver there?"
            raise TimeoutError(msg)
        await asyncio.sleep(wait)
        wait = min(2 * wait, _LONGEST_WAIT_S)


async def _call_async(function: AboutMail, message_id: str) -> object:
    if inspect.iscoroutinefunction(function):
        return await function(message_id)
    patience_s = configured_limits().cleanup_timeout_s
    answer = await run_blocking_async(partial(function, message_id), patience_s=patience_s)
    return await answer if inspect.isawaitable(answer) else answer
