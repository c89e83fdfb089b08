"""A place to which agents can be lured to send things, and which knows what came."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Self

from rampart.core.errors import InfrastructureError
from rampart.core.log import log
from rampart.core.side_effect_source import add_source, remove_source
from rampart.servers.exfiltration_answer import bland_answer
from rampart.servers.exfiltration_canary import Canary, new_canary, tokens_in
from rampart.servers.exfiltration_claims import Claims, SinkLog
from rampart.servers.exfiltration_mail import read_mail
from rampart.servers.exfiltration_records import MAX_BODY_BYTES, SinkEmail, SinkRecord, SinkRequest
from rampart.servers.http_server import HttpServer
from rampart.text.oneline import quote

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from rampart.servers.http_exchange import HttpRequest, HttpResponse
    from rampart.servers.received_mail import ReceivedMail
    from rampart.servers.smtp_server import SmtpServer

_NOT_ENTERED = "the exfiltration sink has no address before it is entered; use it in a with statement"
_SHOWN = 3


class ExfiltrationSink:
    """Listens on 127.0.0.1 while it is entered, answers everything, and records everything.

    What comes reaches the turns of the execution whose agent sent it, as side effects of the kinds
    `http_request` and `email`, so that `SideEffectOccurred("http_request", host=sink.host)` sees it whatever
    the adapter reports. Leaving raises if something came that no execution was told of and nobody looked at.
    """

    def __init__(self) -> None:
        self._http = HttpServer(
            fallback=self._take_request,
            max_body_bytes=MAX_BODY_BYTES,
            partial_bodies=True,
            on_unreadable=self._take_unreadable,
        )
        self._smtp: SmtpServer | None = None
        self._claims = Claims(lambda: self._hosts)
        self._lock = threading.Lock()
        self._tokens: set[str] = set()
        self._records: list[SinkRecord] = []
        self._looked_at: set[int] = set()
        self._base_url = ""
        self._hosts: dict[str, str] = {}
        self._canary: Canary | None = None

    @property
    def host(self) -> str:
        """Host and port of the HTTP listener, such as `127.0.0.1:50412`."""
        return self._address.removeprefix("http://")

    @property
    def canary(self) -> Canary:
        """The canary of the sink itself, for a test with one execution at a time.

        Raises:
            InfrastructureError: If the sink has not been entered.
        """
        if self._canary is None:
            raise InfrastructureError(_NOT_ENTERED)
        return self._canary

    @property
    def url(self) -> str:
        """The URL of the sink's own canary."""
        return self.canary.url

    @property
    def email(self) -> str:
        """The mail address of the sink's own canary."""
        return self.canary.email

    @property
    def smtp_host(self) -> str:
        """Where the agent has to send mail, so that it comes here; `smtp_port` belongs to it."""
        return "127.0.0.1"

    @property
    def smtp_port(self) -> int:
        """The port of the SMTP listener, which is started when it is first asked for.

        Raises:
            ConfigurationError: If the library that it needs is not installed.
            InfrastructureError: If the sink has not been entered.
        """
        _ = self._address
        with self._lock:
            if self._smtp is None:
                from rampart.servers.smtp_server import SmtpServer  # noqa: PLC0415  # few need mail

                smtp = SmtpServer(on_message=self._take_mail, on_lost=self._take_unreadable_mail)
                smtp.start()
                self._smtp = smtp
                self._hosts = {**self._hosts, "email": f"{self.smtp_host}:{smtp.port}"}
            return self._smtp.port

    def new_canary(self) -> Canary:
        """A canary of its own for one trial, so that trials can overlap and be told apart.

        Raises:
            InfrastructureError: If the sink has not been entered.
        """
        canary = new_canary(self._address)
        with self._lock:
            self._tokens.add(canary.token)
        return canary

    @property
    def requests(self) -> tuple[SinkRequest, ...]:
        """All HTTP requests so far, oldest first."""
        return tuple(one for one in self._look_at(self._all()) if isinstance(one, SinkRequest))

    @property
    def emails(self) -> tuple[SinkEmail, ...]:
        """All mails so far, oldest first."""
        return tuple(one for one in self._look_at(self._all()) if isinstance(one, SinkEmail))

    @property
    def unclaimed(self) -> tuple[SinkRecord, ...]:
        """What came that no execution was told of: too late for it, or maybe sent by another."""
        return tuple(self._look_at([record for record, _ in self._claims.unclaimed()]))

    def isolation_keys(self, texts: Sequence[str], /) -> frozenset[str]:
        """One key for each canary in the texts: executions that share one cannot be told apart."""
        return frozenset(f"exfiltration-sink:{token}" for token in self._tokens_in(texts))

    def open_log(self, texts: Sequence[str], /) -> SinkLog:
        """Begin to watch for an execution whose agent will be shown `texts`."""
        return self._claims.open_log(self._tokens_in(texts))

    def __enter__(self) -> Self:
        """Listen, and tell executions from now on.

        Raises:
            InfrastructureError: If no port can be had, or it was entered before.
        """
        if self._base_url:
            msg = "an exfiltration sink can be entered once; make a new one"
            raise InfrastructureError(msg)
        self._http.start()
        self._base_url = self._http.url
        self._hosts = {"http_request": self.host}
        self._canary = self.new_canary()
        add_source(self)
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stop listening.

        Raises:
            InfrastructureError: If something came that no execution was told of and that nobody has looked at
                through `requests`, `emails` or `unclaimed`; logged instead while another error goes on.
        """
        remove_source(self)
        try:
            self._http.stop()
        finally:
            if self._smtp is not None:
                self._smtp.stop()
            self._claims.lose_track()  # an execution that goes on is no longer watched
        text = self._unseen()
        if text and exc is None:
            raise InfrastructureError(text)
        if text:
            log.error("%s", text)

    @property
    def _address(self) -> str:
        if not self._base_url:
            raise InfrastructureError(_NOT_ENTERED)
        return self._base_url

    def _tokens_in(self, texts: Sequence[str]) -> frozenset[str]:
        with self._lock:
            known = frozenset(self._tokens)
        return tokens_in(texts, known)

    def _take_request(self, request: HttpRequest) -> HttpResponse:
        try:
            self._record_request(request)
        except BaseException:  # it came, and nobody will be told of it
            self._claims.lose_track()
            raise
        return bland_answer(request)

    def _record_request(self, request: HttpRequest) -> None:
        body = request.body.decode("utf-8", "replace")
        # The address counts for more than what is sent there, which may quote other addresses.
        tokens = (
            self._tokens_in([request.path.strip("/").partition("/")[0]])
            or self._tokens_in([request.target])
            or self._tokens_in([*request.headers.values(), body])
        )
        self._add(
            SinkRequest(
                method=request.method,
                url=self._base_url + request.target if request.target.startswith("/") else request.target,
                host=self.host,
                path=request.path,
                query=request.query,
                headers=request.headers,
                body=body,
                body_size=request.body_size,
                complete=request.complete,
                client=request.client,
                received_at=request.received_at,
                canary=_only(tokens),
            ),
            tokens,
        )

    def _take_mail(self, mail: ReceivedMail) -> None:
        try:
            self._record_mail(mail)
        except BaseException:  # as above
            self._claims.lose_track()
            raise

    def _record_mail(self, mail: ReceivedMail) -> None:
        record = read_mail(mail, host=self._hosts["email"])
        tokens = self._tokens_in(mail.rcpt_tos) or self._tokens_in([record.subject, record.body])
        self._add(replace(record, canary=_only(tokens)), tokens)

    def _take_unreadable(self, why: str) -> None:
        log.warning("something came to the exfiltration sink that is no HTTP request: %s", why)
        self._claims.lose_track()

    def _take_unreadable_mail(self, why: str) -> None:
        log.warning("something came to the exfiltration sink that became no mail: %s", why)
        self._claims.lose_track()

    def _add(self, record: SinkRecord, tokens: frozenset[str]) -> None:
        with self._lock:
            self._records.append(record)
        self._claims.add(record, tokens)

    def _all(self) -> list[SinkRecord]:
        with self._lock:
            return list(self._records)

    def _look_at(self, records: list[SinkRecord]) -> list[SinkRecord]:
        self._looked_at.update(map(id, records))  # the records live as long as the sink
        return records

    def _unseen(self) -> str:
        """What came that nobody knows of, in one line; empty if there is nothing."""
        unseen = [one for one in self._claims.unclaimed() if id(one[0]) not in self._looked_at]
        if not unseen:
            return ""
        shown = "; ".join(f"{quote(str(record), 200)} ({why})" for record, why in unseen[:_SHOWN])
        more = f"; and {len(unseen) - _SHOWN} more" if len(unseen) > _SHOWN else ""
        return (
            f"{len(unseen)} {'request or mail' if len(unseen) == 1 else 'requests or mails'} reached the "
            f"exfiltration sink and counted for no verdict: {shown}{more}. "
            "Give each trial a canary of its own (new_canary), have the agent finish what it began before it "
            "replies, or look at `unclaimed` in the test"
        )


def _only(tokens: frozenset[str]) -> str | None:
    return next(iter(tokens)) if len(tokens) == 1 else None
