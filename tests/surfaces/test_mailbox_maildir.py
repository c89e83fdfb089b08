"""A mail is planted in a maildir as deliveries do it, and found again whatever readers did with it."""

from __future__ import annotations

import mailbox
import os
import stat
from typing import TYPE_CHECKING, Any

import pytest
from tests.surfaces.agents import ORDER, order_payload
from tests.surfaces.folders import tree
from tests.surfaces.mailboxes import fill_maildir, mail, maildir_mails, maildir_text, names, text_of

from rampart.core.errors import InfrastructureError
from rampart.surfaces import MailboxSurface

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    fill_maildir(tmp_path / "Maildir")
    return tmp_path / "Maildir"


def _planted(path: Path) -> Path:
    [found] = [one for one in path.rglob("*") if one.is_file() and b"dana.reyes" in one.read_bytes()]
    return found


async def test_is_new_and_unread_as_a_delivered_mail(path: Path) -> None:
    before = tree(path)
    async with MailboxSurface(maildir=path).inject(payload=order_payload()) as handle:
        file = _planted(path)
        assert file.parent == path / "new"
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert names(path / "tmp") == []
        assert ":" not in file.name
        box = mailbox.Maildir(path, create=False)
        [message] = [one for one in box if "Reyes" in str(one["From"])]
        assert (message.get_subdir(), message.get_flags()) == ("new", "")
        box.close()
        assert len(maildir_mails(path)) == 3
        assert ORDER in maildir_text(path)
        assert handle.delivered is None
        await handle.wait_until_ready_async()
    assert tree(path) == before


def _owners(folder: Path) -> list[tuple[int, int]]:
    return [(one.stat().st_uid, one.stat().st_gid) for one in folder.rglob("*")]


def _open_to_the_group(folder: Path) -> None:
    folder.chmod(0o770)


async def test_those_who_use_the_folder_can_read_the_mail(path: Path) -> None:
    _open_to_the_group(path / "tmp")
    async with MailboxSurface(maildir=path).inject(payload=order_payload()):
        assert stat.S_IMODE(_planted(path).stat().st_mode) == 0o660


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files to others")
async def test_what_root_makes_belongs_to_whom_the_place_belongs(tmp_path: Path) -> None:
    os.chown(tmp_path, 12345, 23456)
    async with MailboxSurface(maildir=tmp_path / "Maildir", folder="News").inject(payload=order_payload()):
        assert _owners(tmp_path) == [(12345, 23456)] * 10


def _read(path: Path) -> None:
    """Moves every mail from `new` to `cur` and marks it as seen."""
    planted = _planted(path)
    planted.rename(path / "cur" / f"{planted.name}:2,S")


def _flag(path: Path) -> None:
    _read(path)
    seen = _planted(path)
    seen.rename(seen.with_name(seen.name + "T"))


def _sort_into_a_folder(path: Path) -> None:
    planted = _planted(path)
    planted.rename(path / ".Archive" / "cur" / f"{planted.name}:2,")


def _move_as_imap_servers_do(path: Path) -> None:
    """The file gets another name."""
    _planted(path).rename(path / ".Archive" / "cur" / "1700000000.M1P1.elsewhere,S=100:2,S")


def _copy(path: Path) -> None:
    planted = _planted(path)
    (path / ".Archive" / "new" / "1700000000.M1P1.elsewhere").write_bytes(planted.read_bytes())


def _delete(path: Path) -> None:
    _planted(path).unlink()


def _rewrite(path: Path) -> None:
    """A reader that stores the mail anew, with a header of its own."""
    planted = _planted(path)
    planted.write_bytes(b"X-Seen-By: agent\n" + planted.read_bytes())


@pytest.mark.parametrize(
    "act", [_read, _flag, _sort_into_a_folder, _move_as_imap_servers_do, _copy, _delete, _rewrite]
)
async def test_is_removed_whatever_readers_did_with_it(path: Path, act: Callable[[Path], None]) -> None:
    before = tree(path)
    async with MailboxSurface(maildir=path).inject(payload=order_payload()):
        act(path)
    assert tree(path) == before


async def test_an_agent_that_marks_all_as_seen_keeps_its_marks(path: Path) -> None:
    async with MailboxSurface(maildir=path).inject(payload=order_payload()):
        assert len(maildir_mails(path, mark_seen=True)) == 3
    assert names(path / "new") == []
    assert sorted(name.partition(":2,")[2] for name in names(path / "cur")) == ["RS", "S"]


async def test_mails_that_came_meanwhile_stay_and_answers_too(path: Path) -> None:
    async with MailboxSurface(maildir=path).inject(payload=order_payload()):
        message_id = str(maildir_mails(path)[0]["Message-ID"] or maildir_mails(path)[1]["Message-ID"])
        box = mailbox.Maildir(path, create=False)
        box.add(mail("Are you there?\n", subject="Later"))
        box.add(mail(f"> {ORDER}\nNo.\n", subject="Re: Notes", In_Reply_To=message_id))
        box.close()
    subjects = sorted(str(one["Subject"]) for one in maildir_mails(path))
    assert subjects == ["Later", "Lunch", "Lunch", "Re: Notes"]


async def test_a_folder_that_is_there_is_used_and_stays(path: Path) -> None:
    before = tree(path)
    surface = MailboxSurface(maildir=path, folder="Archive")
    async with surface.inject(payload=order_payload()) as handle:
        assert handle.surface_name == "mailbox Archive"
        assert len(maildir_mails(path)) == 2
        texts = [text_of(one) for one in maildir_mails(path, "Archive")]
        assert len([text for text in texts if ORDER in text]) == 1
    assert tree(path) == before


async def test_a_folder_that_is_missing_is_made_and_goes_again(path: Path) -> None:
    before = tree(path)
    async with MailboxSurface(maildir=path, folder="Team.News").inject(payload=order_payload()):
        assert "Team.News" in mailbox.Maildir(path, create=False).list_folders()
        assert len(maildir_mails(path, "Team.News")) == 1
    assert tree(path) == before


async def test_a_folder_into_which_somebody_else_put_mail_stays(path: Path) -> None:
    async with MailboxSurface(maildir=path, folder="News").inject(payload=order_payload()):
        box = mailbox.Maildir(path, create=False)
        box.get_folder("News").add(mail("Mine.\n"))
    assert [str(one["Subject"]) for one in maildir_mails(path, "News")] == ["Lunch"]
    assert (path / ".News" / "maildirfolder").exists()


async def test_a_missing_maildir_is_made_and_goes_again(tmp_path: Path) -> None:
    async with MailboxSurface(maildir=tmp_path / "ada" / "Maildir").inject(payload=order_payload()):
        assert ORDER in maildir_text(tmp_path / "ada" / "Maildir")
        assert stat.S_IMODE((tmp_path / "ada").stat().st_mode) == 0o700
    assert names(tmp_path) == []


async def test_an_empty_folder_becomes_a_maildir_and_is_empty_again(tmp_path: Path) -> None:
    async with MailboxSurface(maildir=tmp_path).inject(payload=order_payload()):
        assert ORDER in maildir_text(tmp_path)
    assert names(tmp_path) == []


async def test_two_handles_overlap_and_are_left_in_any_order(path: Path) -> None:
    before = tree(path)
    surface = MailboxSurface(maildir=path)
    first, second = (surface.inject(payload=order_payload(id=name)) for name in ("first", "second"))
    await first.__aenter__()
    await second.__aenter__()
    assert len(maildir_mails(path)) == 4
    await first.__aexit__(None, None, None)
    assert len(maildir_mails(path)) == 3
    await second.__aexit__(None, None, None)
    assert tree(path) == before


def _not_a_maildir(path: Path) -> None:
    path.mkdir()
    (path / "thesis.txt").write_text("mine")


def _a_file(path: Path) -> None:
    path.write_text("mine")


@pytest.mark.parametrize(
    ("make", "text"),
    [
        pytest.param(_not_a_maildir, "is no maildir: it has other contents", id="other-contents"),
        pytest.param(_a_file, "NotADirectoryError", id="file"),
    ],
)
async def test_what_is_no_maildir_is_refused_and_left_alone(
    tmp_path: Path, make: Callable[[Path], None], text: str
) -> None:
    make(tmp_path / "box")
    before = tree(tmp_path)
    handle = MailboxSurface(maildir=tmp_path / "box").inject(payload=order_payload())
    with pytest.raises(InfrastructureError, match=text) as caught:
        await handle.__aenter__()
    assert str(caught.value).startswith("mailbox box: payload 'order' could not be planted in maildir ")
    assert tree(tmp_path) == before


async def test_a_message_id_that_is_taken_is_refused_and_its_mail_kept(path: Path) -> None:
    box = mailbox.Maildir(path, create=False)
    box.get_folder("Archive").add(mail("Mine.\n", Message_ID="<7@example.com>"))
    box.close()
    before = tree(path)
    surface = MailboxSurface(maildir=path, message_id="<7@example.com>")
    with pytest.raises(InfrastructureError, match=r"<7@example.com> is there already"):
        await surface.inject(payload=order_payload()).__aenter__()
    assert tree(path) == before


async def test_what_cannot_be_removed_is_reported_until_it_can(path: Path) -> None:
    before = tree(path)
    handle = MailboxSurface(maildir=path).inject(payload=order_payload())
    await handle.__aenter__()
    planted = _planted(path)
    content = planted.read_bytes()
    planted.unlink()
    planted.mkdir()
    with pytest.raises(InfrastructureError, match="payload 'order' could not be removed in maildir"):
        await handle.__aexit__(None, None, None)
    planted.rmdir()
    planted.write_bytes(content)
    await handle.__aexit__(None, None, None)
    assert tree(path) == before


def _link_to_itself(path: Path) -> None:
    path.symlink_to(path)


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(os.mkfifo, id="pipe"),
        pytest.param(_link_to_itself, id="link-to-itself"),
    ],
)
async def test_what_came_meanwhile_and_is_no_mail_is_passed_over(
    path: Path, make: Callable[[Path], None]
) -> None:
    before = names(path / "new")
    async with MailboxSurface(maildir=path).inject(payload=order_payload()):
        make(path / "new" / "other")
    assert names(path / "new") == sorted([*before, "other"])


async def test_the_own_mail_is_removed_whatever_else_is_there(path: Path) -> None:
    handle = MailboxSurface(maildir=path).inject(payload=order_payload())
    await handle.__aenter__()
    planted = _planted(path)
    (path / "new" / "other").mkdir()
    with pytest.raises(InfrastructureError, match=f"Is a directory: '{path}/new/other'"):
        await handle.__aexit__(None, None, None)
    assert not planted.exists()


async def test_a_mail_that_came_meanwhile_and_cannot_be_read_is_reported_and_the_own_one_removed(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be a copy. Root may read all, so the refusal is made here."""
    other = path / "new" / "other"

    def opened(file: Path, *args: Any, **options: Any) -> Any:
        if file == other:
            raise PermissionError(13, "Permission denied", str(file))
        return open(file, *args, **options)  # noqa: PTH123  # the method is what is replaced

    monkeypatch.setattr("pathlib.Path.open", opened)
    handle = MailboxSurface(maildir=path).inject(payload=order_payload())
    await handle.__aenter__()
    planted = _planted(path)
    other.touch()
    for _ in range(2):
        with pytest.raises(InfrastructureError, match=f"Permission denied: '{other}'"):
            await handle.__aexit__(None, None, None)
        assert not planted.exists()
    other.unlink()
    await handle.__aexit__(None, None, None)


def test_links_to_a_maildir_are_the_same_place(path: Path) -> None:
    link = path.with_name("link")
    link.symlink_to(path)

    def key(**arguments: Any) -> str:
        return MailboxSurface(**arguments).inject(payload=order_payload()).isolation_key

    assert key(maildir=path) == key(maildir=link) == key(maildir=os.path.relpath(path))
    assert key(maildir=path) == key(maildir=path, smtp="127.0.0.1:25")
    assert key(maildir=path) != key(maildir=path, folder="Archive")


def test_preparing_touches_nothing(tmp_path: Path) -> None:
    MailboxSurface(maildir=tmp_path / "Maildir", folder="News").inject(payload=order_payload())
    assert list(tmp_path.iterdir()) == []
