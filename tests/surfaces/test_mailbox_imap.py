"""Agents read a maildir over IMAP, from a server that keeps indexes of its own."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from tests.surfaces.agents import ORDER, check_the_three_agents, order_payload
from tests.surfaces.imap_server import DOVECOT, ImapServer, imap_server
from tests.surfaces.mailboxes import fill_maildir, parse, text_of

from rampart.surfaces import MailboxSurface

if TYPE_CHECKING:
    import imaplib
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.skipif(DOVECOT is None, reason="no dovecot: apt-get install dovecot-imapd")


@pytest.fixture(scope="module")
def server() -> Iterator[ImapServer]:
    with imap_server() as server:
        fill_maildir(server.maildir)
        server.give_to_user()
        yield server


def _read(server: ImapServer) -> str:
    """All mails of the inbox and the archive; reading marks them as seen."""
    with server.client() as client:
        return "\n".join(text for box in ("INBOX", "Archive") for text in _texts(client, box))


def _texts(client: imaplib.IMAP4, box: str) -> list[str]:
    client.select(box)
    found: Any = client.search(None, "ALL")[1][0]
    texts = []
    for number in found.split():
        answer: Any = client.fetch(number, "(BODY[])")[1]
        texts.append(text_of(parse(answer[0][1])))
    return texts


def _mails(server: ImapServer) -> dict[str, bytes]:
    """Contents by unique name, without the indexes of the server, and without flags."""
    return {
        f"{path.parent.parent.name}/{path.name.partition(':')[0]}": path.read_bytes()
        for path in server.maildir.rglob("*")
        if path.parent.name in {"new", "cur", "tmp"}
    }


async def test_the_three_agents_read_over_imap(server: ImapServer) -> None:
    before = _mails(server)
    surface = MailboxSurface(maildir=server.maildir)
    await check_the_three_agents(lambda: surface.inject(payload=order_payload()), lambda: _read(server))
    assert _mails(server) == before
    assert ORDER not in _read(server)


def _planted(client: imaplib.IMAP4) -> str:
    client.select("INBOX")
    number: Any = client.search(None, "FROM", "dana.reyes")[1][0]
    return str(number.decode())


def _look(client: imaplib.IMAP4) -> None:
    assert len(_texts(client, "INBOX")) == 3


def _flag(client: imaplib.IMAP4) -> None:
    client.store(_planted(client), "+FLAGS", r"(\Flagged \Answered)")


def _move(client: imaplib.IMAP4) -> None:
    number = _planted(client)
    client.copy(number, "Archive")
    client.store(number, "+FLAGS", r"\Deleted")
    client.expunge()
    assert any(ORDER in text for text in _texts(client, "Archive"))


def _copy(client: imaplib.IMAP4) -> None:
    client.copy(_planted(client), "Archive")
    assert any(ORDER in text for text in _texts(client, "Archive"))


def _delete(client: imaplib.IMAP4) -> None:
    client.store(_planted(client), "+FLAGS", r"\Deleted")
    client.expunge()


@pytest.mark.parametrize("act", [_look, _flag, _move, _copy, _delete])
async def test_is_removed_whatever_was_done_over_imap(
    server: ImapServer, act: Callable[[imaplib.IMAP4], None]
) -> None:
    before = _mails(server)
    async with MailboxSurface(maildir=server.maildir).inject(payload=order_payload()):
        with server.client() as client:
            act(client)
    assert _mails(server) == before
    assert ORDER not in _read(server)


async def test_a_new_folder_is_readable_for_the_server(server: ImapServer) -> None:
    before = _mails(server)
    surface = MailboxSurface(maildir=server.maildir, folder="News.Today")
    async with surface.inject(payload=order_payload()):
        with server.client() as client:
            [text] = _texts(client, "News.Today")
            assert ORDER in text
    assert _mails(server) == before


async def test_a_session_that_stays_open_sees_the_mail_come_and_go(server: ImapServer) -> None:
    with server.client() as client:
        before = _texts(client, "INBOX")
        async with MailboxSurface(maildir=server.maildir).inject(payload=order_payload()):
            assert len(_texts(client, "INBOX")) == len(before) + 1
        assert _texts(client, "INBOX") == before
        assert re.search("OK", client.noop()[0])
