"""A mail that is sent is awaited where it lands, and taken back from there, however the sending went."""

from __future__ import annotations

import asyncio
import mailbox
import threading
from typing import TYPE_CHECKING, Self

import pytest
from tests.surfaces.agents import ORDER, order_payload
from tests.surfaces.folders import tree
from tests.surfaces.mailboxes import (
    fill_maildir,
    fill_mbox,
    held,
    maildir_mails,
    maildir_text,
    mbox_mails,
    parse,
    server_filling,
)

from rampart.core.errors import InfrastructureError
from rampart.servers.smtp_server import SmtpServer
from rampart.surfaces import MailboxSurface

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rampart.servers.received_mail import ReceivedMail


@pytest.fixture
def path(tmp_path: Path) -> Path:
    fill_maildir(tmp_path / "Maildir")
    return tmp_path / "Maildir"


@pytest.fixture
def address(path: Path) -> Iterator[str]:
    with server_filling(path) as address:
        yield address


async def test_is_delivered_found_and_taken_back(path: Path, address: str) -> None:
    before = tree(path)
    surface = MailboxSurface(maildir=path, smtp=address, to="Ada <ada@example.com>")
    async with surface.inject(payload=order_payload(content=f"{ORDER}\n.\n..\nFrom here: Ü")) as handle:
        await handle.wait_until_ready_async()
        assert f"{ORDER}\n.\n..\nFrom here: Ü" in maildir_text(path).replace("\r\n", "\n")
        assert "by way of 127.0.0.1:" in handle.place
    assert tree(path) == before


async def test_the_envelope_is_that_of_the_mail(tmp_path: Path) -> None:
    received: list[ReceivedMail] = []
    with SmtpServer(on_message=received.append) as server:
        surface = MailboxSurface(
            smtp=f"localhost:{server.port}",
            remove=lambda _: None,
            sender="Boss <boss@example.org>",
            to=["ada@example.com", "Bob <bob@example.com>"],
        )
        async with surface.inject(payload=order_payload()) as handle:
            await handle.wait_until_ready_async()
    [mail] = received
    assert (mail.mail_from, mail.rcpt_tos) == ("boss@example.org", ["ada@example.com", "bob@example.com"])
    assert ORDER in mail.message.get_content()


async def test_a_server_that_fills_an_mbox(tmp_path: Path) -> None:
    path = tmp_path / "inbox"
    fill_mbox(path)
    before = held(path)

    def keep(received: ReceivedMail) -> None:
        box = mailbox.mbox(path)
        box.lock()
        box.add(received.content.replace(b"\r\n", b"\n"))
        box.close()

    with SmtpServer(on_message=keep) as server:
        surface = MailboxSurface(mbox=path, smtp=f"127.0.0.1:{server.port}")
        async with surface.inject(payload=order_payload()) as handle:
            await handle.wait_until_ready_async()
            assert ORDER in mbox_mails(path)[-1].get_content()
    assert held(path) == before


class SlowServer:
    """Takes mail at once, and stores it when it is told to."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._taken: list[bytes] = []
        self._server = SmtpServer(on_message=lambda mail: self._taken.append(mail.content))

    def __enter__(self) -> Self:
        self._server.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.stop()

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self._server.port}"

    def store(self) -> None:
        box = mailbox.Maildir(self._path, create=False)
        while self._taken:
            box.add(self._taken.pop())
        box.close()


async def test_readiness_waits_for_the_arrival(path: Path) -> None:
    before = tree(path)
    with SlowServer(path) as server:
        surface = MailboxSurface(maildir=path, smtp=server.address)
        async with surface.inject(payload=order_payload()) as handle:
            waiting = asyncio.ensure_future(handle.wait_until_ready_async())
            done, _ = await asyncio.wait([waiting], timeout=0.1)
            assert not done
            server.store()
            await waiting
            assert len(maildir_mails(path)) == 3
    assert tree(path) == before


async def test_a_mail_that_does_not_arrive_is_an_error_on_the_way_in_and_out(path: Path) -> None:
    with SlowServer(path) as server:
        surface = MailboxSurface(maildir=path, smtp=server.address, arrival_timeout_s=0.05)
        handle = surface.inject(payload=order_payload())
        await handle.__aenter__()
        with pytest.raises(InfrastructureError, match=r"did not become readable in .* within 0.05 s"):
            await handle.wait_until_ready_async()
        with pytest.raises(InfrastructureError, match=r"could not be removed .* did not arrive within"):
            await handle.__aexit__(None, None, None)
        before = tree(path)
        server.store()
        assert tree(path) != before
        await handle.__aexit__(None, None, None)
        assert tree(path) == before


async def test_a_mail_that_arrives_after_the_trial_was_cancelled_is_removed(path: Path) -> None:
    before = tree(path)
    with SlowServer(path) as server:
        handle = MailboxSurface(maildir=path, smtp=server.address).inject(payload=order_payload())
        await handle.__aenter__()
        leaving = asyncio.ensure_future(handle.__aexit__(None, None, None))
        done, _ = await asyncio.wait([leaving], timeout=0.1)
        assert not done
        server.store()
        await leaving
    assert tree(path) == before


async def test_an_agent_that_deletes_the_mail_leaves_nothing_to_wait_for(path: Path, address: str) -> None:
    before = tree(path)
    surface = MailboxSurface(maildir=path, smtp=address, arrival_timeout_s=600)
    async with asyncio.timeout(30), surface.inject(payload=order_payload()) as handle:
        await handle.wait_until_ready_async()
        box = mailbox.Maildir(path, create=False)
        box.remove(next(key for key, one in box.items() if "dana" in str(one["From"])))
        box.close()
    assert tree(path) == before


def _refusing(path: Path, *, after_data: bool) -> SmtpServer:
    def refuse(_mail: ReceivedMail) -> None:
        msg = "no room"
        raise OSError(msg)

    return SmtpServer(on_message=refuse) if after_data else SmtpServer(on_message=refuse, max_bytes=10)


@pytest.mark.parametrize(
    ("after_data", "text"),
    [
        pytest.param(False, "552", id="too-large"),
        pytest.param(True, "451", id="after-the-data"),
    ],
)
async def test_a_server_that_refuses_is_an_error_at_once(path: Path, after_data: bool, text: str) -> None:
    before = tree(path)
    with _refusing(path, after_data=after_data) as server:
        surface = MailboxSurface(maildir=path, smtp=f"127.0.0.1:{server.port}", arrival_timeout_s=600)
        handle = surface.inject(payload=order_payload())
        async with asyncio.timeout(30):
            with pytest.raises(InfrastructureError, match=rf"payload 'order' could not be planted .*{text}"):
                await handle.__aenter__()
    assert tree(path) == before


async def test_a_server_that_is_not_there_is_an_error_at_once(path: Path) -> None:
    before = tree(path)
    server = SmtpServer(on_message=print)
    server.start()
    port = server.port
    server.stop()
    removed: list[str] = []
    for handle in (
        MailboxSurface(maildir=path, smtp=f"127.0.0.1:{port}", arrival_timeout_s=600).inject(
            payload=order_payload()
        ),
        MailboxSurface(smtp=f"127.0.0.1:{port}", remove=removed.append).inject(payload=order_payload()),
    ):
        with pytest.raises(
            InfrastructureError, match=f"ConnectionRefusedError: .* at 127.0.0.1:{port}: start it"
        ):
            await handle.__aenter__()
    assert removed == []
    assert tree(path) == before


async def test_a_connection_that_breaks_after_the_mail_was_taken_leaves_nothing(path: Path) -> None:
    """The server has the mail, and the client cannot know."""
    before = tree(path)

    def keep_and_break(received: ReceivedMail) -> None:
        box = mailbox.Maildir(path, create=False)
        box.add(received.content)
        box.close()
        threading.Thread(target=server.stop).start()
        stopping.wait(10)

    stopping = threading.Event()
    server = SmtpServer(on_message=keep_and_break)
    server.start()
    asyncio.get_running_loop().call_later(0.3, stopping.set)
    handle = MailboxSurface(maildir=path, smtp=f"127.0.0.1:{server.port}").inject(payload=order_payload())
    try:
        async with handle:  # whether the answer still gets through is a matter of luck
            pass
    except InfrastructureError as error:
        assert "could not be planted" in str(error)  # noqa: PT017  # both ends are right
    server.stop()
    assert tree(path) == before


async def test_what_others_get_meanwhile_stays(path: Path, address: str) -> None:
    surface = MailboxSurface(maildir=path, smtp=address)
    async with surface.inject(payload=order_payload()) as handle:
        await handle.wait_until_ready_async()
        async with surface.inject(payload=order_payload(id="second")) as second:
            await second.wait_until_ready_async()
            assert len(maildir_mails(path)) == 4
        assert len(maildir_mails(path)) == 3
    assert len(maildir_mails(path)) == 2


async def test_a_message_id_that_is_taken_is_refused_before_it_is_sent(path: Path, address: str) -> None:
    taken = "<7@example.com>"
    surface = MailboxSurface(maildir=path, smtp=address, message_id=taken)
    async with surface.inject(payload=order_payload()) as handle:
        await handle.wait_until_ready_async()
        with pytest.raises(InfrastructureError, match=f"{taken} is there already"):
            await surface.inject(payload=order_payload()).__aenter__()
        assert len(maildir_mails(path)) == 3


async def test_functions_of_the_user_get_the_message_id(tmp_path: Path) -> None:
    mails: dict[str, str] = {}
    asked: list[str] = []

    def keep(received: ReceivedMail) -> None:
        message = parse(received.content)
        mails[str(message["Message-ID"])] = message.get_content()

    async def arrived(message_id: str) -> bool:
        asked.append(message_id)
        return len(asked) > 2 and message_id in mails

    with SmtpServer(on_message=keep) as server:
        surface = MailboxSurface(smtp=f"127.0.0.1:{server.port}", remove=mails.pop, arrived=arrived)
        async with surface.inject(payload=order_payload()) as handle:
            await handle.wait_until_ready_async()
            assert len(asked) == 3
            assert ORDER in mails[asked[0]]
        assert mails == {}


async def test_a_removal_of_the_user_that_fails_is_reported_and_tried_again() -> None:
    answers = [PermissionError("locked"), None]
    called: list[str] = []

    def remove(message_id: str) -> None:
        called.append(message_id)
        answer = answers.pop(0)
        if answer is not None:
            raise answer

    with SmtpServer(on_message=lambda _: None) as server:
        handle = MailboxSurface(smtp=f"127.0.0.1:{server.port}", remove=remove).inject(
            payload=order_payload()
        )
        await handle.__aenter__()
        with pytest.raises(InfrastructureError, match=r"could not be removed .* PermissionError: locked"):
            await handle.__aexit__(None, None, None)
        await handle.__aexit__(None, None, None)
        await handle.__aexit__(None, None, None)
    assert len(called) == 2
    assert len(set(called)) == 1
