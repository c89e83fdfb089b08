"""The server takes what a real client sends, refuses what is too long, and leaves nothing running."""

import asyncio
import gc
import smtplib
import socket
import sys
import threading
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from email.message import EmailMessage

import pytest

from rampart.core.errors import ConfigurationError, InfrastructureError
from rampart.servers.received_mail import ReceivedMail
from rampart.servers.smtp_server import SmtpServer


def _mail(text: str = "Hello.\n") -> EmailMessage:
    message = EmailMessage()
    message["From"] = "Ada <ada@example.com>"
    message["To"] = "bob@example.com"
    message["Subject"] = "Tea"
    message.set_content(text)
    return message


def _send(port: int, message: EmailMessage) -> None:
    with smtplib.SMTP("127.0.0.1", port, timeout=10) as client:
        client.send_message(message)


def _server_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith("rampart-smtp-")]


@pytest.fixture
def received() -> list[ReceivedMail]:
    return []


def test_hands_over_envelope_bytes_and_peer(received: list[ReceivedMail]) -> None:
    with (
        SmtpServer(on_message=received.append) as server,
        smtplib.SMTP("127.0.0.1", server.port, timeout=10) as client,
    ):
        assert client.sock is not None
        peer = client.sock.getsockname()
        client.sendmail(
            "ada@example.com", ["bob@example.com", "cy@example.com"], b"Subject: Tea\r\n\r\n.dot\r\n"
        )
    [mail] = received
    assert (mail.mail_from, mail.rcpt_tos) == ("ada@example.com", ["bob@example.com", "cy@example.com"])
    assert mail.content == b"Subject: Tea\r\n\r\n.dot\r\n"
    assert mail.peer == peer


def test_the_message_is_parsed(received: list[ReceivedMail]) -> None:
    with SmtpServer(on_message=received.append) as server:
        _send(server.port, _mail("Grüße\n"))
    message = received[0].message
    assert message["Subject"] == "Tea"
    assert message["From"].addresses[0].addr_spec == "ada@example.com"
    assert message.get_content().strip() == "Grüße"


def test_bytes_that_are_no_mail_are_parsed_without_an_error(received: list[ReceivedMail]) -> None:
    with (
        SmtpServer(on_message=received.append) as server,
        smtplib.SMTP("127.0.0.1", server.port, timeout=10) as client,
    ):
        client.sendmail("ada@example.com", "bob@example.com", b"\xff\x00 no header at all")
    assert received[0].message.get_payload() is not None
    assert received[0].content.startswith(b"\xff\x00")


@pytest.mark.parametrize(
    ("sender", "recipient"),
    [
        pytest.param("", "bob@example.com", id="null-sender"),
        pytest.param("ada@example.com", "anybody@nowhere.invalid", id="unknown-domain"),
        pytest.param("müller@example.com", "bob@example.com", id="address-beyond-ascii"),
    ],
)
def test_every_envelope_is_taken(received: list[ReceivedMail], sender: str, recipient: str) -> None:
    with (
        SmtpServer(on_message=received.append) as server,
        smtplib.SMTP("127.0.0.1", server.port, timeout=10) as client,
    ):
        options = [] if sender.isascii() else ["SMTPUTF8"]
        client.sendmail(sender, recipient, b"Subject: x\n\nx\n", mail_options=options)
    assert (received[0].mail_from, received[0].rcpt_tos) == (sender, [recipient])


def test_every_login_is_taken(received: list[ReceivedMail]) -> None:
    with (
        SmtpServer(on_message=received.append) as server,
        smtplib.SMTP("127.0.0.1", server.port, timeout=10) as client,
    ):
        client.login("agent", "any password")
        client.send_message(_mail())
    assert len(received) == 1


def test_a_line_of_any_length_is_taken(received: list[ReceivedMail]) -> None:
    with (
        SmtpServer(on_message=received.append) as server,
        smtplib.SMTP("127.0.0.1", server.port, timeout=10) as client,
    ):
        client.sendmail("ada@example.com", "bob@example.com", b"Subject: x\n\n" + b"a" * 500_000)
    assert received[0].content.count(b"a") == 500_000


@pytest.mark.parametrize(
    "body", [pytest.param(b"a\n" * 3_000, id="lines"), pytest.param(b"a" * 6_000, id="line")]
)
def test_a_mail_over_the_bound_is_refused_and_the_next_one_taken(
    received: list[ReceivedMail], body: bytes
) -> None:
    with (
        SmtpServer(on_message=received.append, max_bytes=4_000) as server,
        smtplib.SMTP("127.0.0.1", server.port, timeout=10) as client,
    ):
        client.helo()  # not EHLO: the client states no size beforehand, so that the server has to count
        with pytest.raises(smtplib.SMTPDataError, match=r"500|552"):
            client.sendmail("ada@example.com", "bob@example.com", body)
        client.sendmail("ada@example.com", "bob@example.com", b"a" * 3_000)
    assert [len(mail.content) for mail in received] == [3_002]


def test_a_bound_on_mails_is_none_on_commands(received: list[ReceivedMail]) -> None:
    with (
        SmtpServer(on_message=received.append, max_bytes=1) as server,
        smtplib.SMTP("127.0.0.1", server.port, timeout=10) as client,
    ):
        client.helo("a-rather-long-name-of-a-client.example.com")
        with pytest.raises(smtplib.SMTPDataError, match="552"):
            client.sendmail("ada@example.com", "bob@example.com", b"ab\r\n")
    assert received == []


def test_a_stated_size_over_the_bound_is_refused_at_once(received: list[ReceivedMail]) -> None:
    with (
        SmtpServer(on_message=received.append, max_bytes=1_000) as server,
        pytest.raises(smtplib.SMTPSenderRefused, match="552"),
    ):
        _send(server.port, _mail("x" * 2_000))
    assert received == []


def test_a_receiver_that_raises_is_told_to_the_client_and_the_server_goes_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    taken: list[ReceivedMail] = []

    def picky(mail: ReceivedMail) -> None:
        if "refuse" in mail.message.get_content():
            msg = "no room left"
            raise RuntimeError(msg)
        taken.append(mail)

    with SmtpServer(on_message=picky) as server:
        with pytest.raises(smtplib.SMTPDataError, match="451"):
            _send(server.port, _mail("refuse me\n"))
        _send(server.port, _mail())
    assert len(taken) == 1
    assert "no room left" in caplog.text


def test_many_clients_at_once_are_all_heard(received: list[ReceivedMail]) -> None:
    with SmtpServer(on_message=received.append) as server, ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda i: _send(server.port, _mail(f"number {i}\n")), range(60)))
    numbers = [mail.message.get_content().strip() for mail in received]
    assert sorted(numbers) == sorted(f"number {i}" for i in range(60))


async def test_serves_a_client_that_blocks_the_event_loop(received: list[ReceivedMail]) -> None:
    with SmtpServer(on_message=received.append) as server:
        _send(server.port, _mail())
    assert len(received) == 1


def _idle(client: socket.socket) -> None:
    client.recv(1000)


def _in_the_middle_of_data(client: socket.socket) -> None:
    client.recv(1000)
    for line in (b"HELO x", b"MAIL FROM:<a@example.com>", b"RCPT TO:<b@example.com>", b"DATA"):
        client.sendall(line + b"\r\n")
        client.recv(1000)
    client.sendall(b"half a mail")


def _just_connected(_client: socket.socket) -> None:
    pass


@pytest.mark.parametrize("act", [_just_connected, _idle, _in_the_middle_of_data])
def test_stop_cuts_open_connections_and_leaves_no_thread_and_no_socket(
    received: list[ReceivedMail], act: Callable[[socket.socket], None]
) -> None:
    server = SmtpServer(on_message=received.append)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        server.start()
        port = server.port
        with socket.create_connection(("127.0.0.1", port), timeout=10) as client:
            act(client)
            server.stop()
            try:
                while client.recv(1000):
                    pass
            except ConnectionResetError:
                pass
        gc.collect()
    assert [str(one.message) for one in seen] == []
    assert _server_threads() == []
    assert received == []
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=10)


def test_stop_may_be_called_twice_and_before_start(received: list[ReceivedMail]) -> None:
    server = SmtpServer(on_message=received.append)
    server.stop()
    server.start()
    server.stop()
    server.stop()
    server.start()
    _send(server.port, _mail())
    server.stop()
    assert len(received) == 1


def test_stop_says_when_a_receiver_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rampart.servers.smtp_server._STOP_PATIENCE_S", 0.05)
    entered, release = threading.Event(), threading.Event()

    def hang(_mail: ReceivedMail) -> None:
        entered.set()
        release.wait(30)

    server = SmtpServer(on_message=hang)
    server.start()
    with ThreadPoolExecutor(1) as pool:
        sending = pool.submit(_send, server.port, _mail())
        assert entered.wait(10)
        with pytest.raises(InfrastructureError, match="on_message function hang"):
            server.stop()
        release.set()
        server.stop()
        sending.exception(10)
    assert _server_threads() == []


def test_a_port_in_use_is_refused_by_name(received: list[ReceivedMail]) -> None:
    with SmtpServer(on_message=received.append) as first:
        second = SmtpServer(on_message=received.append, port=first.port)
        with pytest.raises(InfrastructureError, match=f"cannot listen on 127.0.0.1:{first.port}"):
            second.start()
        assert len(_server_threads()) == 1


def test_a_second_start_and_a_port_without_a_start_are_refused(received: list[ReceivedMail]) -> None:
    server = SmtpServer(on_message=received.append)
    with pytest.raises(InfrastructureError, match="not running"):
        _ = server.port
    with server, pytest.raises(InfrastructureError, match="runs already"):
        server.start()


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        pytest.param({"on_message": None}, TypeError, "takes a ReceivedMail", id="no-function"),
        pytest.param({"port": "25"}, TypeError, "port must be an int, got '25'", id="port-text"),
        pytest.param({"port": True}, TypeError, "port must be an int, got True", id="port-bool"),
        pytest.param({"port": -1}, ValueError, "between 0 and 65535, got -1", id="port-negative"),
        pytest.param({"port": 65536}, ValueError, "between 0 and 65535, got 65536", id="port-too-high"),
        pytest.param({"max_bytes": 0}, ValueError, "max_bytes must be at least 1, got 0", id="no-room"),
        pytest.param({"max_bytes": 1.5}, TypeError, "max_bytes must be an int, got 1.5", id="half-a-byte"),
    ],
)
def test_bad_arguments_are_refused(arguments: dict[str, object], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        SmtpServer(**{"on_message": print, **arguments})  # type: ignore[arg-type]  # what is refused


def test_without_the_library_the_install_line_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "rampart.servers.smtp_connection", raising=False)
    monkeypatch.setitem(sys.modules, "aiosmtpd.smtp", None)
    with pytest.raises(ConfigurationError, match=r'pip install "rampart\[smtp\]"'):
        SmtpServer(on_message=print)


async def test_starts_and_stops_within_a_running_event_loop(received: list[ReceivedMail]) -> None:
    with SmtpServer(on_message=received.append) as server:
        await asyncio.to_thread(_send, server.port, _mail())
    assert len(received) == 1
    assert _server_threads() == []
