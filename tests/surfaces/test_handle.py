"""What every handle does for its surface: undo, wording, and being entered once."""

import asyncio
import logging
from typing import Any

import pytest

from rampart import ConfigurationError, InfrastructureError, InjectionHandle, Limits, Payload
from rampart.core.limits import configure_defaults, preserved_defaults
from rampart.surfaces import PlantedHandle
from rampart.surfaces.undo import Undo
from rampart.testing import SurfaceConformance


class Note(PlantedHandle):
    """Puts a note into a dict in two steps, each of which can be made to fail or wait."""

    def __init__(self, notes: dict[str, str], payload: Payload) -> None:
        super().__init__(
            payload=payload,
            surface_name="notes",
            place=f"notes/{payload.id}",
            isolation_key=f"notes:{payload.id}",
        )
        self.notes = notes
        self.fails: BaseException | None = None
        self.is_stuck: BaseException | None = None
        self.waits = False
        self.unread: Exception | None = None
        self.checks = 0

    async def _plant_async(self, undo: Undo) -> None:
        undo.add(self.remove)
        self.notes[self.payload.id] = self.payload.content
        await asyncio.sleep(0)
        if self.waits:
            await asyncio.get_running_loop().create_future()
        if self.fails is not None:
            raise self.fails

    async def remove(self) -> None:
        if self.is_stuck is not None:
            raise self.is_stuck
        await asyncio.sleep(0)
        self.notes.pop(self.payload.id, None)

    async def _check_async(self) -> None:
        self.checks += 1
        if self.unread is not None:
            raise self.unread


@pytest.fixture
def notes() -> dict[str, str]:
    return {}


@pytest.fixture
def note(notes: dict[str, str]) -> Note:
    return Note(notes, Payload(content="evil", id="p1"))


class NotesSurface:
    def __init__(self) -> None:
        self.notes: dict[str, str] = {}

    def inject(self, *, payload: Payload) -> Note:
        return Note(self.notes, payload)


class TestNotes(SurfaceConformance):
    """A handle that only plants and removes has all the rest from the base."""

    @pytest.fixture
    def surface(self) -> NotesSurface:
        self.place = NotesSurface()
        return self.place

    def snapshot(self) -> Any:
        return self.place.notes

    def read(self) -> Any:
        return "\n".join(self.place.notes.values())


def test_it_is_a_handle_and_says_what_it_plants(note: Note) -> None:
    assert isinstance(note, InjectionHandle)
    assert (note.payload_id, note.surface_name, note.isolation_key) == ("p1", "notes", "notes:p1")
    assert (note.payload.content, note.delivered) == ("evil", None)


async def test_a_handle_is_entered_once(note: Note, notes: dict[str, str]) -> None:
    async with note:
        with pytest.raises(
            InfrastructureError, match="notes: payload 'p1' cannot be planted twice in notes/p1"
        ):
            await note.__aenter__()
        assert notes == {"p1": "evil"}
    with pytest.raises(InfrastructureError, match="make a new handle"):
        await note.__aenter__()
    assert notes == {}


async def test_a_failing_planting_is_undone_and_worded(note: Note, notes: dict[str, str]) -> None:
    note.fails = OSError("no\nroom")
    with pytest.raises(InfrastructureError) as caught:
        await note.__aenter__()
    assert str(caught.value) == (r"notes: payload 'p1' could not be planted in notes/p1: OSError: no\nroom")
    assert caught.value.__cause__ is note.fails
    assert notes == {}
    await note.__aexit__(None, None, None)


async def test_what_a_failing_planting_left_behind_is_in_the_error_and_the_log(
    note: Note, notes: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    note.fails, note.is_stuck = OSError("no room"), OSError("locked")
    with (
        caplog.at_level(logging.ERROR, "rampart"),
        pytest.raises(
            InfrastructureError,
            match=r"could not be planted .* no room; and it could not be removed again: OSError: locked",
        ),
    ):
        await note.__aenter__()
    assert "notes: payload 'p1' could not be removed again in notes/p1: OSError: locked" in caplog.text
    assert notes == {"p1": "evil"}


async def test_taking_back_is_bounded(note: Note, monkeypatch: pytest.MonkeyPatch) -> None:
    async def never() -> None:
        await asyncio.get_running_loop().create_future()

    note.fails = OSError("no room")
    monkeypatch.setattr(note, "remove", never)
    with preserved_defaults():
        configure_defaults(limits=Limits(cleanup_timeout_s=0.05))
        with pytest.raises(
            InfrastructureError, match="no room; and it could not be removed again: TimeoutError"
        ):
            await note.__aenter__()


@pytest.mark.parametrize("times", [1, 2])
async def test_a_cancelled_planting_is_undone(note: Note, notes: dict[str, str], times: int) -> None:
    note.waits = True
    entering = asyncio.create_task(note.__aenter__())
    for _ in range(3):
        await asyncio.sleep(0)
    assert notes
    for _ in range(times):
        entering.cancel()
        await asyncio.sleep(0)
    with pytest.raises(asyncio.CancelledError):
        await entering
    assert notes == {}


async def test_an_interrupt_goes_on_as_it_is(note: Note, notes: dict[str, str]) -> None:
    note.fails = SystemExit(3)
    with pytest.raises(SystemExit):
        await note.__aenter__()
    assert notes == {}


async def test_a_failing_removal_is_worded_and_tried_again(note: Note, notes: dict[str, str]) -> None:
    await note.__aenter__()
    note.is_stuck = InfrastructureError("the store is locked")
    for _ in range(2):
        with pytest.raises(
            InfrastructureError,
            match=r"^notes: payload 'p1' could not be removed in notes/p1: the store is locked$",
        ):
            await note.__aexit__(None, None, None)
    note.is_stuck = None
    await note.__aexit__(None, None, None)
    assert notes == {}


async def test_several_failures_are_all_named(note: Note) -> None:
    await note.__aenter__()
    note.is_stuck = ExceptionGroup("2 failed", [OSError("one"), ValueError()])
    with pytest.raises(InfrastructureError, match=r"OSError: one; ValueError: \(no message\)$"):
        await note.__aexit__(None, None, None)


async def test_an_id_that_was_changed_is_refused_before_anything_is_done(
    note: Note, notes: dict[str, str]
) -> None:
    note.payload.id = "../\x1b[31mx"
    with pytest.raises(InfrastructureError, match=r"could not be planted .*: ValueError: Invalid payload id"):
        await note.__aenter__()
    assert notes == {}


async def test_a_place_that_failed_meanwhile_is_reported_once_it_was_put_back(
    note: Note, notes: dict[str, str]
) -> None:
    await note.__aenter__()
    note.unread = OSError("the server died")
    with pytest.raises(
        InfrastructureError, match="may not have been read in notes/p1: OSError: the server died"
    ):
        await note.__aexit__(None, None, None)
    assert notes == {}
    await note.__aexit__(None, None, None)
    assert note.checks == 1


async def test_waiting_until_it_is_ready_takes_no_time(note: Note) -> None:
    async with note:
        await note.wait_until_ready_async()


async def test_missing_library_is_the_users_to_install() -> None:
    notes: dict[str, str] = {}
    handle = Note(notes, Payload(content="x", id="a"))
    handle.fails = ConfigurationError('pip install "rampart[sql]"')
    with pytest.raises(ConfigurationError, match="pip install"):
        await handle.__aenter__()
    assert notes == {}
