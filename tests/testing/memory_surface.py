"""A place in memory whose surface passes every check, and the suite over it."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

from rampart.core.errors import InfrastructureError
from rampart.core.types import Payload, PayloadFormat, validate_payload_id
from rampart.testing import SurfaceConformance


class Shelf:
    """The place: notes by name. A locked one lets nothing be taken away."""

    def __init__(self) -> None:
        self.notes: dict[str, str] = {"menu": "Soup of the day."}
        self.open_count = 0
        self.is_locked = False
        self.worn = 0
        self.done: list[str] = []

    def read(self) -> str:
        return "\n".join(self.notes.values())


class ShelfHandle:
    """Puts one note on the shelf."""

    def __init__(self, shelf: Shelf, payload: Payload) -> None:
        self.shelf = shelf
        self.note = payload
        self.place = f"shelf/{payload.id}"
        self.was_entered = False
        self.is_planted = False

    @property
    def payload(self) -> Any:
        return self.note

    @property
    def payload_id(self) -> Any:
        return self.note.id

    @property
    def surface_name(self) -> Any:
        return "shelf"

    @property
    def isolation_key(self) -> Any:
        return f"shelf:{self.note.id}"

    async def wait_until_ready_async(self) -> None:
        await asyncio.sleep(0)

    async def __aenter__(self) -> Self:
        if self.was_entered:
            raise InfrastructureError("planted already")
        self.was_entered = True
        validate_payload_id(self.note.id)
        if self.note.format is not PayloadFormat.TEXT:
            raise InfrastructureError(
                f"{self.surface_name}: payload {self.note.id!r} is no text, for {self.place}"
            )
        self.open()
        try:
            await asyncio.sleep(0.002)
            self.put()
            await asyncio.sleep(0)
        except BaseException:
            self.undo_entry()
            raise
        return self

    async def __aexit__(self, *details: object) -> bool | None:
        if not self.is_planted:
            return None
        if self.shelf.is_locked:
            raise InfrastructureError("the shelf is locked")
        self.require_unchanged()
        await asyncio.sleep(0)
        self.take()
        self.close()
        return None

    def open(self) -> None:
        self.shelf.open_count += 1

    def close(self) -> None:
        self.shelf.open_count -= 1

    def put(self) -> None:
        self.shelf.notes[self.note.id] = self.note.content
        self.is_planted = True

    def take(self) -> None:
        del self.shelf.notes[self.note.id]
        self.is_planted = False

    def undo_entry(self) -> None:
        if self.is_planted:
            self.take()
        self.close()

    def require_unchanged(self) -> None:
        if self.shelf.notes.get(self.note.id) != self.note.content:
            raise InfrastructureError("the note was changed meanwhile")


class ShelfSurface:
    """The surface as it should be; subclasses and other handles break one thing each."""

    handle_class: type[ShelfHandle] = ShelfHandle

    def __init__(self, shelf: Shelf) -> None:
        self.shelf = shelf

    def inject(self, *, payload: Payload) -> Any:
        return self.handle_class(self.shelf, payload)


class ShelfSuite(SurfaceConformance):
    """Knows all there is to know of the shelf."""

    patience_s = 3.0
    ready_within_s = 0.2

    def __init__(self, shelf: Shelf) -> None:
        self.shelf = shelf

    def snapshot(self) -> Any:
        return self.shelf.notes

    def read(self) -> Any:
        return self.shelf.read()

    def refused_payload(self) -> Payload:
        payload = Payload(content="a note", id="drawing")
        payload.format = PayloadFormat.IMAGE
        return payload

    def disturb(self) -> None:
        for name in self.shelf.notes.keys() - {"menu"}:
            self.shelf.notes[name] += " Somebody else's remark."

    @contextmanager
    def obstruct(self) -> Iterator[None]:
        self.shelf.is_locked = True
        yield
        self.shelf.is_locked = False

    def open_resources(self) -> int:
        return self.shelf.open_count
