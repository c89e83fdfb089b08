"""Answers that are sent in pieces."""

from __future__ import annotations

import http.client
import socket
import threading
from typing import TYPE_CHECKING

import pytest
from tests.servers.http_clients import ask, nothing_left, raw

from rampart.servers.http_exchange import HttpResponse
from rampart.servers.http_server import HttpServer

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def _nothing_left() -> Iterator[None]:
    with nothing_left():
        yield


def test_pieces_are_one_body_and_the_connection_goes_on() -> None:
    with HttpServer(
        fallback=lambda _: HttpResponse(pieces=iter([b"one ", b"", b"two"]), content_type="text/x")
    ) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
        for _ in range(2):
            connection.request("GET", "/")
            response = connection.getresponse()
            assert (response.read(), response.will_close) == (b"one two", False)
            assert response.headers["content-type"] == "text/x"
        connection.close()
        assert ask(server.port, method="HEAD")[:2] == (200, b"")


def test_each_piece_arrives_before_the_next_is_made() -> None:
    go_on = threading.Event()

    def pieces() -> Iterator[bytes]:
        yield b"first"
        assert go_on.wait(10)
        yield b"second"

    with HttpServer(fallback=lambda _: HttpResponse(pieces=pieces())) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
        connection.request("GET", "/")
        response = connection.getresponse()
        assert response.read1() == b"first"
        go_on.set()
        assert response.read() == b"second"
        connection.close()


def test_clients_of_old_read_to_the_end_of_the_connection() -> None:
    with HttpServer(fallback=lambda _: HttpResponse(pieces=iter([b"a", b"b"]))) as server:
        answer = raw(server.port, b"GET / HTTP/1.0\r\n\r\n")
    assert answer.endswith(b"\r\n\r\nab")
    assert b"chunked" not in answer


def test_an_answer_that_breaks_off_is_no_whole_one(caplog: pytest.LogCaptureFixture) -> None:
    def pieces() -> Iterator[bytes]:
        yield b"half"
        raise ValueError("no more")

    with HttpServer(fallback=lambda _: HttpResponse(pieces=pieces())) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
        connection.request("GET", "/")
        with pytest.raises(http.client.IncompleteRead):
            connection.getresponse().read()
        connection.close()
    assert "broke off" in caplog.text


def test_pieces_are_closed_when_the_client_is_gone() -> None:
    closed = threading.Event()

    def pieces() -> Iterator[bytes]:
        try:
            while True:
                yield b"x" * 65536
        finally:
            closed.set()

    with HttpServer(fallback=lambda _: HttpResponse(pieces=pieces())) as server:
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as client:
            client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            assert client.recv(10)
        assert closed.wait(10)
