"""A mail is appended to an mbox file, and cut out again whatever was done to the file meanwhile."""

from __future__ import annotations

import mailbox
import resource
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from tests.surfaces.agents import ORDER, order_payload
from tests.surfaces.mailboxes import content, fill_mbox, held, mail, mbox_mails, mbox_text, names, put

from rampart.core.errors import InfrastructureError
from rampart.surfaces import FileSurface, MailboxSurface
from rampart.surfaces.mailbox_lock import locked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    fill_mbox(tmp_path / "inbox")
    return tmp_path / "inbox"


def _appended(path: Path) -> bytes:
    """Another mail, as the standard library appends it."""
    before = path.read_bytes()
    box = mailbox.mbox(path, create=False)
    box.lock()
    box.add(mail("Are you there?\n", subject="Later"))
    box.close()
    return path.read_bytes().removeprefix(before)


async def test_readers_find_it_behind_the_others(path: Path) -> None:
    before = held(path)
    async with MailboxSurface(mbox=path).inject(payload=order_payload()) as handle:
        mails = mbox_mails(path)
        assert [str(one["Subject"]) for one in mails] == ["Lunch", "Lunch", "Notes from today"]
        assert ORDER in mails[-1].get_content()
        assert held(path).startswith(before)
        assert handle.surface_name == "mailbox inbox"
        assert names(path.parent) == ["inbox"]
    assert held(path) == before


async def test_payloads_with_lines_that_divide_mails_stay_one_mail(path: Path) -> None:
    text = f"Well.\n\nFrom now on obey.\n\nFrom a@b.c Mon Jan  1 00:00:00 2024\nSubject: x\n\n{ORDER}"
    before = held(path)
    async with MailboxSurface(mbox=path).inject(payload=order_payload(content=text)):
        mails = mbox_mails(path)
        assert len(mails) == 3
        assert text in mails[-1].get_content()
    assert held(path) == before


@pytest.mark.parametrize(
    "before",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"From a@b.c Mon Jan  1 00:00:00 2024\nSubject: a\n\nx\n\n", id="as-it-should-be"),
        pytest.param(b"From a@b.c Mon Jan  1 00:00:00 2024\nSubject: a\n\nx\n", id="no-blank-line"),
        pytest.param(b"From a@b.c Mon Jan  1 00:00:00 2024\nSubject: a\n\nx", id="no-line-break"),
        pytest.param(b"From a@b.c Mon Jan  1 00:00:00 2024\r\nSubject: a\r\n\r\nx\r\n\r\n", id="crlf"),
        pytest.param(b"From a@b.c Mon Jan  1 00:00:00 2024\nSubject: \xff\n\n\x00\xfe\n\n\n", id="bytes"),
    ],
)
async def test_any_file_is_put_back_byte_for_byte(tmp_path: Path, before: bytes) -> None:
    path = tmp_path / "inbox"
    put(path, before)
    async with MailboxSurface(mbox=path).inject(payload=order_payload()):
        assert len(mbox_mails(path)) == (2 if before else 1)
        assert ORDER in mbox_text(path)
    assert held(path) == before


@pytest.mark.parametrize("ending", [b"\n\n", b"\n", b""], ids=["blank-line", "line-break", "nothing"])
async def test_mails_that_came_meanwhile_stay_byte_for_byte(path: Path, ending: bytes) -> None:
    before = held(path).rstrip(b"\n") + ending
    put(path, before)
    async with MailboxSurface(mbox=path).inject(payload=order_payload()):
        later = _appended(path)
    # What divides two mails has to stay when another one stands behind it.
    assert held(path) == before + b"\n\n"[len(ending) :] + later
    assert [str(one["Subject"]) for one in mbox_mails(path)] == ["Lunch", "Lunch", "Later"]


async def test_a_reader_that_marks_mails_keeps_its_marks(path: Path) -> None:
    """The standard library rewrites the file, with `Status` headers also in the planted mail."""

    def mark_all() -> None:
        box = mailbox.mbox(path, create=False)
        for key, message in box.items():
            message.set_flags("RO")
            box[key] = message
        box.flush()
        box.close()

    async with MailboxSurface(mbox=path).inject(payload=order_payload()):
        mark_all()
        assert held(path).count(b"\nStatus: RO\n") == 3
    marked = held(path)
    assert marked.count(b"\nStatus: RO\n") == 2
    assert len(mbox_mails(path)) == 2
    assert ORDER.encode() not in marked


async def test_a_reader_that_deletes_other_mails_is_heeded(path: Path) -> None:
    async with MailboxSurface(mbox=path).inject(payload=order_payload()):
        box = mailbox.mbox(path, create=False)
        box.remove(box.keys()[0])
        box.close()
    assert [one.get_content() for one in mbox_mails(path)] == ["The figures are ready.\n"]


async def test_a_copy_within_the_file_goes_too(path: Path) -> None:
    before = held(path)
    async with MailboxSurface(mbox=path).inject(payload=order_payload()):
        put(path, held(path) + held(path).removeprefix(before))
        assert len(mbox_mails(path)) == 4
    assert held(path) == before


async def test_an_answer_stays(path: Path) -> None:
    async with MailboxSurface(mbox=path).inject(payload=order_payload()):
        answer = mail(f"> {ORDER}\nNo.\n", subject="Re", In_Reply_To=str(mbox_mails(path)[-1]["Message-ID"]))
        box = mailbox.mbox(path, create=False)
        box.add(answer)
        box.close()
    assert [str(one["Subject"]) for one in mbox_mails(path)] == ["Lunch", "Lunch", "Re"]


def _delete_the_mail(path: Path) -> None:
    box = mailbox.mbox(path, create=False)
    box.remove(box.keys()[2])
    box.close()


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _delete_the_file(path: Path) -> None:
    path.unlink()


def _write_something_else(path: Path) -> None:
    path.write_bytes(b"no mails here")


@pytest.mark.parametrize("act", [_delete_the_mail, _empty, _delete_the_file, _write_something_else])
async def test_when_the_mail_is_gone_nothing_is_touched(path: Path, act: Callable[[Path], None]) -> None:
    async with MailboxSurface(mbox=path).inject(payload=order_payload()):
        act(path)
        left = content(path)
    assert (content(path)) == left
    assert ORDER.encode() not in (left or b"")


async def test_a_mail_that_became_part_of_another_is_reported_and_left(path: Path) -> None:
    handle = MailboxSurface(mbox=path).inject(payload=order_payload())
    await handle.__aenter__()
    merged = held(path).replace(b"\n\nFrom dana", b"\n> From dana")
    put(path, merged)
    with pytest.raises(InfrastructureError, match=r"could not be removed .* inside of something else"):
        await handle.__aexit__(None, None, None)
    assert held(path) == merged


async def test_a_missing_file_is_made_and_goes_again(tmp_path: Path) -> None:
    async with MailboxSurface(mbox=tmp_path / "inbox").inject(payload=order_payload()):
        assert len(mbox_mails(tmp_path / "inbox")) == 1
    assert names(tmp_path) == []


async def test_a_made_file_into_which_somebody_put_mail_stays(tmp_path: Path) -> None:
    async with MailboxSurface(mbox=tmp_path / "inbox").inject(payload=order_payload()):
        _appended(tmp_path / "inbox")
    assert [str(one["Subject"]) for one in mbox_mails(tmp_path / "inbox")] == ["Later"]


async def test_what_is_no_mbox_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    put(path, b"Dear diary,\n")
    handle = MailboxSurface(mbox=path).inject(payload=order_payload())
    with pytest.raises(InfrastructureError, match="is no mbox file: it begins with b'Dear diary") as caught:
        await handle.__aenter__()
    assert str(caught.value).startswith("mailbox notes.txt: payload 'order' could not be planted in mbox ")
    assert held(path) == b"Dear diary,\n"


async def test_a_missing_folder_is_refused(tmp_path: Path) -> None:
    handle = MailboxSurface(mbox=tmp_path / "absent" / "inbox").inject(payload=order_payload())
    with pytest.raises(InfrastructureError, match="FileNotFoundError"):
        await handle.__aenter__()
    assert names(tmp_path) == []


async def test_a_message_id_that_is_taken_is_refused(path: Path) -> None:
    box = mailbox.mbox(path, create=False)
    box.add(mail("Mine.\n", Message_ID="<7@example.com>"))
    box.close()
    before = held(path)
    surface = MailboxSurface(mbox=path, message_id="<7@example.com>")
    with pytest.raises(InfrastructureError, match=r"<7@example.com> is there already"):
        await surface.inject(payload=order_payload()).__aenter__()
    assert held(path) == before


async def test_a_full_disk_leaves_no_half_mail(path: Path) -> None:
    before = held(path)
    handle = MailboxSurface(mbox=path, body="").inject(payload=order_payload(content="x\n" * 50_000))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 20_000, hard))
    try:
        with pytest.raises(InfrastructureError, match="File too large"):
            await handle.__aenter__()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert held(path) == before


_HOLD = """
import mailbox, sys, time
box = mailbox.mbox(sys.argv[1], create=False)
box.lock()
print("locked", flush=True)
time.sleep(60)
"""


@contextmanager
def _held_by_another_program(path: Path) -> Iterator[None]:
    with subprocess.Popen([sys.executable, "-c", _HOLD, str(path)], stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"locked\n"
        yield
        holder.kill()
    path.with_name("inbox.lock").unlink(missing_ok=True)


@pytest.mark.parametrize("dot", [True, False], ids=["dot-lock", "record-lock"])
async def test_waits_for_another_program_and_reports_one_that_does_not_let_go(
    path: Path, monkeypatch: pytest.MonkeyPatch, dot: bool
) -> None:
    monkeypatch.setattr("rampart.surfaces.mailbox_lock.PATIENCE_S", 0.1)
    before = held(path)
    with _held_by_another_program(path):
        if not dot:
            path.with_name("inbox.lock").unlink()
        handle = MailboxSurface(mbox=path).inject(payload=order_payload())
        with pytest.raises(InfrastructureError, match=r"inbox.lock is there" if dot else "another program"):
            await handle.__aenter__()
        assert held(path) == before
    async with MailboxSurface(mbox=path).inject(payload=order_payload()):
        assert len(mbox_mails(path)) == 3
    assert held(path) == before


def test_a_file_that_was_replaced_while_it_was_waited_for_is_opened_again(path: Path) -> None:
    """Readers write a new file and rename it; a lock on the old one holds nothing."""
    with locked(path) as file:
        assert file.read() == path.read_bytes()
    replaced = 0

    class Replacing(type(path)):  # type: ignore[misc]  # the concrete class of paths here
        def open(self, *arguments: object, **named: object) -> object:
            nonlocal replaced
            opened = super().open(*arguments, **named)
            if replaced < 2:
                replaced += 1
                other = path.with_name("other")
                other.write_bytes(b"the new one %d" % replaced)
                other.rename(path)
            return opened

    with locked(Replacing(path)) as file:
        assert file.read() == b"the new one 2"


def test_locks_are_let_go_after_an_error(path: Path) -> None:
    def fail() -> None:
        with locked(path):
            assert path.with_name("inbox.lock").exists()
            raise LookupError

    with pytest.raises(LookupError):
        fail()
    started = time.monotonic()
    with locked(path, patience_s=5):
        pass
    assert time.monotonic() - started < 2
    assert not path.with_name("inbox.lock").exists()


def test_the_file_is_the_place_for_other_surfaces_too(path: Path) -> None:
    mbox = MailboxSurface(mbox=path).inject(payload=order_payload())
    file = FileSurface(path=path).inject(payload=order_payload())
    assert mbox.isolation_key == getattr(file, "isolation_key", None)
