"""The storm finds what a surface leaves behind, and trials that read each other's payloads."""

import asyncio
import os
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.surfaces.storm import Storm

from rampart import Payload
from rampart.surfaces import PlantedHandle
from rampart.surfaces.undo import Undo

LEFT: list[Any] = []
STOP = threading.Event()


class Note(PlantedHandle):
    """Puts a note into a dict, and on leaving does one thing more."""

    def __init__(
        self, notes: dict[str, str], payload: Payload, *, key: str, leaving: Callable[[], object]
    ) -> None:
        super().__init__(payload=payload, surface_name="notes", place="notes", isolation_key=key)
        self.notes = notes
        self.key = key
        self.leaving = leaving

    async def _plant_async(self, undo: Undo) -> None:
        async def remove() -> None:
            self.notes.pop(self.key, None)
            self.leaving()

        undo.add(remove)
        await asyncio.sleep(0.001)
        self.notes[self.key] = self.payload.content


def storm(*, leaving: Callable[[], object] = lambda: None, shared: bool = False) -> Storm:
    notes: dict[str, str] = {}

    def name(number: int) -> str:
        return "all" if shared else str(number)

    def make_handle(number: int, payload: Payload) -> Note:
        note = Note(notes, payload, key=name(number), leaving=leaving)
        note._isolation_key = str(number)  # which is wrong where the place is shared
        return note

    async def read(number: int) -> str:
        return notes.get(name(number), "")

    def snapshot() -> dict[str, str]:
        return dict(notes, left=str(len(LEFT)))

    return Storm(
        make_handle=make_handle, read=read, snapshot=snapshot, trials=40, concurrency=8, fault_s=0.05
    )


@pytest.fixture(autouse=True)
def _clean() -> Iterator[None]:
    yield
    STOP.set()
    for left in LEFT:
        if isinstance(left, threading.Thread):
            left.join()
        elif isinstance(left, int):
            os.close(left)
    LEFT.clear()
    STOP.clear()


def test_a_good_place_stands_it() -> None:
    storm().rage(seed=1)
    assert storm().cancel(seed=1)


def leave_a_thread() -> None:
    thread = threading.Thread(target=STOP.wait, name="left")
    thread.start()
    LEFT.append(thread)


def leave_open() -> None:
    LEFT.append(os.dup(0))


def leave_a_file() -> None:
    Path(tempfile.gettempdir(), "left").touch()


def leave_a_task() -> None:
    LEFT.append(asyncio.get_running_loop().create_task(asyncio.sleep(60)))


def leave_a_mark() -> None:
    LEFT.append("mark")


@pytest.mark.parametrize(
    ("leaving", "message"),
    [
        (leave_a_thread, r"Counter\(\{'thread left': \d+\}\) are left"),
        (leave_open, r"'open .*': \d+\}\) are left"),
        (leave_a_file, "temporary files are left"),
        (leave_a_task, "tasks are left"),
        (leave_a_mark, "the place is not as it was"),
    ],
)
@pytest.mark.parametrize("how", ["rage", "cancel"])
def test_what_is_left_is_found(leaving: Callable[[], object], message: str, how: str) -> None:
    # What is left on purpose is cleaned up by the test, so the place itself must not count it.
    place = storm(leaving=leaving)
    if leaving is not leave_a_mark:
        place = Storm(
            make_handle=place.make_handle,
            read=place.read,
            snapshot=lambda: None,
            trials=40,
            concurrency=8,
            fault_s=0.05,
            settles_s=0.2,
        )
    with pytest.raises(AssertionError, match=message):
        getattr(place, how)(seed=2)


def test_trials_that_share_a_place_without_a_key_are_found() -> None:
    with pytest.raises(AssertionError, match="Plan"):
        storm(shared=True).rage(seed=3)
