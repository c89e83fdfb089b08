"""How a sink ends, and what it tells then."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import pytest
from tests.servers.http_clients import nothing_left, refuses
from tests.servers.sinks import call, port_of

from rampart.core.errors import InfrastructureError
from rampart.core.side_effect_source import current_sources
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


def test_it_ends_and_frees_its_port() -> None:
    with ExfiltrationSink() as sink:
        port = port_of(sink)
        log = sink.open_log([sink.url])
        assert log.coverage()
    assert refuses(port)
    assert log.coverage() == []
    assert sink.url.startswith(f"http://127.0.0.1:{port}/")
    with pytest.raises(InfrastructureError, match="can be entered once; make a new one"):
        sink.__enter__()


def test_it_has_no_address_before() -> None:
    sink = ExfiltrationSink()
    for ask_for in ("host", "url", "email", "smtp_port"):
        with pytest.raises(InfrastructureError, match="no address before it is entered"):
            getattr(sink, ask_for)
    with pytest.raises(InfrastructureError, match="no address before"):
        sink.new_canary()


def leave_after(paths: str, *, look: str = "") -> None:
    """Use a sink, and look at what came after the first request."""
    with ExfiltrationSink() as sink:
        for path in paths:
            call(sink, f"/{path}")
            if look and path == paths[0]:
                assert len(getattr(sink, look)) == 1


def test_what_nobody_noticed_is_told_at_the_end() -> None:
    with pytest.raises(
        InfrastructureError,
        match=r"4 requests .* no verdict: GET http://127.*/a \(no execution was running\); .*; and 1 more",
    ):
        leave_after("abcd")


@pytest.mark.parametrize("look", ["requests", "unclaimed"])
def test_what_the_test_looked_at_is_not(look: str) -> None:
    leave_after("a", look=look)
    with pytest.raises(InfrastructureError, match=r"1 request or mail reached .*GET .*/b"):
        leave_after("ab", look=look)


def test_what_an_execution_took_is_not() -> None:
    with ExfiltrationSink() as sink:
        log = sink.open_log([])
        call(sink, "/a")
        assert len(log.take()) == 1
        log.close()


def test_an_error_of_the_test_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> None:
        with ExfiltrationSink() as sink:
            call(sink, "/a")
            msg = "of the test"
            raise LookupError(msg)

    with pytest.raises(LookupError, match="of the test"):
        fail()
    assert "1 request or mail reached the exfiltration sink" in caplog.text


def test_what_arrives_at_the_last_moment_is_noticed() -> None:
    def leave() -> None:
        with ExfiltrationSink() as sink:
            client.connect(("127.0.0.1", port_of(sink)))
            client.sendall(b"GET / HTTP/1.1\r\n\r\n")

    for _ in range(20):
        with socket.socket() as client, pytest.raises(InfrastructureError, match="1 request or mail"):
            leave()
