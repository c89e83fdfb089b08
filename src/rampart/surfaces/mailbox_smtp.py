"""Handing a mail to an SMTP server."""

from __future__ import annotations

import smtplib
import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rampart.surfaces.mailbox_message import BuiltMail

_CLIENT_TIMEOUT_S = 20.0


@dataclass(frozen=True, kw_only=True)
class SmtpAddress:
    """Where a server listens."""

    host: str
    port: int

    def __str__(self) -> str:
        """As users write it."""
        return f"{self.host}:{self.port}"


def parse_smtp_address(text: object) -> SmtpAddress:
    """Read `host:port`; an IPv6 address stands in brackets.

    Raises:
        TypeError: If it is no str.
        ValueError: If it is anything else.
    """
    if not isinstance(text, str):
        msg = f"smtp must be a str such as '127.0.0.1:2525', got {text!r}"
        raise TypeError(msg)
    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not host or not port.isascii() or not port.isdigit() or not 0 < int(port) < 65536:
        msg = f"smtp must be host and port, such as '127.0.0.1:2525', got {text!r}"
        raise ValueError(msg)
    return SmtpAddress(host=host, port=int(port))


@dataclass(kw_only=True)
class Transit:
    """Where a mail is.

    Attributes:
        at_server: Whether the server may have it; a connection that breaks leaves that open.
    """

    at_server: bool = False


def send(address: SmtpAddress, mail: BuiltMail, transit: Transit) -> None:
    """Hand a mail to a server, and keep `transit` true meanwhile.

    Raises:
        OSError: If the server cannot be reached, or refuses; smtplib's errors are such.
    """
    with _connected(address) as client:
        client.ehlo_or_helo_if_needed()
        transit.at_server = True
        try:
            refused = client.sendmail(mail.sender, mail.recipients, mail.content.replace(b"\n", b"\r\n"))
        except (smtplib.SMTPResponseException, smtplib.SMTPRecipientsRefused):
            transit.at_server = False
            raise
    if refused:
        raise smtplib.SMTPRecipientsRefused(refused)


def _connected(address: SmtpAddress) -> smtplib.SMTP:
    try:
        return smtplib.SMTP(address.host, address.port, timeout=_CLIENT_TIMEOUT_S)
    except ConnectionRefusedError as error:
        msg = f"{error}; no SMTP server listens at {address}: start it, or check the port in smtp="
        raise ConnectionRefusedError(msg) from error
    except socket.gaierror as error:
        msg = f"{error}; nobody knows the host {address.host!r}: check smtp="
        raise OSError(msg) from error
