"""Surfaces that break one rule each, with the check that finds it and what it says."""

import asyncio
import os
import secrets
import socket
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self, TypeVar

import pytest
from tests.testing.memory_surface import Shelf, ShelfHandle, ShelfSurface

from rampart.core.errors import InfrastructureError
from rampart.core.types import Payload
from rampart.testing import SurfaceConformance

CHECKS = [name for name in vars(SurfaceConformance) if name.startswith("test_")]
ROWS: list[Any] = []
TASKS: list[asyncio.Task[None]] = []

Handle = TypeVar("Handle", bound=type[ShelfHandle])
Surface = TypeVar("Surface", bound=type[ShelfSurface])


def breaks(check: str, message: str, *, also: tuple[str, ...] | None = ()) -> Callable[[Handle], Handle]:
    """Add the decorated handle: it fails `check` with `message`, and with it `also`; None: whatever else."""

    def add(handle: Handle) -> Handle:
        _add(type(handle.__name__, (ShelfSurface,), {"handle_class": handle}), check, message, also)
        return handle

    return add


def surface_breaks(
    check: str, message: str, *, also: tuple[str, ...] | None = ()
) -> Callable[[Surface], Surface]:
    """Add the decorated surface."""

    def add(surface: Surface) -> Surface:
        _add(surface, check, message, also)
        return surface

    return add


def _add(surface: type[ShelfSurface], check: str, message: str, also: tuple[str, ...] | None) -> None:
    failing = None if also is None else {f"test_{name}" for name in (check, *also)}
    assert {f"test_{check}", *(failing or ())} <= set(CHECKS)
    ROWS.append(pytest.param(surface, f"test_{check}", message, failing, id=surface.__name__))


@surface_breaks("has_every_member", "AsyncInject.inject must not be async", also=None)
class AsyncInject(ShelfSurface):
    async def inject(self, *, payload: Payload) -> Any:
        return self.handle_class(self.shelf, payload)


@surface_breaks("has_every_member", "inject gave the same handle twice", also=None)
class OneHandle(ShelfSurface):
    def __init__(self, shelf: Shelf) -> None:
        super().__init__(shelf)
        self.handle: ShelfHandle | None = None

    def inject(self, *, payload: Payload) -> Any:
        self.handle = self.handle or ShelfHandle(self.shelf, payload)
        return self.handle


@breaks("has_every_member", "has no wait_until_ready_async, which every InjectionHandle needs", also=None)
class NoReadiness(ShelfHandle):
    @property
    def wait_until_ready_async(self) -> Any:
        raise AttributeError


@breaks("has_every_member", "wait_until_ready_async must be async, but gave NoneType", also=None)
class SyncReadiness(ShelfHandle):
    def wait_until_ready_async(self) -> Any:
        return None


@breaks("has_every_member", "__aenter__ must return the handle, but gave NoneType", also=None)
class EntersAsNothing(ShelfHandle):
    async def __aenter__(self) -> Any:
        await super().__aenter__()


@breaks("describes_itself", "surface_name must be one line of text, got ' '")
class BlankName(ShelfHandle):
    surface_name = " "


@breaks("describes_itself", "surface_name is a method, expected a text")
class NameIsAMethod(ShelfHandle):
    def surface_name(self) -> Any:
        return "shelf"


@breaks("describes_itself", "payload_id is 'other', but 'about-marigold' is planted")
class OtherId(ShelfHandle):
    payload_id = "other"


@breaks("describes_itself", "isolation_key must be one line of text, got None")
class NoKey(ShelfHandle):
    isolation_key = None


@breaks("describes_itself", "derive it from the place")
class RandomKey(ShelfHandle):
    @property
    def isolation_key(self) -> Any:
        return secrets.token_hex(4)


@breaks("describes_itself", "payload must be the Payload that is planted, got 'a text'")
class PayloadIsText(ShelfHandle):
    payload = "a text"


@breaks("describes_itself", "has neither payload nor delivered, so nobody can tell")
class NoProof(ShelfHandle):
    @property
    def payload(self) -> Any:
        raise AttributeError


@breaks("describes_itself", "delivered must be True, False or None, got 1")
class CountsReads(ShelfHandle):
    delivered = 1


@breaks("describes_itself", "delivered is True before anything was planted")
class AlwaysDelivered(ShelfHandle):
    delivered = True


@surface_breaks("inject_only_prepares", "after inject alone, the place is not as it was before", also=None)
class InjectPlants(ShelfSurface):
    def inject(self, *, payload: Payload) -> Any:
        self.shelf.notes[payload.id] = payload.content
        return super().inject(payload=payload)


@surface_breaks("inject_only_prepares", "inject called (posix|nt).open")
class InjectOpensAFile(ShelfSurface):
    def inject(self, *, payload: Payload) -> Any:
        descriptor, path = tempfile.mkstemp()
        os.close(descriptor)
        Path(path).unlink()
        return super().inject(payload=payload)


@surface_breaks("inject_only_prepares", "inject called socket.bind, socket.listen")
class InjectListens(ShelfSurface):
    def inject(self, *, payload: Payload) -> Any:
        with socket.create_server(("127.0.0.1", 0)):
            return super().inject(payload=payload)


@surface_breaks("inject_only_prepares", "inject called thread.start_")
class InjectStartsAThread(ShelfSurface):
    def inject(self, *, payload: Payload) -> Any:
        thread = threading.Thread(target=int)
        thread.start()
        thread.join()
        return super().inject(payload=payload)


@breaks("refuses_a_hostile_payload_id", "a payload whose id is '../../marigold' was planted")
class TakesAnyId(ShelfHandle):
    async def __aenter__(self) -> Self:
        given, self.note.id = self.note.id, "harmless"
        await super().__aenter__()
        self.note.id = given
        return self

    def take(self) -> None:
        self.shelf.notes.pop("harmless")
        self.is_planted = False

    def require_unchanged(self) -> None:
        if self.shelf.notes.get("harmless") != self.note.content:
            raise InfrastructureError("the note was changed meanwhile")

    @property
    def isolation_key(self) -> Any:
        return "shelf"


@breaks(
    "entering_plants_the_payload", r"after entering the handle, read\(\) does not show the payload", also=None
)
class PlantsNothing(ShelfHandle):
    def put(self) -> None:
        self.note.content = "nothing"
        super().put()


@breaks("becomes_ready", r"wait_until_ready_async did not end within 0.2 s", also=None)
class NeverReady(ShelfHandle):
    async def wait_until_ready_async(self) -> None:
        await asyncio.get_running_loop().create_future()


@breaks(
    "leaving_restores",
    r"after leaving the handle, the place is not as it was before. It was \{'menu'",
    also=None,
)
class LeavesAMark(ShelfHandle):
    def take(self) -> None:
        self.shelf.notes[self.note.id] = ""
        self.is_planted = False


@breaks(
    "leaving_restores", r"after leaving the handle, a handle left behind: open_resources\(\) is 1", also=None
)
class StaysOpen(ShelfHandle):
    def close(self) -> None:
        if not self.is_planted and self.was_entered:
            return
        super().close()


@breaks("many_in_a_row", r"after entering handle 11 of 20 in a row, read\(\) does not show")
class Tires(ShelfHandle):
    def put(self) -> None:
        self.shelf.worn += 1
        super().put()
        if self.shelf.worn > 10:
            self.note.content = ""
            self.shelf.notes[self.note.id] = ""


class OneSlot(ShelfHandle):
    """All notes of this kind lie in one place."""

    def put(self) -> None:
        self.before = self.shelf.notes["menu"]
        self.shelf.notes["menu"] = self.note.content
        self.is_planted = True

    def take(self) -> None:
        self.shelf.notes["menu"] = self.before
        self.is_planted = False

    def require_unchanged(self) -> None:
        if self.shelf.notes["menu"] != self.note.content:
            raise InfrastructureError("the menu was changed meanwhile")


@breaks(
    "handles_do_not_mix",
    "beside handles with other keys, read.. does not show the payload about 'marigold'",
    also=("reports_a_change_meanwhile",),
)
class SharesAPlace(OneSlot):
    pass


@breaks("handles_do_not_mix", "the payload about 'marigold' is still there when its handle is left before")
class LastOneCleans(ShelfHandle):
    def take(self) -> None:
        self.is_planted = False
        self.shelf.done.append(self.note.id)
        if len(self.shelf.done) == self.shelf.open_count or self.shelf.open_count == 1:
            for name in self.shelf.done:
                self.shelf.notes.pop(name, None)
            self.shelf.done = []


@breaks("handles_do_not_mix", "leaving the handle of 'marigold' removed the payload about 'quartzite' too")
class CleansAll(ShelfHandle):
    def take(self) -> None:
        self.is_planted = False
        for name in self.shelf.notes.keys() - {"menu"}:
            del self.shelf.notes[name]

    def require_unchanged(self) -> None:
        if self.note.id in self.shelf.notes:
            super().require_unchanged()


@breaks(
    "exit_is_idempotent", "leaving a handle a second time raised InfrastructureError: not planted", also=None
)
class LeftOnce(ShelfHandle):
    async def __aexit__(self, *details: object) -> bool | None:
        if self.was_entered and not self.is_planted:
            raise InfrastructureError("not planted")
        return await super().__aexit__(*details)


@breaks("exit_is_idempotent", "leaving a handle that was not entered raised RuntimeError: not entered")
class LeftOnlyAfterEntry(ShelfHandle):
    async def __aexit__(self, *details: object) -> bool | None:
        if not self.was_entered:
            raise RuntimeError("not entered")
        return await super().__aexit__(*details)


@breaks("is_entered_once", "a handle was entered a second time while it was planted")
class EnteredTwice(ShelfHandle):
    async def __aenter__(self) -> Self:
        return self if self.is_planted else await super().__aenter__()


@breaks("is_entered_once", r"after entering a handle twice was refused, read\(\) does not show the payload")
class RefusesByRemoving(ShelfHandle):
    async def __aenter__(self) -> Self:
        if self.is_planted:
            await self.__aexit__(None, None, None)
        return await super().__aenter__()


@breaks("restores_after_an_error", "after an error inside, the place is not as it was before")
class KeepsOnError(ShelfHandle):
    async def __aexit__(self, *details: object) -> bool | None:
        return None if isinstance(details[1], Exception) else await super().__aexit__(*details)


@breaks("restores_after_an_error", "__aexit__ swallowed the error inside")
class SwallowsErrors(ShelfHandle):
    async def __aexit__(self, *details: object) -> bool | None:
        await super().__aexit__(*details)
        return isinstance(details[1], Exception)


@breaks("restores_after_a_cancelled_entry", "after an entry that was cancelled after 1 rounds")
class LeaksOnEntry(ShelfHandle):
    def undo_entry(self) -> None:
        return


@breaks("restores_after_a_cancelled_entry", "__aenter__, .* ended normally although it was cancelled")
class SwallowsOnEntry(ShelfHandle):
    async def __aenter__(self) -> Self:
        try:
            return await super().__aenter__()
        except asyncio.CancelledError:
            return self


@breaks("restores_after_a_cancelled_entry", "__aenter__, .* raised KeyError: .* although it was cancelled")
class RenamesOnEntry(ShelfHandle):
    async def __aenter__(self) -> Self:
        try:
            return await super().__aenter__()
        except asyncio.CancelledError:
            raise KeyError("note") from None


@breaks(
    "restores_after_a_cancellation", "after a cancellation while the payload was planted, the place is not"
)
class KeepsOnCancellation(ShelfHandle):
    async def __aexit__(self, *details: object) -> bool | None:
        cancelled = isinstance(details[1], asyncio.CancelledError)
        return None if cancelled else await super().__aexit__(*details)


@breaks("restores_after_a_cancellation", "__aexit__ swallowed a cancellation")
class SwallowsCancellation(ShelfHandle):
    async def __aexit__(self, *details: object) -> bool | None:
        await super().__aexit__(*details)
        return isinstance(details[1], asyncio.CancelledError)


@breaks("restores_after_a_cancellation", "left behind: running tasks .*heartbeat")
class LeavesATask(ShelfHandle):
    async def __aexit__(self, *details: object) -> bool | None:
        if isinstance(details[1], asyncio.CancelledError):
            TASKS.append(asyncio.create_task(asyncio.sleep(60), name="heartbeat"))
        return await super().__aexit__(*details)


@breaks("restores_after_a_cancelled_exit", "an exit that was cancelled after 1 rounds .* the place is not as")
class ForgetsOnCancelledExit(ShelfHandle):
    async def __aexit__(self, *details: object) -> bool | None:
        try:
            return await super().__aexit__(*details)
        except asyncio.CancelledError:
            self.is_planted = False
            raise


@breaks("refuses_what_it_cannot_take", "what refused_payload.. gave was planted")
class TakesAll(ShelfHandle):
    async def __aenter__(self) -> Self:
        kept, self.note.format = self.note.format, type(self.note.format).TEXT
        await super().__aenter__()
        self.note.format = kept
        return self


@breaks("refuses_what_it_cannot_take", r"the refusal does not name the place \(shelf/drawing\)")
class NamesNoPlace(ShelfHandle):
    async def __aenter__(self) -> Self:
        if self.note.id == "drawing":
            raise InfrastructureError("shelf: payload 'drawing' is no text")
        return await super().__aenter__()


@breaks("refuses_what_it_cannot_take", "entering raised KeyError: .* raise an InfrastructureError")
class RefusesOddly(ShelfHandle):
    async def __aenter__(self) -> Self:
        if self.note.id == "drawing":
            raise KeyError("drawing")
        return await super().__aenter__()


@breaks("refuses_what_it_cannot_take", "after a payload was refused, a handle left behind")
class RefusesLate(ShelfHandle):
    async def __aenter__(self) -> Self:
        if self.note.id == "drawing":
            self.open()
        return await super().__aenter__()


@breaks("reports_a_change_meanwhile", "leaving the handle overwrote what was changed meanwhile")
class Overwrites(ShelfHandle):
    def require_unchanged(self) -> None:
        return


@breaks("reports_a_change_meanwhile", "was changed meanwhile, and leaving the handle raised nothing")
class LeavesInSilence(ShelfHandle):
    async def __aexit__(self, *details: object) -> bool | None:
        try:
            return await super().__aexit__(*details)
        except InfrastructureError as error:
            if "changed" in str(error):
                return None
            raise


@breaks("failing_removal_raises", "nothing could be removed, and leaving the handle raised nothing")
class FailsInSilence(ShelfHandle):
    async def __aexit__(self, *details: object) -> bool | None:
        return None if self.shelf.is_locked else await super().__aexit__(*details)


@breaks("failing_removal_raises", "nothing could be removed, and leaving the handle raised OSError: locked")
class FailsOddly(ShelfHandle):
    async def __aexit__(self, *details: object) -> bool | None:
        if self.shelf.is_locked and self.is_planted:
            raise OSError("locked")
        return await super().__aexit__(*details)


@breaks("failing_removal_raises", "after leaving the handle again, with nothing in its way, the place is not")
class GivesUp(ShelfHandle):
    async def __aexit__(self, *details: object) -> bool | None:
        if self.shelf.is_locked:
            self.is_planted = False
            raise InfrastructureError("the shelf is locked")
        return await super().__aexit__(*details)
