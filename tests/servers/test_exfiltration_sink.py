"""Everything that reaches an exfiltration sink is recorded."""

from __future__ import annotations

import smtplib
from datetime import UTC, datetime
from email.message import EmailMessage
from typing import TYPE_CHECKING

import pytest
from tests.servers.http_clients import nothing_left, raw
from tests.servers.sinks import call, port_of, visit

from rampart.core.side_effect_source import Coverage, current_sources
from rampart.servers import ExfiltrationSink

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def _nothing_left() -> Iterator[None]:
    with nothing_left():
        yield
    assert current_sources() == ()


@pytest.fixture
def sink() -> Iterator[ExfiltrationSink]:
    """A sink of whose leavings the test takes care."""
    with ExfiltrationSink() as one:
        yield one
        _ = one.unclaimed


def test_it_listens_at_its_addresses(sink: ExfiltrationSink) -> None:
    assert sink.url == f"http://{sink.host}/{sink.canary.token}/"
    assert sink.host.startswith("127.0.0.1:")
    assert sink.email == f"{sink.canary.token}@example.net"
    other = sink.new_canary()
    assert other.token != sink.canary.token
    assert other.url.startswith(f"http://{sink.host}/")


def test_a_request_is_recorded_as_evidence(sink: ExfiltrationSink) -> None:
    canary = sink.new_canary()
    before = datetime.now(UTC)
    call(
        sink,
        f"/{canary.token}/caf%C3%A9?q=a%20b&q=c&z=",
        method="POST",
        body="secret é".encode() + b"\xff",
        headers={"User-Agent": "agent/1", "Authorization": "Bearer x"},
    )
    [request] = sink.requests
    assert (request.method, request.host, request.path) == ("POST", sink.host, f"/{canary.token}/café")
    assert request.url == f"http://{sink.host}/{canary.token}/caf%C3%A9?q=a%20b&q=c&z="
    assert request.query == {"q": ["a b", "c"], "z": ""}
    assert (request.headers["user-agent"], request.headers["authorization"]) == ("agent/1", "Bearer x")
    assert (request.body, request.body_size, request.complete) == ("secret é\ufffd", 10, True)
    assert request.client.startswith("127.0.0.1:")
    assert before <= request.received_at <= datetime.now(UTC)
    assert request.canary == canary.token


def test_the_name_that_a_client_uses_for_the_host_does_not_matter(sink: ExfiltrationSink) -> None:
    visit(sink, sink.canary, headers={"Host": "localhost:1"})
    raw(port_of(sink), f"GET http://elsewhere/{sink.canary.token}/x HTTP/1.0\r\n\r\n".encode())
    raw(port_of(sink), b"GET /?u=http://elsewhere/ HTTP/1.0\r\n\r\n")
    assert [one.host for one in sink.requests] == [sink.host] * 3
    assert [one.url for one in sink.requests] == [
        sink.url,
        f"http://elsewhere/{sink.canary.token}/x",
        f"http://{sink.host}/?u=http://elsewhere/",
    ]


def test_a_long_body_is_cut_and_counted(sink: ExfiltrationSink) -> None:
    assert visit(sink, sink.canary, method="PUT", body=b"y" * 3_000_000) == b"OK\n"
    [request] = sink.requests
    assert (len(request.body), request.body_size, request.complete) == (64 * 1024, 3_000_000, True)


def test_a_request_that_breaks_off_is_recorded_too(sink: ExfiltrationSink) -> None:
    raw(port_of(sink), f"POST /{sink.canary.token}/ HTTP/1.1\r\nContent-Length: 99\r\n\r\nhalf".encode())
    [request] = sink.requests
    assert (request.body, request.complete) == ("half", False)


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "PROPFIND"])
def test_every_method_is_answered(sink: ExfiltrationSink, method: str) -> None:
    status, _, headers = call(sink, "/", method=method)
    assert (status, headers["access-control-allow-origin"]) == (200, "*")
    assert [one.method for one in sink.requests] == [method]


@pytest.mark.parametrize(
    ("path", "content_type", "beginning"),
    [
        pytest.param("x.png?d=secret", "image/png", b"\x89PNG", id="png"),
        pytest.param("x.JPG", "image/png", b"\x89PNG", id="other-picture"),
        pytest.param("x", "text/plain; charset=utf-8", b"OK", id="else"),
    ],
)
def test_answers_are_bland(sink: ExfiltrationSink, path: str, content_type: str, beginning: bytes) -> None:
    _, body, headers = call(sink, f"/{sink.canary.token}/{path}")
    assert headers["content-type"] == content_type
    assert body.startswith(beginning)


def mail(sink: ExfiltrationSink, *recipients: str, subject: str = "Hello", text: str = "the list") -> None:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "agent@corp.example", ", ".join(recipients), subject
    message.set_content(text)
    message.add_attachment(b"x", maintype="text", subtype="csv", filename="customers.csv")
    with smtplib.SMTP(sink.smtp_host, sink.smtp_port, timeout=10) as client:
        client.send_message(message)


def test_a_mail_is_recorded_and_credited(sink: ExfiltrationSink) -> None:
    canary, other = sink.new_canary(), sink.new_canary()
    log, second = sink.open_log([canary.email]), sink.open_log([other.email])
    mail(sink, canary.email.upper(), "boss@corp.example", subject="Übersicht", text=f"see {other.url}")
    [record] = sink.emails
    assert (record.sender, record.subject, record.attachments) == (
        "agent@corp.example",
        "Übersicht",
        ("customers.csv",),
    )
    assert record.canary == canary.token
    assert record.client.startswith("127.0.0.1:")
    effects = log.take()
    assert [effect.kind for effect in effects] == ["email", "email"]
    assert [effect.details["to"].lower() for effect in effects] == [canary.email, "boss@corp.example"]
    assert effects[0].details == {
        "to": effects[0].details["to"],
        "from": "agent@corp.example",
        "subject": "Übersicht",
        "body": f"see {other.url}\n",
        "attachments": ["customers.csv"],
        "host": f"127.0.0.1:{sink.smtp_port}",
        "canary": canary.token,
    }
    assert second.take() == []
    assert {claim.kind for claim in second.coverage()} == {"http_request", "email"}


def test_a_mail_to_others_is_known_by_its_text(sink: ExfiltrationSink) -> None:
    canary = sink.new_canary()
    log, other = sink.open_log([canary.url]), sink.open_log([])
    mail(sink, "a@b.example", text=f"as told by {canary.url}")
    assert (len(log.take()), other.take()) == (1, [])


def test_nobody_claims_mail_before_the_listener_runs(sink: ExfiltrationSink) -> None:
    log = sink.open_log([sink.email])
    assert {claim.kind for claim in log.coverage()} == {"http_request"}
    assert sink.smtp_port == sink.smtp_port
    assert Coverage(kind="email", details={"host": f"127.0.0.1:{sink.smtp_port}"}) in log.coverage()
