"""The connections of the SMTP server, as `aiosmtpd` handles them."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from typing import TYPE_CHECKING, Any, AnyStr

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, Session

from rampart.core.log import log
from rampart.servers.received_mail import ReceivedMail

if TYPE_CHECKING:
    from collections.abc import Callable

_NULL_SENDER = "<>"
_COMMAND_SIZE = 4096
_TLS_HANDSHAKE = b"\x16"
_STEPS_OF_ACCEPTING = 4
"""Turns of the event loop until a connection that is being accepted is known; two are needed."""


class Connections:
    """All open connections of one server, and how a new one is made."""

    def __init__(
        self,
        *,
        on_message: Callable[[ReceivedMail], object],
        on_lost: Callable[[str], object] | None,
        max_bytes: int,
    ) -> None:
        self._handler = _Handler(on_message)
        self._on_lost = on_lost
        self._max_bytes = max_bytes
        self._open: set[_Connection] = set()

    def new(self) -> _Connection:
        """The protocol of one more connection; called in the server's event loop."""
        return _Connection(
            self._handler, open_ones=self._open, on_lost=self._on_lost, max_bytes=self._max_bytes
        )

    async def cut_async(self) -> None:
        """End every connection, and wait until nothing of them runs; nobody may be listening any more."""
        for _ in range(_STEPS_OF_ACCEPTING):
            await asyncio.sleep(0)
        cut = list(self._open)
        tasks = [connection.cut() for connection in cut]
        await asyncio.gather(*filter(None, tasks), return_exceptions=True)
        await asyncio.gather(*(connection.lost.wait() for connection in cut))


class _Connection(SMTP):
    def __init__(
        self,
        handler: _Handler,
        *,
        open_ones: set[_Connection],
        on_lost: Callable[[str], object] | None,
        max_bytes: int,
    ) -> None:
        # The library keeps this table on the class, where servers in other threads would share it.
        self.command_size_limits = defaultdict(lambda: _COMMAND_SIZE)
        # Mails with overlong lines are against the rules, and still what a careless agent sends.
        self.line_length_limit = max(max_bytes, _COMMAND_SIZE) + 2
        self._open_ones = open_ones
        self._on_lost = on_lost
        self._has_begun = False
        self.mail_begun = False
        self.lost = asyncio.Event()
        super().__init__(
            handler,
            data_size_limit=max_bytes,
            enable_SMTPUTF8=True,
            hostname="localhost",
            ident="SMTP",
            auth_require_tls=False,
            authenticator=_any_login,
            loop=asyncio.get_running_loop(),
        )

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._open_ones.add(self)
        super().connection_made(transport)

    def data_received(self, data: bytes) -> None:
        if not self._has_begun and data[:1] == _TLS_HANDSHAKE:
            self._tell_of_loss("it begins with TLS")
        self._has_begun = True
        self.mail_begun |= b"MAIL" in data.upper()
        super().data_received(data)

    async def push(self, status: AnyStr) -> None:
        """Answer the client; what is refused was meant to be sent all the same."""
        if status[:1] in ("4", "5", b"4", b"5"):
            self._tell_of_loss(f"it was refused with {status!r}")
        await super().push(status)

    def _tell_of_loss(self, why: str) -> None:
        if self._on_lost is not None:
            self._on_lost(why)

    def connection_lost(self, error: Exception | None) -> None:
        begun = self.envelope is not None and self.envelope.mail_from is not None
        # What the client sent may not have been looked at yet, and a reset throws it away.
        if begun or self.mail_begun or error is not None:
            self._tell_of_loss("the connection ended before the mail did")
        self._open_ones.discard(self)
        super().connection_lost(error)
        self.lost.set()

    def cut(self) -> asyncio.Task[None] | None:
        """Drop the connection; the task that has to end then, if there is one."""
        if isinstance(self.transport, asyncio.WriteTransport):
            self.transport.abort()
        task = self._handler_coroutine
        if task is not None:
            task.cancel()
        return task


class _Handler:
    """What the library calls at the steps of a mail."""

    def __init__(self, on_message: Callable[[ReceivedMail], object]) -> None:
        self._on_message = on_message

    async def handle_MAIL(  # noqa: N802  # the library finds it by this name
        self, _server: SMTP, _session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        # The library takes an empty sender for a missing MAIL command.
        envelope.mail_from = address or _NULL_SENDER
        envelope.mail_options.extend(options)
        return "250 OK"

    async def handle_DATA(  # noqa: N802  # the library finds it by this name
        self, server: SMTP, session: Session, envelope: Envelope
    ) -> str:
        content = envelope.original_content
        if content is None or session.peer is None:
            return "451 Nothing arrived"
        sender = envelope.mail_from or ""
        mail = ReceivedMail(
            mail_from="" if sender == _NULL_SENDER else sender,
            rcpt_tos=list(envelope.rcpt_tos),
            content=bytes(content),
            peer=(str(session.peer[0]), int(session.peer[1])),
        )
        try:
            self._on_message(mail)
        except Exception as error:  # the client is told, and the server goes on
            log.error("the receiver of mail to %s failed: %s", mail.rcpt_tos, error, exc_info=error)
            return "451 The mail could not be taken; try again later"
        if isinstance(server, _Connection):
            server.mail_begun = False
        return "250 OK"


def _any_login(
    _server: SMTP, _session: Session, _envelope: Envelope, _mechanism: str, _data: Any
) -> AuthResult:
    return AuthResult(success=True)
