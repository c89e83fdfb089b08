"""One payload on one web page."""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote as percent_encoded

from rampart.core.errors import InfrastructureError
from rampart.servers.http_exchange import HttpRequest, HttpResponse
from rampart.surfaces.blocking import run_blocking_async
from rampart.surfaces.handle import PlantedHandle
from rampart.surfaces.web_page_content import Served, served_content

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from rampart.core.types import Payload
    from rampart.surfaces.undo import Undo
    from rampart.surfaces.web_page_placement import PagePlacement
    from rampart.surfaces.web_page_server import PageServer


@dataclass(frozen=True, kw_only=True)
class PageFetch:
    """One time that somebody fetched the page, or the file that it leads to, from beginning to end.

    Attributes:
        path: What was fetched.
        payload: Whether it held the payload; False for a page that only leads to it.
        user_agent: What the client calls itself; empty where it does not say.
        received_at: When it was asked for, in UTC.
    """

    path: str
    payload: bool
    user_agent: str
    received_at: datetime


@dataclass(frozen=True, kw_only=True)
class PageSettings:
    """What the pages of a surface have in common."""

    placement: PagePlacement
    page: str
    marker: str | None
    name: str


class WebPageHandle(PlantedHandle):
    """One payload on one web page, served while the handle is entered.

    Args:
        payload: What is planted.
        settings: What the pages of the surface have in common.
        path: The path of the page, decoded.
        server: The server of the page.
        isolation_key: The same for pages that have the same address.
    """

    def __init__(
        self, *, payload: Payload, settings: PageSettings, path: str, server: PageServer, isolation_key: str
    ) -> None:
        super().__init__(
            payload=payload,
            surface_name=settings.name,
            place=f"{server.stated_url or 'a free port of this machine'}{path}",
            isolation_key=isolation_key,
        )
        self._settings = settings
        self._path = path
        self._server = server
        self._base_url = server.stated_url
        self._fetches: list[PageFetch] = []
        self._token = object()
        self._forgotten = weakref.finalize(self, server.release, self._token)

    @property
    def url(self) -> str:
        """The address of the page.

        It can be asked for before the handle is entered, since the prompt has to name it. From then on a free
        port is held for the handle, without anybody listening, until it is left or no longer referenced.

        Raises:
            InfrastructureError: If no port can be had.
        """
        if self._base_url is None:
            try:
                self._hold()
            except InfrastructureError as error:
                raise InfrastructureError(self._failure("cannot be given an address", str(error))) from error
        return f"{self._base_url}{percent_encoded(self._path)}"

    @property
    def fetches(self) -> tuple[PageFetch, ...]:
        """The page, and the file that it leads to, each time one was fetched as a whole; oldest first."""
        return tuple(self._fetches)

    @property
    def delivered(self) -> bool:
        """Whether the payload was fetched as a whole."""
        return any(fetch.payload for fetch in self._fetches)

    def with_payload(self, payload: Payload) -> PlantedHandle:
        """A fresh handle for another payload at the same address, if that was asked for and is still held."""
        again = super().with_payload(payload)
        if isinstance(again, WebPageHandle) and again._base_url is None and self._base_url is not None:
            again._hold()  # somebody has named the address
        return again

    async def _plant_async(self, undo: Undo) -> None:
        undo.add(self._release_async)
        base_url = self._hold()
        contents = await run_blocking_async(
            lambda: served_content(
                self._payload,
                placement=self._settings.placement,
                page=self._settings.page,
                marker=self._settings.marker,
                path=self._path,
                base_url=base_url,
            )
        )
        self._server.serve(self._token, {path: self._answer(served) for path, served in contents.items()})

    async def _release_async(self) -> None:
        self._server.release(self._token)
        self._forgotten.detach()

    def _hold(self) -> str:
        self._base_url = self._server.hold(self._token)
        self.place = f"{self._base_url}{self._path}"
        return self._base_url

    def _answer(self, served: Served) -> Callable[[HttpRequest], HttpResponse]:
        def answer(request: HttpRequest) -> HttpResponse:
            if request.method not in {"GET", "HEAD"}:
                return HttpResponse(status=405, body=b"Method not allowed\n", headers={"Allow": "GET, HEAD"})
            fetch = PageFetch(
                path=request.path,
                payload=served.payload,
                user_agent=request.headers.get("user-agent", ""),
                received_at=request.received_at,
            )
            return HttpResponse(
                body=served.body,
                content_type=served.content_type,
                headers={"Cache-Control": "no-store"},
                on_sent=lambda: self._fetches.append(fetch),
                on_lost=lambda: self._fetches.remove(fetch),
            )

        return answer
