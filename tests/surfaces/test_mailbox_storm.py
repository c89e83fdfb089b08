"""Attacks by mail, many at once, of which some fail, leave every mailbox as it was."""

from pathlib import Path

import pytest
from tests.surfaces.folders import tree
from tests.surfaces.mailboxes import fill_maildir, fill_mbox, maildir_text, mbox_text
from tests.surfaces.storm import Storm, every_size

from rampart import InjectionHandle, Payload
from rampart.surfaces import MailboxSurface


def storm(folder: Path, kind: str, trials: int) -> Storm:
    is_maildir = kind == "maildir"
    for number in range(0, trials, 2):  # every other one is missing at first
        (fill_maildir if is_maildir else fill_mbox)(folder / f"box{number}")

    def make_handle(number: int, payload: Payload) -> InjectionHandle:
        path = folder / f"box{number}"
        surface = MailboxSurface(maildir=path) if is_maildir else MailboxSurface(mbox=path)
        return surface.inject(payload=payload)

    def read(number: int) -> str:
        return (maildir_text if is_maildir else mbox_text)(folder / f"box{number}")

    def snapshot() -> object:
        return tree(folder) if is_maildir else {one.name: one.read_bytes() for one in folder.iterdir()}

    return Storm(make_handle=make_handle, read=read, snapshot=snapshot, fault_s=1, trials=trials)


@every_size
@pytest.mark.parametrize("kind", ["maildir", "mbox"])
def test_a_mailbox_each(tmp_path: Path, kind: str, trials: int) -> None:
    storm(tmp_path, kind, trials).rage(seed=61)


@every_size
@pytest.mark.parametrize("kind", ["maildir", "mbox"])
def test_cancelled_as_a_whole(tmp_path: Path, kind: str, trials: int) -> None:
    assert storm(tmp_path, kind, trials).cancel(seed=62, rounds=3)


@every_size
def test_one_maildir_for_all(tmp_path: Path, trials: int) -> None:
    path = tmp_path / "Maildir"
    fill_maildir(path)
    surface = MailboxSurface(maildir=path)
    Storm(
        make_handle=lambda _number, payload: surface.inject(payload=payload),
        read=lambda _number: maildir_text(path),
        snapshot=lambda: tree(path),
        trials=trials,
    ).rage(seed=63)
