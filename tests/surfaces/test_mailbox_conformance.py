"""Each way in which a payload can be planted as a mail keeps the rules for surfaces."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from tests.surfaces.folders import tree
from tests.surfaces.mailboxes import (
    fill_maildir,
    fill_mbox,
    maildir_text,
    mbox_text,
    server_filling,
)

from rampart import Payload, PayloadFormat
from rampart.surfaces import MailboxSurface
from rampart.testing import SurfaceConformance

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class TestMaildir(SurfaceConformance):
    @pytest.fixture
    def surface(self, tmp_path: Path) -> MailboxSurface:
        self.path = tmp_path / "Maildir"
        fill_maildir(self.path)
        return self.make()

    def make(self) -> MailboxSurface:
        return MailboxSurface(maildir=self.path, max_bytes=2000)

    def snapshot(self) -> Any:
        return tree(self.path)

    def read(self) -> str:
        return maildir_text(self.path)

    def refused_payload(self) -> Payload:
        return Payload(content="x" * 2000, id="long")

    @contextmanager
    def obstruct(self) -> Iterator[None]:
        [planted] = [one for one in (self.path / "new").iterdir() if b"marigold" in one.read_bytes()]
        content = planted.read_bytes()
        planted.unlink()
        planted.mkdir()
        yield
        planted.rmdir()
        planted.write_bytes(content)


class TestMissingMaildir(SurfaceConformance):
    @pytest.fixture
    def surface(self, tmp_path: Path) -> MailboxSurface:
        self.above = tmp_path
        self.path = tmp_path / "of" / "ada" / "Maildir"
        return MailboxSurface(maildir=self.path, folder="Team.News")

    def snapshot(self) -> Any:
        return tree(self.above)

    def read(self) -> str:
        folder = self.path / ".Team.News"
        return maildir_text(folder)

    def refused_payload(self) -> Payload:
        return Payload(content="\ud800", id="no-text")


class TestDelivered(TestMaildir):
    @pytest.fixture
    def surface(self, tmp_path: Path) -> Iterator[MailboxSurface]:
        self.path = tmp_path / "Maildir"
        fill_maildir(self.path)
        with server_filling(self.path) as address:
            yield MailboxSurface(maildir=self.path, smtp=address, max_bytes=2000, arrival_timeout_s=2)


class TestMbox(SurfaceConformance):
    @pytest.fixture
    def surface(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MailboxSurface:
        monkeypatch.setattr("rampart.surfaces.mailbox_lock.PATIENCE_S", 0.05)
        self.path = tmp_path / "inbox"
        fill_mbox(self.path)
        return MailboxSurface(mbox=self.path, max_bytes=2000)

    def snapshot(self) -> Any:
        return {one.name: one.read_bytes() for one in self.path.parent.iterdir()}

    def read(self) -> str:
        return mbox_text(self.path)

    def refused_payload(self) -> Payload:
        return Payload(content="x" * 2000, id="long")

    def disturb(self) -> None:
        """The planted mail becomes part of another one."""
        content = self.path.read_bytes()
        self.path.write_bytes(content.replace(b"\n\nFrom dana", b"\n> From dana"))

    @contextmanager
    def obstruct(self) -> Iterator[None]:
        lock = self.path.with_name("inbox.lock")
        lock.touch()
        yield
        lock.unlink()


class TestMissingMbox(TestMbox):
    @pytest.fixture
    def surface(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MailboxSurface:
        monkeypatch.setattr("rampart.surfaces.mailbox_lock.PATIENCE_S", 0.05)
        self.path = tmp_path / "inbox"
        return MailboxSurface(mbox=self.path, max_bytes=2000)

    def disturb(self) -> None:
        self.path.write_bytes(b"> " + self.path.read_bytes())


class TestTakenBackByTheUser(SurfaceConformance):
    @pytest.fixture
    def surface(self, tmp_path: Path) -> Iterator[MailboxSurface]:
        self.path = tmp_path / "Maildir"
        self.locked = False
        with server_filling(self.path) as address:
            fill_maildir(self.path)
            yield MailboxSurface(smtp=address, remove=self.remove, arrived=self.arrived)

    def _with_id(self, message_id: str) -> list[Path]:
        return [one for one in (self.path / "new").iterdir() if message_id.encode() in one.read_bytes()]

    async def remove(self, message_id: str) -> None:
        if self.locked:
            msg = "the mailbox is locked"
            raise PermissionError(msg)
        for one in self._with_id(message_id):
            one.unlink()

    def arrived(self, message_id: str) -> bool:
        return bool(self._with_id(message_id))

    def snapshot(self) -> Any:
        return tree(self.path)

    def read(self) -> str:
        return maildir_text(self.path)

    def refused_payload(self) -> Payload:
        return Payload(content="\ud800", id="no-text")

    @contextmanager
    def obstruct(self) -> Iterator[None]:
        self.locked = True
        yield
        self.locked = False


class TestBinary(TestMaildir):
    """A file is attached, and text that is no file stands beside it."""

    def make(self) -> MailboxSurface:
        return MailboxSurface(maildir=self.path, placement="attachment", max_bytes=4000)

    def payload(self, *, word: str) -> Payload:
        artifact = self.path.parent / f"{word}.pdf"
        artifact.write_bytes(b"%PDF-1.4\x00\xff " + word.encode())
        return Payload(content="a page", id=f"about-{word}", format=PayloadFormat.PDF, artifact=artifact)

    def refused_payload(self) -> Payload:
        payload = self.payload(word="lost")
        assert payload.artifact is not None
        payload.artifact.unlink()
        return payload
