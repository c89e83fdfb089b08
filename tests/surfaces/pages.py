"""Reading HTML pages back, as an agent would."""

from __future__ import annotations

import asyncio
import gc
import html
import socket
import urllib.request
from contextlib import contextmanager
from html.parser import HTMLParser
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class ReadPage(HTMLParser):
    """What stands where in a page.

    Attributes:
        tags: Start tags, in order.
        texts: Text by the tag that it stands in, joined.
        comments: The comments.
        attributes: The values of `alt`, `content`, `href` and `src`, in order.
    """

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.texts: dict[str, str] = {}
        self.comments: list[str] = []
        self.attributes: dict[str, list[str]] = {}
        self._open: list[str] = []
        self.feed(page.replace("\r\n", "\n").replace("\r", "\n"))  # as browsers do, and this parser does not
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in {"meta", "img", "br"}:
            self._open.append(tag)
        for name, value in attrs:
            if name in {"alt", "content", "href", "src"}:
                self.attributes.setdefault(name, []).append(value or "")

    def handle_endtag(self, tag: str) -> None:
        if tag in self._open:
            while self._open.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        tag = self._open[-1] if self._open else ""
        self.texts[tag] = self.texts.get(tag, "") + data

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)


@contextmanager
def garbage_collected() -> Iterator[None]:
    """Collect what was forgotten inside, and look through nothing that was there before, which takes long."""
    gc.freeze()
    try:
        yield
        gc.collect()
    finally:
        gc.unfreeze()


def everything(page: str) -> str:
    """All that an agent could read in a page: text, attributes, comments."""
    read = ReadPage(page)
    parts = [
        *read.texts.values(),
        *read.comments,
        *(one for many in read.attributes.values() for one in many),
    ]
    return "\n".join(html.unescape(part) for part in parts)


def fetch(url: str, *, user_agent: str = "Python-urllib/3") -> str:
    """What is served at an address."""
    request = urllib.request.Request(url, headers={"User-Agent": user_agent})
    with urllib.request.urlopen(request, timeout=10) as response:
        content: bytes = response.read()
    return content.decode()


async def fetch_async(url: str) -> str:
    """Do the same in a thread, as several agents at once would."""
    return await asyncio.to_thread(fetch, url)


def free_port() -> int:
    """A port that nobody uses now."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port
