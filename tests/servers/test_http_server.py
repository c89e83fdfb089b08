"""The loopback HTTP server: what it answers, whom it refuses, and how it ends."""

from __future__ import annotations

import http.client
import os
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from tests.servers.http_clients import ask, eventually, nothing_left, raw, refuses, server_threads

from rampart.core.errors import InfrastructureError
from rampart.servers.http_exchange import HttpRequest, HttpResponse
from rampart.servers.http_server import HttpServer

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def _nothing_left() -> Iterator[None]:
    with nothing_left():
        yield


class Seen:
    """Keeps the requests."""

    def __init__(self, response: HttpResponse | None = None) -> None:
        self.requests: list[HttpRequest] = []
        self._response = response or HttpResponse(body=b"seen")

    def __call__(self, request: HttpRequest) -> HttpResponse:
        self.requests.append(request)
        return self._response


def test_answers_by_path() -> None:
    with HttpServer(fallback=Seen(HttpResponse(body=b"other"))) as server:
        server.add("/a b", Seen(HttpResponse(status=201, body=b"one", headers={"X-Y": "z"})))
        status, body, headers = ask(server.port, "/a%20b?x=1#top")
        assert (status, body, headers["x-y"], headers["content-type"]) == (
            201,
            b"one",
            "z",
            "text/plain; charset=utf-8",
        )
        assert ask(server.port, "/a")[1] == b"other"
        server.remove("/a b")
        assert ask(server.port, "/a%20b")[1] == b"other"
    with HttpServer() as server:
        assert ask(server.port, "/")[0] == 404


def test_a_path_is_served_once() -> None:
    server = HttpServer()
    server.add("/x", Seen())
    with pytest.raises(InfrastructureError, match="path /x of the HTTP server is in use"):
        server.add("/x", Seen())
    server.remove("/x")
    server.remove("/x")
    server.add("/x", Seen())


def test_hands_over_what_came() -> None:
    seen = Seen()
    with HttpServer(fallback=seen) as server:
        ask(
            server.port,
            "/caf%C3%A9/x?a=1&b=%26&a=2&c",
            method="PATCH",
            body=b"hello",
            headers={"X-One": "1", "User-Agent": "me"},
        )
        [request] = seen.requests
        assert (request.method, request.target) == ("PATCH", "/caf%C3%A9/x?a=1&b=%26&a=2&c")
        assert (request.path, request.query) == ("/café/x", {"a": ["1", "2"], "b": "&", "c": ""})
        assert (request.body, request.body_size, request.complete) == (b"hello", 5, True)
        assert (request.headers["x-one"], request.headers["user-agent"]) == ("1", "me")
        assert request.client.startswith("127.0.0.1:")
        assert request.received_at.utcoffset() is not None


def test_repeated_headers_and_whole_addresses() -> None:
    seen = Seen()
    with HttpServer(fallback=seen) as server:
        raw(server.port, b"GET http://h:1/p%20q?r=s HTTP/1.1\r\nX: 1\r\nx: 2\r\nConnection: close\r\n\r\n")
    assert seen.requests[0].headers["x"] == "1, 2"
    assert (seen.requests[0].path, seen.requests[0].query) == ("/p q", {"r": "s"})


def test_takes_chunked_bodies() -> None:
    seen = Seen()
    with HttpServer(fallback=seen) as server:
        ask(server.port, method="POST", body=iter([b"one", b"", b"two" * 50_000]))
    assert seen.requests[0].body == b"one" + b"two" * 50_000


def test_serves_many_requests_on_one_connection() -> None:
    with HttpServer(fallback=Seen()) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
        for _ in range(3):
            connection.request("POST", "/", body=b"x")
            response = connection.getresponse()
            assert (response.read(), response.will_close) == (b"seen", False)
        assert len(server_threads()) == 2
        connection.close()


def test_head_has_no_body_and_empty_answers_do_not_hang() -> None:
    sent: list[str] = []
    response = HttpResponse(body=b"12345", on_sent=lambda: sent.append("sent"))
    with HttpServer(fallback=Seen(response)) as server:
        answer = raw(server.port, b"HEAD / HTTP/1.1\r\n\r\n")
        assert b"Content-Length: 5\r\n" in answer
        assert answer.endswith(b"\r\n\r\n")
        assert sent == []
        assert ask(server.port)[1] == b"12345"
        assert sent == ["sent"]
        server.add("/none", Seen(HttpResponse(status=204)))
        assert ask(server.port, "/none")[:2] == (204, b"")


def test_tells_of_what_was_sent_before_the_client_can_know() -> None:
    sent: list[int] = []
    with HttpServer(fallback=lambda _: HttpResponse(body=b"page", on_sent=lambda: sent.append(1))) as server:
        for number in range(1, 200):
            ask(server.port)
            assert len(sent) == number


def test_a_client_that_leaves_early_was_not_sent_all() -> None:
    sent: list[str] = []
    big = HttpResponse(body=b"x" * 50_000_000, on_sent=lambda: sent.append("sent"))
    with HttpServer(fallback=Seen(big)) as server:
        with socket.create_connection(("127.0.0.1", server.port)) as client:
            client.sendall(b"GET / HTTP/1.1\r\n\r\n")
            client.recv(1000)
        assert eventually(lambda: len(server_threads()) == 1)
    assert sent == []


def test_a_client_that_does_not_fetch_its_answer_is_given_up() -> None:
    sent: list[str] = []
    big = HttpResponse(body=b"x" * 50_000_000, on_sent=lambda: sent.append("sent"))
    with (
        HttpServer(fallback=Seen(big), answer_s=0.1) as server,
        socket.create_connection(("127.0.0.1", server.port)) as client,
    ):
        client.sendall(b"GET / HTTP/1.1\r\n\r\n")
        assert eventually(lambda: len(server_threads()) == 2)
        assert eventually(lambda: len(server_threads()) == 1)
    assert sent == []


@pytest.mark.parametrize(
    ("headers", "body", "status"),
    [
        pytest.param("Content-Length: 11", b"x" * 11, 413, id="too-long"),
        pytest.param(
            "Transfer-Encoding: chunked", b"6\r\nxxxxxx\r\n5\r\nxxxxx\r\n0\r\n\r\n", 413, id="chunked"
        ),
        pytest.param("Content-Length: 5", b"xx", 400, id="broken-off"),
        pytest.param("Content-Length: -5", b"xxxxx", 400, id="negative"),
        pytest.param("Content-Length: 1\r\nContent-Length: 2", b"xx", 400, id="two-lengths"),
        pytest.param("Transfer-Encoding: gzip", b"xx", 400, id="unknown-encoding"),
        pytest.param("Transfer-Encoding: chunked", b"zz\r\n", 400, id="no-size"),
        pytest.param("Transfer-Encoding: chunked", b"1\r\nxxxx\r\n0\r\n\r\n", 400, id="long-chunk"),
        pytest.param(
            "Transfer-Encoding: chunked", b"0\r\n" + b"a: b\r\n" * 101 + b"\r\n", 400, id="trailers"
        ),
        pytest.param("Transfer-Encoding: chunked", b"1;" + b"x" * 10_000, 400, id="long-line"),
    ],
)
def test_bodies_it_does_not_take(headers: str, body: bytes, status: int) -> None:
    seen, partial = Seen(), Seen()
    request = f"POST / HTTP/1.1\r\n{headers}\r\n\r\n".encode() + body
    with HttpServer(fallback=seen, max_body_bytes=10) as server:
        assert raw(server.port, request).startswith(f"HTTP/1.1 {status} ".encode())
    assert seen.requests == []
    with HttpServer(fallback=partial, max_body_bytes=10, partial_bodies=True) as server:
        assert raw(server.port, request).startswith(b"HTTP/1.1 200 ")
    [kept] = partial.requests
    assert len(kept.body) == min(kept.body_size, 10)
    assert kept.complete is (status == 413)


@pytest.mark.parametrize("partial_bodies", [False, True])
def test_what_follows_a_body_without_an_end_is_no_request(*, partial_bodies: bool) -> None:
    seen = Seen()
    with HttpServer(fallback=seen, partial_bodies=partial_bodies) as server:
        raw(
            server.port,
            b"POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nGET /b HTTP/1.1\r\n\r\n",
        )
    assert [request.path for request in seen.requests] == ["/a"] * partial_bodies


def test_a_body_that_may_be_cut_is_read_to_its_end() -> None:
    seen = Seen()
    with HttpServer(fallback=seen, max_body_bytes=10, partial_bodies=True) as server:
        assert ask(server.port, method="POST", body=b"y" * 3_000_000)[0] == 200
    [request] = seen.requests
    assert (request.body, request.body_size, request.complete) == (b"y" * 10, 3_000_000, True)


@pytest.mark.parametrize(
    ("data", "answer"),
    [
        pytest.param(b"\x16\x03\x01\x02\x00\x01", b"HTTP/1.1 400 ", id="tls"),
        pytest.param(b"nonsense\r\n\r\n", b"HTTP/1.1 400 ", id="no-target"),
        pytest.param(b"GET / HTTP/9.9\r\n\r\n", b"HTTP/1.1 505 ", id="version"),
        pytest.param(b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n", b"HTTP/1.1 414 ", id="long-line"),
        pytest.param(
            b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 200 + b"\r\n", b"HTTP/1.1 431 ", id="many-headers"
        ),
        pytest.param(b"GET / HT", b"", id="broken-off"),
    ],
)
def test_what_is_no_request_is_refused_and_told(data: bytes, answer: bytes) -> None:
    told: list[str] = []
    seen = Seen()
    with HttpServer(fallback=seen, on_unreadable=told.append) as server:
        assert raw(server.port, data).startswith(answer)
        assert len(told) == 1
        assert raw(server.port, b"") == b""  # connecting and leaving is nothing to tell
        assert ask(server.port)[0] == 200
    assert (len(told), len(seen.requests)) == (1, 1)


@pytest.mark.parametrize(
    "beginning",
    [
        pytest.param(b"", id="silent"),
        pytest.param(b"GET / HTTP/1.1\r\nX-A: ", id="in-its-headers"),
        pytest.param(b"POST / HTTP/1.1\r\nContent-Length: 10000\r\n\r\n", id="in-its-body"),
    ],
)
def test_a_client_that_hangs_keeps_no_thread(beginning: bytes) -> None:
    """Also one that sends a byte now and then, so that no single read takes long."""
    with (
        HttpServer(fallback=Seen(), request_s=0.15, idle_s=0.1) as server,
        socket.create_connection(("127.0.0.1", server.port), timeout=10) as client,
    ):
        started = time.monotonic()
        client.sendall(beginning)
        assert eventually(lambda: len(server_threads()) == 2)
        while len(server_threads()) == 2 and time.monotonic() < started + 5:
            if beginning:
                try:
                    client.sendall(b"a")
                except OSError:
                    break
            time.sleep(0.02)
        assert eventually(lambda: len(server_threads()) == 1)
        assert time.monotonic() - started < 3


def test_an_answer_that_fails_is_one_500(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    def fails(_request: HttpRequest) -> HttpResponse:
        msg = "broken"
        raise KeyError(msg)

    with HttpServer() as server:
        server.add("/f", fails)
        assert ask(server.port, "/f")[:2] == (500, b"the answer failed")
        assert ask(server.port, "/")[0] == 404
    assert "the answer to GET /f failed" in caplog.text
    assert capfd.readouterr() == ("", "")


def test_a_port_in_use_is_named() -> None:
    with (
        HttpServer() as first,
        pytest.raises(InfrastructureError, match=rf"127.0.0.1:{first.port}: .*in use.*take port 0"),
        HttpServer(port=first.port),
    ):
        pass


def test_a_stated_port_can_be_taken_again_at_once() -> None:
    with HttpServer(fallback=Seen()) as server:
        port = server.port
        ask(port)
    for _ in range(3):
        with HttpServer(port=port, fallback=Seen()) as server:
            assert ask(port)[0] == 200
    assert refuses(port)


@pytest.mark.parametrize(
    ("port", "error", "text"),
    [
        pytest.param(-1, ValueError, "between 0 and 65535, got -1", id="negative"),
        pytest.param(65536, ValueError, "between 0 and 65535", id="too-high"),
        pytest.param("80", TypeError, "must be an int, got '80'", id="text"),
        pytest.param(True, TypeError, "must be an int", id="bool"),
    ],
)
def test_what_is_no_port(port: int, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        HttpServer(port=port)


def test_a_bound_port_is_held_and_refuses_until_the_start() -> None:
    server = HttpServer(fallback=Seen())
    with pytest.raises(InfrastructureError, match="has no port; bind or start it"):
        _ = server.port
    server.bind()
    port = server.port
    assert refuses(port)
    with pytest.raises(InfrastructureError, match="cannot listen"):
        HttpServer(port=port).start()
    server.start()
    assert server.url == f"http://127.0.0.1:{port}"
    assert ask(port)[0] == 200
    with pytest.raises(InfrastructureError, match="runs already"):
        server.start()
    server.stop()
    server.stop()
    assert refuses(port)


def test_ends_with_open_connections() -> None:
    with HttpServer(fallback=Seen()) as server:
        connections = [http.client.HTTPConnection("127.0.0.1", server.port, timeout=10) for _ in range(20)]
        for connection in connections:
            connection.request("GET", "/")
            connection.getresponse().read()
        assert len(server_threads()) == 21
        started = time.monotonic()
    assert time.monotonic() - started < 0.4
    for connection in connections:
        assert connection.sock.recv(10) == b""
        connection.close()


def test_lets_requests_in_progress_finish() -> None:
    begun, go = threading.Event(), threading.Event()

    def slow(_request: HttpRequest) -> HttpResponse:
        begun.set()
        go.wait(10)
        return HttpResponse(body=b"done")

    with ThreadPoolExecutor(1) as pool:
        with HttpServer(fallback=slow) as server:
            answer = pool.submit(ask, server.port)
            assert begun.wait(10)
            threading.Timer(0.1, go.set).start()
        assert answer.result(10)[1] == b"done"


def test_hears_those_who_connected_before_the_end() -> None:
    seen = Seen()
    for _ in range(50):
        with HttpServer(fallback=seen) as server:
            client = socket.create_connection(("127.0.0.1", server.port))
            client.sendall(b"GET / HTTP/1.1\r\n\r\n")
        client.close()
    assert len(seen.requests) == 50


def test_an_answer_that_hangs_is_told_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rampart.servers.http_listener._PATIENCE_S", 0.1)
    begun, go = threading.Event(), threading.Event()

    def hangs(_request: HttpRequest) -> HttpResponse:
        begun.set()
        go.wait(10)
        return HttpResponse()

    server = HttpServer(fallback=hangs)
    server.start()
    with socket.create_connection(("127.0.0.1", server.port)) as client:
        client.sendall(b"GET / HTTP/1.1\r\n\r\n")
        assert begun.wait(10)
        with pytest.raises(InfrastructureError, match="one of its answers still runs"):
            server.stop(grace_s=0.1)
        go.set()
        assert eventually(lambda: not server_threads())


_FORKS = """
import http.client, os, urllib.request
from rampart.servers.http_exchange import HttpResponse
from rampart.servers.http_server import HttpServer

server = HttpServer(fallback=lambda request: HttpResponse(body=b"served"))
server.start()
client = http.client.HTTPConnection(server.address, timeout=10)
client.request("GET", "/")
client.getresponse().read()
child = os.fork()
if child == 0:
    server.stop()
    os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
client.request("GET", "/")
print(client.getresponse().read(), urllib.request.urlopen(server.url, timeout=10).read())
server.stop()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_ends_nothing_of_its_parent() -> None:
    command = [sys.executable, "-W", "ignore", "-c", _FORKS]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (ran.stdout, ran.stderr) == ("7\nb'served' b'served'\n", "")


def test_many_clients_at_once() -> None:
    seen = Seen()
    with HttpServer(fallback=seen) as server, ThreadPoolExecutor(100) as pool:
        statuses = list(
            pool.map(lambda n: ask(server.port, f"/{n}", method="POST", body=b"x" * n)[0], range(400))
        )
    assert statuses == [200] * 400
    assert sorted(len(request.body) for request in seen.requests) == list(range(400))
