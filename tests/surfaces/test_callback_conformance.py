"""Stores that users bring keep the rules for surfaces by what rampart does around their functions."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from tests.surfaces.storm import Storm, every_size

from rampart import Payload
from rampart.surfaces import CallbackSurface
from rampart.testing import SurfaceConformance


class Tickets:
    """A store whose functions do what the page on it asks of them."""

    def __init__(self) -> None:
        self.texts = {1: "The printer is out of paper."}
        self.next = 2
        self.is_locked = False

    def add(self, payload: Payload) -> tuple[int, str]:
        if payload.artifact is not None:
            raise ValueError("tickets are text")
        number, self.next = self.next, self.next + 1
        self.texts[number] = payload.content
        return number, payload.content

    def remove(self, token: tuple[int, str]) -> None:
        number, text = token
        if self.is_locked:
            raise OSError("the tickets are locked")
        if self.texts.get(number, text) != text:
            raise ValueError("the ticket was changed meanwhile")
        self.texts.pop(number, None)

    async def add_async(self, payload: Payload) -> tuple[int, str]:
        await asyncio.sleep(0.001)
        token = self.add(payload)
        await asyncio.sleep(0.001)
        return token

    async def remove_async(self, token: tuple[int, str]) -> None:
        await asyncio.sleep(0.001)
        self.remove(token)

    def read(self) -> str:
        return "\n".join(self.texts.values())


class TestTickets(SurfaceConformance):
    @pytest.fixture(params=["sync", "async"])
    def surface(self, request: pytest.FixtureRequest, tmp_path: Any) -> CallbackSurface:
        self.store = Tickets()
        self.artifact = tmp_path / "page.pdf"
        self.artifact.touch()
        if request.param == "sync":
            return CallbackSurface(name="tickets", add=self.store.add, remove=self.store.remove)
        return CallbackSurface(name="tickets", add=self.store.add_async, remove=self.store.remove_async)

    def snapshot(self) -> Any:
        return self.store.texts

    def read(self) -> str:
        return self.store.read()

    def refused_payload(self) -> Payload:
        payload = Payload(content="a page", id="page")
        payload.artifact = self.artifact
        return payload

    def disturb(self) -> None:
        self.store.texts[max(self.store.texts)] += " Seen by Bob."

    @contextmanager
    def obstruct(self) -> Iterator[None]:
        self.store.is_locked = True
        yield
        self.store.is_locked = False


@every_size
@pytest.mark.parametrize("how", ["sync", "async"])
@pytest.mark.parametrize("way", ["rage", "cancel"])
def test_a_storm(how: str, way: str, trials: int) -> None:
    store = Tickets()
    add, remove = (store.add, store.remove) if how == "sync" else (store.add_async, store.remove_async)

    def surface(number: int) -> CallbackSurface:
        return CallbackSurface(name="tickets", add=add, remove=remove, isolation_key=f"ticket {number}")

    storm = Storm(
        make_handle=lambda number, payload: surface(number).inject(payload=payload),
        read=lambda _number: store.read(),
        snapshot=lambda: dict(store.texts),
        fault_s=1,
        trials=trials,
    )
    getattr(storm, way)(seed=41)
