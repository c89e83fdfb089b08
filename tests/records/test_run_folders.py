"""Names of runs, the folders they get, and which of them go."""

from __future__ import annotations

import datetime as dt
import logging
import os
import re
import shutil
import stat
from typing import TYPE_CHECKING

import pytest

from rampart.records.run_folders import is_run_id, make_run_folder, new_run_id, prune_runs

if TYPE_CHECKING:
    from pathlib import Path

RUN_ID = "2026-04-25T14-30-00-0123abcd"
needs_posix = pytest.mark.skipif(os.name != "posix", reason="permissions and links of POSIX")


def run_ids(count: int) -> list[str]:
    return [f"2026-04-{day:02d}T00-00-00-00000000" for day in range(1, count + 1)]


def make_runs(root: Path, names: list[str]) -> Path:
    runs = root / ".rampart" / "runs"
    for name in names:
        (runs / name).mkdir(parents=True)
        (runs / name / "results.jsonl").write_text("{}\n")
    return runs


def names_in(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def test_a_run_id_says_when_and_is_unique() -> None:
    before = dt.datetime.now(dt.UTC).replace(microsecond=0)
    first, second = new_run_id(), new_run_id()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-[0-9a-f]{8}", first)
    assert first != second
    said = dt.datetime.strptime(first[:-9], "%Y-%m-%dT%H-%M-%S").replace(tzinfo=dt.UTC)
    assert before <= said <= dt.datetime.now(dt.UTC)
    assert is_run_id(first)


@pytest.mark.parametrize(
    "name",
    ["", "..", "payloads", f"{RUN_ID}x", RUN_ID.upper(), f"{RUN_ID}\n", "2026-04-25T14:30:00-0123abcd"],
)
def test_other_names_are_no_run_ids(name: str) -> None:
    assert is_run_id(RUN_ID)
    assert not is_run_id(name)


def test_a_new_folder_of_runs_is_hidden_from_git_and_its_neighbours_are_not(tmp_path: Path) -> None:
    make_run_folder(tmp_path, RUN_ID)
    assert (tmp_path / ".rampart" / "runs" / ".gitignore").read_text() == "*\n"
    assert names_in(tmp_path / ".rampart") == ["runs"]


def test_a_folder_of_runs_that_is_there_is_left_as_it_is(tmp_path: Path) -> None:
    runs = make_runs(tmp_path, [RUN_ID])
    folder = make_run_folder(tmp_path, RUN_ID)
    assert folder == runs / RUN_ID
    assert names_in(runs) == [RUN_ID]


@needs_posix
def test_folders_are_for_the_owner_only(tmp_path: Path) -> None:
    folder = make_run_folder(tmp_path, RUN_ID)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(folder.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize("blocked", [".rampart", ".rampart/runs", f".rampart/runs/{RUN_ID}"])
def test_a_file_in_the_way_is_an_error(tmp_path: Path, blocked: str) -> None:
    (tmp_path / blocked).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / blocked).write_text("here first")
    with pytest.raises(OSError, match="exists"):
        make_run_folder(tmp_path, RUN_ID)
    assert (tmp_path / blocked).read_text() == "here first"


@pytest.mark.parametrize(
    ("keep", "left"),
    [
        pytest.param(2, run_ids(5)[-2:], id="the-newest-stay"),
        pytest.param(5, run_ids(5), id="exactly-as-many"),
        pytest.param(50, run_ids(5), id="fewer-than-that"),
        pytest.param(0, run_ids(5), id="zero-keeps-all"),
    ],
)
def test_runs_beyond_the_newest_go(tmp_path: Path, keep: int, left: list[str]) -> None:
    runs = make_runs(tmp_path, run_ids(5))
    prune_runs(tmp_path, keep=keep, current=RUN_ID)
    assert names_in(runs) == left


def test_the_current_run_stays_whatever_its_name(tmp_path: Path) -> None:
    runs = make_runs(tmp_path, run_ids(4))
    prune_runs(tmp_path, keep=2, current=run_ids(4)[0])
    assert names_in(runs) == [run_ids(4)[0], run_ids(4)[3]]


def test_only_runs_are_touched(tmp_path: Path) -> None:
    others = ["mine", f"{RUN_ID}-copy", "0000"]
    runs = make_runs(tmp_path, [*run_ids(3), *others])
    (runs / "2026-01-01T00-00-00-00000000").write_text("a file, no folder")
    prune_runs(tmp_path, keep=1, current=RUN_ID)
    assert set(names_in(runs)) >= {*others, run_ids(3)[-1]}
    assert (runs / "2026-01-01T00-00-00-00000000").is_file()
    assert not (runs / run_ids(3)[0]).exists()


@needs_posix
def test_links_are_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "precious").write_text("x")
    runs = make_runs(tmp_path, run_ids(2))
    (runs / "2020-01-01T00-00-00-00000000").symlink_to(outside, target_is_directory=True)
    (runs / run_ids(2)[0] / "link").symlink_to(outside, target_is_directory=True)
    prune_runs(tmp_path, keep=1, current=RUN_ID)
    assert not (runs / run_ids(2)[0]).exists()
    assert (outside / "precious").exists()
    assert (runs / "2020-01-01T00-00-00-00000000").is_symlink()


@needs_posix
def test_a_folder_of_runs_that_is_a_link_is_not_pruned(tmp_path: Path) -> None:
    elsewhere = make_runs(tmp_path / "elsewhere", run_ids(3))
    (tmp_path / "here" / ".rampart").mkdir(parents=True)
    (tmp_path / "here" / ".rampart" / "runs").symlink_to(elsewhere, target_is_directory=True)
    prune_runs(tmp_path / "here", keep=1, current=RUN_ID)
    assert names_in(elsewhere) == run_ids(3)


def test_without_runs_there_is_nothing_to_do(tmp_path: Path) -> None:
    prune_runs(tmp_path, keep=1, current=RUN_ID)
    assert names_in(tmp_path) == []


def test_a_folder_that_cannot_be_removed_is_logged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    make_runs(tmp_path, run_ids(2))

    def refuse(path: Path) -> None:
        raise PermissionError(f"not allowed: {path}")

    monkeypatch.setattr(shutil, "rmtree", refuse)
    with caplog.at_level(logging.WARNING, logger="rampart"):
        prune_runs(tmp_path, keep=1, current=RUN_ID)
    assert "could not be removed" in caplog.text
