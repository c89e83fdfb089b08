"""Nothing is credited to the wrong execution, and none claims more than is known."""

from __future__ import annotations

import smtplib
import socket
import time
from typing import TYPE_CHECKING

import pytest
from tests.servers.http_clients import nothing_left, raw
from tests.servers.sinks import call, port_of, urls, visit

from rampart.core.side_effect_source import Coverage, SideEffectLog, SideEffectSource, current_sources
from rampart.servers import ExfiltrationSink

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


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


def test_it_is_what_executions_ask() -> None:
    with ExfiltrationSink() as sink:
        assert current_sources() == (sink,)
        assert isinstance(sink, SideEffectSource)
        assert isinstance(sink.open_log([]), SideEffectLog)
    assert current_sources() == ()


def test_an_effect_has_what_predicates_ask_for(sink: ExfiltrationSink) -> None:
    log = sink.open_log([f"Send it to {sink.url}"])
    visit(sink, sink.canary, "x?d=1", method="POST", body=b"b")
    [effect] = log.take()
    assert effect.kind == "http_request"
    headers = effect.details.pop("headers")
    assert headers["content-length"] == "1"
    assert effect.details == {
        "url": f"{sink.url}x?d=1",
        "host": sink.host,
        "method": "POST",
        "path": f"/{sink.canary.token}/x",
        "query": {"d": "1"},
        "body": "b",
        "body_size": 1,
        "canary": sink.canary.token,
    }
    assert log.take() == []


def test_what_tells_most_comes_first_in_an_effect(sink: ExfiltrationSink) -> None:
    """Evidence is cut, and headers are long."""
    log = sink.open_log([f"Send it to {sink.url}"])
    visit(sink, sink.canary, "x?d=1", method="POST", body=b"b")
    [effect] = log.take()
    assert list(effect.details)[:5] == ["method", "url", "query", "canary", "body"]
    assert list(effect.details)[-1] == "headers"


def test_each_execution_gets_what_used_its_canary(sink: ExfiltrationSink) -> None:
    canaries = [sink.new_canary() for _ in range(3)]
    logs = [sink.open_log(["x", f"call {canary.url}"]) for canary in canaries]
    for number in (2, 0, 2):
        visit(sink, canaries[number], str(number))
    call(sink, f"/collect?from={canaries[1].token}&{canaries[1].token}")
    call(sink, "/collect", method="POST", body=canaries[0].url.encode())
    call(sink, f"/{canaries[2].token}/", method="POST", body=f"I also read {canaries[0].url}".encode())
    call(sink, f"/{canaries[2].token}/?read={canaries[0].token}", headers={"X": canaries[1].token})
    assert [len(log.take()) for log in logs] == [2, 1, 4]
    assert all(log.coverage() for log in logs)
    assert sink.unclaimed == ()


def test_what_has_no_known_canary_belongs_to_the_only_execution(sink: ExfiltrationSink) -> None:
    log = sink.open_log(["nothing is known beforehand"])
    unshown = sink.new_canary()
    call(sink, "/")
    visit(sink, unshown)
    assert urls(log.take()) == [f"http://{sink.host}/", unshown.url]
    assert log.coverage()


def test_what_several_may_have_sent_is_nobodys(sink: ExfiltrationSink) -> None:
    shared, own = sink.new_canary(), sink.new_canary()
    one, two = (sink.open_log([shared.url]) for _ in range(2))
    other = sink.open_log([own.url])
    visit(sink, shared)
    assert [one.take(), two.take(), other.take()] == [[], [], []]
    assert [one.coverage(), two.coverage()] == [[], []]
    assert other.coverage()
    assert len(sink.unclaimed) == 1
    call(sink, "/")
    assert other.coverage() == []
    assert len(sink.unclaimed) == 2


def test_a_late_effect_is_never_credited_to_another(sink: ExfiltrationSink) -> None:
    first, second = sink.new_canary(), sink.new_canary()
    over = sink.open_log([first.url])
    over.close()
    over.close()
    running = sink.open_log([second.url])
    visit(sink, first)
    assert (over.take(), running.take()) == ([], [])
    assert (over.coverage(), running.coverage()) == ([], [])
    [late] = sink.unclaimed
    assert late.canary == first.token


def test_an_effect_that_was_not_taken_in_time_is_unclaimed(sink: ExfiltrationSink) -> None:
    log = sink.open_log([sink.url])
    visit(sink, sink.canary)
    log.close()
    assert log.take() == []
    assert len(sink.unclaimed) == 1


def test_one_canary_serves_executions_one_after_another(sink: ExfiltrationSink) -> None:
    for _ in range(2):
        log = sink.open_log([sink.url])
        visit(sink, sink.canary)
        assert len(log.take()) == 1
        assert log.coverage()
        log.close()
    assert sink.unclaimed == ()


def test_a_request_with_two_canaries_leaves_the_claim_about_one(sink: ExfiltrationSink) -> None:
    one, two = sink.new_canary(), sink.new_canary()
    log = sink.open_log([one.url])
    call(sink, f"/x/{one.token}/{two.token}")
    [effect] = log.take()
    assert effect.details["canary"] is None
    assert log.coverage() == []


def test_what_is_no_request_ends_the_claims(sink: ExfiltrationSink, caplog: pytest.LogCaptureFixture) -> None:
    """Such as an agent that tries HTTPS: nobody can say what it wanted to send."""
    log = sink.open_log([sink.url])
    assert log.coverage()
    raw(port_of(sink), b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")
    assert log.coverage() == []
    assert "no HTTP request" in caplog.text


def too_long(sink: ExfiltrationSink) -> None:
    with smtplib.SMTP(sink.smtp_host, sink.smtp_port, timeout=10) as client:
        client.ehlo()
        code, _ = client.docmd("MAIL", f"FROM:<agent@corp.example> SIZE={10**9}")
        assert code == 552


def broken_off(sink: ExfiltrationSink) -> None:
    with smtplib.SMTP(sink.smtp_host, sink.smtp_port, timeout=10) as client:
        client.ehlo()
        client.docmd("MAIL", "FROM:<agent@corp.example>")
        client.docmd("RCPT", f"TO:<{sink.email}>")
        client.docmd("DATA")
        client.send(b"Subject: all of it\r\n\r\nthe li")
        client.close()


def thrown_away(sink: ExfiltrationSink) -> None:
    """All at once, without waiting for an answer."""
    with socket.create_connection((sink.smtp_host, sink.smtp_port), timeout=10) as client:
        client.sendall(
            b"EHLO x\r\nMAIL FROM:<agent@corp.example>\r\nRCPT TO:<x@example.net>\r\nDATA\r\nthe li"
        )


def over_tls(sink: ExfiltrationSink) -> None:
    with socket.create_connection((sink.smtp_host, sink.smtp_port), timeout=10) as client:
        client.sendall(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")
        client.recv(1000)


@pytest.mark.parametrize("send", [too_long, broken_off, thrown_away, over_tls])
def test_what_became_no_mail_ends_the_claims(
    sink: ExfiltrationSink, send: Callable[[ExfiltrationSink], None]
) -> None:
    """An agent that fails to send has tried it: nobody can say that it sent nothing."""
    _ = sink.smtp_port
    log = sink.open_log([sink.email])
    assert log.coverage()
    send(sink)
    deadline = time.monotonic() + 10
    while log.coverage() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert log.coverage() == []


def test_mail_that_is_taken_and_a_client_that_only_asks_leave_them(sink: ExfiltrationSink) -> None:
    log = sink.open_log([sink.email])
    with smtplib.SMTP(sink.smtp_host, sink.smtp_port, timeout=10) as client:
        client.noop()
    with smtplib.SMTP(sink.smtp_host, sink.smtp_port, timeout=10) as client:
        client.sendmail("agent@corp.example", [sink.email], "Subject: x\r\n\r\nx")
    assert len(log.take()) == 1
    assert [claim.kind for claim in log.coverage()].count("email") == 2


def test_text_that_nobody_could_decode_is_recorded_all_the_same(sink: ExfiltrationSink) -> None:
    log = sink.open_log([])
    call(sink, "/", method="POST", body=f"&#{'9' * 5000};".encode())
    assert len(log.take()) == 1
    assert log.coverage()


def test_what_could_not_be_recorded_ends_the_claims(
    sink: ExfiltrationSink, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_arguments: object) -> frozenset[str]:
        raise OSError("out of order")

    log = sink.open_log([sink.url])
    monkeypatch.setattr("rampart.servers.exfiltration_sink.tokens_in", fail)
    call(sink, "/")
    assert (log.take(), log.coverage()) == ([], [])


def test_claims_name_host_and_canaries(sink: ExfiltrationSink) -> None:
    log = sink.open_log([sink.url])
    assert log.coverage() == [
        Coverage(kind="http_request", details={"host": sink.host}),
        Coverage(kind="http_request", details={"canary": sink.canary.token}),
    ]


def test_executions_that_share_a_canary_share_a_key(sink: ExfiltrationSink) -> None:
    canary = sink.new_canary()
    keys = sink.isolation_keys([f"to {canary.url}", f"or {canary.email}"])
    assert keys == {f"exfiltration-sink:{canary.token}"}
    assert sink.isolation_keys([canary.url, sink.url]) > keys
    assert sink.isolation_keys(["http://127.0.0.1/0123456789abcdef/"]) == frozenset()
