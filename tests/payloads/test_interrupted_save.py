"""Whenever a save is killed, fails or is stopped by Ctrl-C, readers get a whole collection."""

from __future__ import annotations

import subprocess
import sys
import threading
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.payloads.sample_collections import NAME, TIDY, files_of, make, read, whole

from rampart.payloads import PayloadStore
from rampart.payloads.collection_lock import writing_alone

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

_SCRIPT = Path(__file__).with_name("killed_saves.py")
_SOURCE = str(Path(PayloadStore.save.__code__.co_filename).parent)


def _interrupted(folder: Path, *options: str) -> tuple[list[PayloadStore], str]:
    """The stores of interrupted saves, in the order of the points, and what they logged.

    The last save was not interrupted.
    """
    command = [sys.executable, str(_SCRIPT), str(folder), *options]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    points = range(1, int(ran.stdout) + 1)
    return [PayloadStore(root=folder / str(point)) for point in points], ran.stderr


def _check_that_all_is_well_afterwards(store: PayloadStore, folder: Path) -> None:
    store.save(NAME, payloads=make(folder, "later"))
    assert read(store) == whole("later")
    assert files_of(store) == TIDY


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
class TestKilled:
    def test_the_old_collection_is_whole_until_the_new_one_is(self, tmp_path: Path) -> None:
        stores, _ = _interrupted(tmp_path, "kill")
        states = [read(store) for store in stores]
        committed = states.index(whole("new"))
        assert states == [whole("old")] * committed + [whole("new")] * (len(states) - committed)
        assert 5 < committed < len(states) - 2  # kills on both sides of the commit
        for store in stores:
            _check_that_all_is_well_afterwards(store, tmp_path)

    def test_the_first_save_gives_all_or_nothing(self, tmp_path: Path) -> None:
        stores, _ = _interrupted(tmp_path, "kill", "fresh")
        there = [store.exists(NAME) for store in stores]
        assert there == sorted(there)
        assert True in there
        assert False in there
        for store, exists in zip(stores, there, strict=True):
            assert store.list_collections() == ([NAME] if exists else [])
            if exists:
                assert read(store) == whole("new")
            _check_that_all_is_well_afterwards(store, tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
class TestFailed:
    def test_a_failure_before_the_commit_leaves_the_old_collection_and_nothing_else(
        self, tmp_path: Path
    ) -> None:
        stores, logged = _interrupted(tmp_path, "fail")
        states = [read(store) for store in stores]
        committed = states.index(whole("new"))
        assert states == [whole("old")] * committed + [whole("new")] * (len(states) - committed)
        for store in stores[:committed]:
            assert files_of(store) == TIDY
            assert store.manifest(NAME)["count"] == 2
        # What could not be removed after the commit is said, and removed by the next save.
        # Once the disk fails between the two: then the rename may be lost, and the old files are needed.
        untidy = [store for store in stores if files_of(store) != TIDY]
        assert logged.count("is still there") == len(untidy) - 1 > 1
        for store in stores[committed:]:
            _check_that_all_is_well_afterwards(store, tmp_path)

    def test_a_failure_of_the_first_save_leaves_nothing(self, tmp_path: Path) -> None:
        stores, _ = _interrupted(tmp_path, "fail", "fresh")
        failed = [store for store in stores if not store.exists(NAME)]
        assert len(failed) > 5
        for store in failed:
            assert not store.root.exists(), list(store.root.rglob("*"))


class _CtrlC:
    """Raises KeyboardInterrupt before a given line that the package executes, counted from 1."""

    def __init__(self, line: int) -> None:
        self._left = line

    def __call__(self, frame: FrameType, event: str, argument: Any) -> _CtrlC | None:
        if not frame.f_code.co_filename.startswith(_SOURCE):
            return None
        if event == "line":
            self._left -= 1
            if self._left == 0:
                raise KeyboardInterrupt
        return self

    def during(self, action: Callable[[], object]) -> None:
        sys.settrace(self)
        try:
            with suppress(KeyboardInterrupt):
                action()
        finally:
            sys.settrace(None)

    @property
    def came(self) -> bool:
        return self._left <= 0


def _in_thread_of_its_own(action: Callable[[], object]) -> None:
    """Run it where what a tracer's exception does to the interpreter dies with the thread.

    Where a tracer raises inside the clean-up of a `with` that handles an exception, Python 3.11 takes that
    exception for being handled for ever, and shows it as the context of all later ones of the thread.
    """
    thread = threading.Thread(target=action)
    thread.start()
    thread.join()


@pytest.mark.slow
# Ctrl-C at the very line that closes a file leaves the closing to the garbage collector.
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_ctrl_c_at_any_line_leaves_a_whole_collection(tmp_path: Path) -> None:
    store = PayloadStore(root=tmp_path / "store")
    old, new = make(tmp_path, "old"), make(tmp_path, "new")
    line = 0
    seen = set()
    while True:
        line += 1
        store.save(NAME, payloads=old)
        ctrl_c = _CtrlC(line)
        _in_thread_of_its_own(partial(ctrl_c.during, partial(store.save, NAME, payloads=new)))
        state = read(store)
        assert state in (whole("old"), whole("new")), line
        seen.add(state)
        if not ctrl_c.came:
            break
    assert seen == {whole("old"), whole("new")}
    assert line > 50
    assert read(store) == whole("new")
    assert files_of(store) == TIDY


def test_a_reader_beside_a_writer_always_gets_a_whole_collection(tmp_path: Path) -> None:
    store = PayloadStore(root=tmp_path / "store")
    collections = [make(tmp_path, word) for word in ("old", "new")]
    store.save(NAME, payloads=collections[0])
    done = threading.Event()
    failures: list[BaseException] = []

    def write() -> None:
        try:
            for number in range(100):
                store.save(NAME, payloads=collections[number % 2])
        except BaseException as error:  # shown below
            failures.append(error)
        finally:
            done.set()

    writer = threading.Thread(target=write)
    writer.start()
    seen = set()
    while not done.is_set():
        seen.add(tuple(payload.content for payload in store.load(NAME)))
    writer.join()
    assert failures == []
    assert seen == {("old text", "old file"), ("new text", "new file")}


def test_writers_take_turns(tmp_path: Path) -> None:
    store = PayloadStore(root=tmp_path / "store")
    failures: list[BaseException] = []

    def write(word: str) -> None:
        try:
            for _ in range(20):
                store.save(NAME, payloads=make(tmp_path / word, word))
        except BaseException as error:  # shown below
            failures.append(error)

    writers = [threading.Thread(target=write, args=(word,)) for word in ("a", "b", "c")]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert failures == []
    assert read(store) in [whole(word) for word in ("a", "b", "c")]
    assert files_of(store) == TIDY


@pytest.mark.skipif(sys.platform == "win32", reason="folders cannot be locked")
@pytest.mark.parametrize("act", ["save", "delete"])
def test_a_writer_waits_for_the_one_before(act: str, tmp_path: Path) -> None:
    store = PayloadStore(root=tmp_path / "store")
    old, new = make(tmp_path, "old"), make(tmp_path, "new")
    store.save(NAME, payloads=old)
    actions = {"save": lambda: store.save(NAME, payloads=new), "delete": lambda: store.delete(NAME)}
    waiting = threading.Thread(target=actions[act])
    with writing_alone(store.root / NAME):
        waiting.start()
        waiting.join(0.2)
        assert waiting.is_alive()
        assert read(store) == whole("old")
    waiting.join()
    assert store.list_collections() == ([NAME] if act == "save" else [])
