"""Pages with payloads keep the rules for surfaces, also when hundreds are served at once."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any
from urllib.error import URLError

import pytest
from tests.surfaces.pages import everything, fetch, garbage_collected
from tests.surfaces.storm import Storm, every_size

from rampart import InjectionHandle, Payload, PayloadFormat
from rampart.surfaces import PagePlacement, WebPageSurface
from rampart.surfaces.web_page_handle import WebPageHandle
from rampart.testing import SurfaceConformance


class Pages:
    """A surface that remembers its handles, whose addresses one has to know."""

    def __init__(self, surface: WebPageSurface) -> None:
        self.surface = surface
        self.handles: list[WebPageHandle] = []

    def inject(self, *, payload: Payload) -> WebPageHandle:
        handle = self.surface.inject(payload=payload)
        self.handles.append(handle)
        return handle

    def served(self) -> list[str]:
        pages = []
        for handle in self.handles:
            with suppress(URLError):
                pages.append(fetch(handle.url))
        return pages


class OfPages(SurfaceConformance):
    """What the suites over pages have in common."""

    @pytest.fixture(params=[{}, {"path": "/offer"}], ids=["fresh-path", "own-path"])
    def surface(self, request: pytest.FixtureRequest) -> Iterator[Pages]:
        with garbage_collected():
            self.pages = Pages(WebPageSurface(**self.arguments(), **request.param))
            yield self.pages
            self.pages.handles.clear()  # those that were never entered hold an address as long as they live

    def arguments(self) -> dict[str, Any]:
        return {}

    def snapshot(self) -> Any:
        return self.pages.served()

    def read(self) -> str:
        return "\n".join(everything(page) for page in self.pages.served())

    def refused_payload(self) -> Payload:
        return Payload(content="\ud800", id="no-text")


class TestVisible(OfPages):
    pass


class TestComment(OfPages):
    def arguments(self) -> dict[str, Any]:
        return {"placement": PagePlacement.COMMENT}


class TestHtml(OfPages):
    def payload(self, *, word: str) -> Payload:
        return Payload(
            content=f"<p>The <b>{word}</b> report.</p>", id=f"about-{word}", format=PayloadFormat.HTML
        )


def storm(trials: int) -> Storm:
    surface = WebPageSurface()
    handles: dict[int, WebPageHandle] = {}

    def make_handle(number: int, payload: Payload) -> InjectionHandle:
        handles[number] = surface.inject(payload=payload)
        return handles[number]

    return Storm(
        make_handle=make_handle,
        read=lambda number: everything(fetch(handles[number].url)),
        snapshot=lambda: None,
        fault_s=1,
        trials=trials,
    )


@every_size
def test_a_storm(trials: int) -> None:
    storm(trials).rage(seed=31)


@every_size
def test_a_storm_that_is_cancelled(trials: int) -> None:
    assert storm(trials).cancel(seed=32)
