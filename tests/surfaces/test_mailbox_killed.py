"""A mail that a run which was killed has left is removed by the next run over the mailbox."""

# ruff: noqa: ASYNC240 - the tests look at small files of their own, and nothing runs beside them
import ast
import logging
import mailbox
import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.surfaces.agents import order_payload
from tests.surfaces.mailboxes import maildir_text

from rampart.surfaces import MailboxSurface, mailbox_record

CHILD = """
import ast, asyncio, sys
from rampart import Payload
from rampart.surfaces import MailboxSurface

async def main():
    surface = MailboxSurface(**ast.literal_eval(sys.argv[1]))
    handle = surface.inject(payload=Payload(content="left behind", id="old"))
    await handle.__aenter__()
    print("planted", flush=True)
    await asyncio.sleep(60)

asyncio.run(main())
"""


@pytest.fixture(autouse=True)
def originals(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where records are kept; this process has not looked there yet."""
    folder = tmp_path_factory.mktemp("originals")
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setattr(mailbox_record, "_looked_at", set())
    return folder


@pytest.fixture(params=["maildir", "folder", "mbox"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, Any]:
    """A mailbox with one mail in it."""
    path = tmp_path / "box"
    box: mailbox.Mailbox[Any] = mailbox.mbox(path) if request.param == "mbox" else mailbox.Maildir(path)
    box.add("From: ann@example.com\nMessage-ID: <1@example.com>\n\nHello.\n")
    box.close()
    if request.param == "folder":
        return {"maildir": str(path), "folder": "Archive"}
    return {request.param: str(path)}


def read(place: dict[str, Any]) -> str:
    if "mbox" in place:
        return Path(place["mbox"]).read_text()
    path = Path(place["maildir"])
    return maildir_text(path) + maildir_text(path / ".Archive")


@contextmanager
def planted_elsewhere(place: dict[str, Any]) -> Iterator[None]:
    """Another process plants a mail, and is killed at the end."""
    assert ast.literal_eval(repr(place)) == place
    with subprocess.Popen(
        [sys.executable, "-c", CHILD, repr(place)],
        env={**os.environ, "TMPDIR": tempfile.gettempdir()},
        stdout=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "planted\n"
        try:
            yield
        finally:
            child.kill()


def kill_while_planted(place: dict[str, Any]) -> None:
    with planted_elsewhere(place):
        pass
    assert "left behind" in read(place)


async def plant(place: dict[str, Any]) -> None:
    async with MailboxSurface(**place).inject(payload=order_payload()):
        assert "mallory" in read(place)


async def test_the_next_run_removes_it(
    place: dict[str, Any], originals: Path, caplog: pytest.LogCaptureFixture
) -> None:
    kill_while_planted(place)
    with caplog.at_level(logging.WARNING):
        await plant(place)
    assert "left behind" not in read(place)
    assert "Hello." in read(place)
    assert [*originals.iterdir()] == []
    [said] = caplog.messages
    assert "a run that was killed had left payload 'old' there; the mail <" in said


async def test_what_a_living_process_has_planted_stays(place: dict[str, Any], originals: Path) -> None:
    with planted_elsewhere(place):
        await plant(place)
        assert "left behind" in read(place)
        [record] = originals.iterdir()
        assert stat.S_IMODE(record.stat().st_mode) == 0o600
        assert "left behind" not in record.read_text()


async def test_a_mail_that_is_gone_is_not_spoken_of(
    tmp_path: Path, originals: Path, caplog: pytest.LogCaptureFixture
) -> None:
    place = {"maildir": str(tmp_path / "box")}
    kill_while_planted(place)
    for mail in (tmp_path / "box" / "new").iterdir():
        mail.unlink()
    await plant(place)
    assert [*originals.iterdir()] == []
    assert caplog.messages == []


async def test_a_mail_that_cannot_be_removed_waits_for_the_next_run(
    tmp_path: Path, originals: Path, caplog: pytest.LogCaptureFixture
) -> None:
    place = {"mbox": str(tmp_path / "box")}
    kill_while_planted(place)
    content = Path(place["mbox"]).read_text()
    Path(place["mbox"]).write_text(
        f"From ann Mon Mar  3 09:30:00 2025\nSubject: Fwd\n\n{content[content.index('To:') :]}"
    )
    await plant(place)
    [record] = originals.iterdir()
    assert f"which stays ({record}): ValueError: the mail <" in caplog.text
    Path(place["mbox"]).write_text(content)
    mailbox_record._looked_at.clear()
    await plant(place)
    assert read(place) == ""
    assert [*originals.iterdir()] == []
