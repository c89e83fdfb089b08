"""Planting payloads on web pages of a server on this machine."""

from __future__ import annotations

import secrets
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from rampart.servers.http_server import HOST, check_port
from rampart.surfaces.handle import repeatable
from rampart.surfaces.web_page_handle import PageSettings, WebPageHandle
from rampart.surfaces.web_page_placement import ONE_PLACE, PagePlacement, as_placement
from rampart.surfaces.web_page_server import page_server

if TYPE_CHECKING:
    from rampart.core.types import Payload


class WebPageSurface:
    """Serves pages that hold a payload, on 127.0.0.1, and knows who fetched them.

    The server runs in a thread of its own, shared by all handles of the surface, from the first handle that
    is entered to the last that is left.

    Args:
        placement: Where in the page the payload stands; its name will do.
        page: The page as HTML, into which the payload is put; None takes a harmless one about opening hours.
        marker: Text that occurs once in `page` and is replaced by the payload; None puts a payload that
            stands in the body last in it. Not for titles, meta data and payloads without a page.
        path: The path of the page, such as `/offer`. None gives each handle a fresh one, so that trials
            overlap; handles that share port and path do not.
        port: The port; 0 takes a free one. Surfaces of one process that state the same port share its server.
        name: What reports call the surface; None says `web page`, with the path where one is given.

    Raises:
        TypeError: If something is of the wrong type.
        ValueError: If the placement, path or port cannot be one, or the page does not hold the marker once.
    """

    def __init__(
        self,
        *,
        placement: PagePlacement | str = PagePlacement.VISIBLE,
        page: str | None = None,
        marker: str | None = None,
        path: str | None = None,
        port: int = 0,
        name: str | None = None,
    ) -> None:
        placed = as_placement(placement)
        self._path = None if path is None else _checked_path(path)
        _check_page(page, marker, placed)
        self._settings = PageSettings(
            placement=placed,
            page=_default_page() if page is None else page,
            marker=marker,
            name=name or ("web page" if self._path is None else f"web page {self._path}"),
        )
        self._server = page_server(check_port(port))
        # Nobody knows a free port yet, so the surface stands for it.
        self._origin = f"{HOST}:{port}" if port else secrets.token_hex(4)

    def inject(self, *, payload: Payload) -> WebPageHandle:
        """Prepare a page with the payload; it is served while the handle is entered."""
        path = self._path or f"/pages/{secrets.token_hex(6)}"
        return repeatable(partial(self._handle, path), payload)

    def _handle(self, path: str, payload: Payload) -> WebPageHandle:
        return WebPageHandle(
            payload=payload,
            settings=self._settings,
            path=path,
            server=self._server,
            isolation_key=f"web page {self._origin}{path}",
        )


def _checked_path(path: str) -> str:
    if not isinstance(path, str):
        msg = f"path must be a str, got {path!r}"
        raise TypeError(msg)
    decoded = unquote(path)
    if (
        not decoded.startswith("/")
        or decoded.startswith("//")
        or any(character in "?#\\" or not character.isprintable() for character in decoded)
        or {".", ".."} & set(decoded.split("/"))
    ):
        msg = (
            f"path must begin with one slash and hold no '?', '#', backslash, control character, '.' or '..' "
            f"as a segment, such as '/offer'; got {path!r}"
        )
        raise ValueError(msg)
    return decoded


def _check_page(page: str | None, marker: str | None, placement: PagePlacement) -> None:
    if page is not None and not isinstance(page, str):
        msg = f"page must be the HTML text of a page, got {type(page).__name__}; read the file first"
        raise TypeError(msg)
    if marker is None:
        return
    if placement not in ONE_PLACE:
        msg = f"a marker cannot say where {placement.value!r} is; leave it out"
        raise ValueError(msg)
    count = 0 if not marker or page is None else page.count(marker)
    if count != 1:
        msg = f"page must hold the marker {marker!r} exactly once, and holds it {count} times"
        raise ValueError(msg)


@cache
def _default_page() -> str:
    return Path(__file__).with_suffix(".html").read_text(encoding="utf-8")
