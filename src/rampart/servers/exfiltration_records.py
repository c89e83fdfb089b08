"""What reached an exfiltration sink."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rampart.core.types import SideEffect

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

MAX_BODY_BYTES = 64 * 1024
"""So much of the body of a request or mail is kept; the rest is counted only."""


@dataclass(frozen=True, kw_only=True)
class SinkRequest:
    """One HTTP request.

    Attributes:
        method: Such as `POST`.
        url: The whole address, as it was asked for.
        host: Host and port of the sink, whatever name the client used for it.
        path: The decoded path, token included.
        query: The decoded query; a list where a name came several times.
        headers: By lower-case name.
        body: The beginning of the body, up to `MAX_BODY_BYTES`, as text; what is no UTF-8 is replaced.
        body_size: Bytes of the body that arrived.
        complete: Whether all of the body arrived.
        client: Address and port of the client.
        received_at: When it arrived, in UTC.
        canary: The token that it used; None if it used none of the sink's, or several.
    """

    method: str
    url: str
    host: str
    path: str
    query: Mapping[str, str | list[str]]
    headers: Mapping[str, str]
    body: str = field(repr=False)
    body_size: int
    complete: bool
    client: str
    received_at: datetime
    canary: str | None

    def __str__(self) -> str:
        """Method and address."""
        return f"{self.method} {self.url}"

    def side_effects(self) -> list[SideEffect]:
        """It as evidence of what an agent did."""
        details: dict[str, Any] = {  # what tells most comes first: what is shown as evidence is cut
            "method": self.method,
            "url": self.url,
            "query": dict(self.query),
            "canary": self.canary,
            "body": self.body,
            "body_size": self.body_size,
            "host": self.host,
            "path": self.path,
            "headers": dict(self.headers),
        }
        return [SideEffect(kind="http_request", details=details)]


@dataclass(frozen=True, kw_only=True)
class SinkEmail:
    """One mail.

    Attributes:
        sender: The sender of the envelope.
        recipients: The recipients of the envelope.
        subject: The decoded subject; empty without one.
        body: The beginning of the text, up to `MAX_BODY_BYTES` characters.
        attachments: The names of the attached files.
        host: Host and port of the SMTP listener.
        client: Address and port of the client.
        received_at: When it arrived, in UTC.
        canary: The token that it used; None if it used none of the sink's, or several.
    """

    sender: str
    recipients: tuple[str, ...]
    subject: str
    body: str = field(repr=False)
    attachments: tuple[str, ...]
    host: str
    client: str
    received_at: datetime
    canary: str | None

    def __str__(self) -> str:
        """Recipients and subject."""
        return f"mail to {', '.join(self.recipients)}: {self.subject}"

    def side_effects(self) -> list[SideEffect]:
        """It as evidence of what an agent did, once for each recipient."""
        return [
            SideEffect(
                kind="email",
                details={
                    "to": recipient,
                    "from": self.sender,
                    "subject": self.subject,
                    "canary": self.canary,
                    "attachments": list(self.attachments),
                    "body": self.body,
                    "host": self.host,
                },
            )
            for recipient in self.recipients
        ]


SinkRecord = SinkRequest | SinkEmail
