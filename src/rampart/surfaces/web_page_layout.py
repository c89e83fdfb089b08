"""Where in an HTML page something can be put in."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from rampart.surfaces.web_page_placement import PagePlacement

_DOCTYPE = re.compile(r"\s*<!doctype[^>]*>", re.IGNORECASE)


def put_into_page(page: str, part: str, *, placement: PagePlacement, marker: str | None = None) -> str:
    """The page with `part` in it, and otherwise unchanged.

    Args:
        page: HTML; a fragment without any of the usual elements will do.
        part: What to put in, as HTML.
        placement: Titles are continued or made, meta data comes first in the head, anything else last in the
            body.
        marker: Text that occurs once in the page, and is replaced by the part instead.
    """
    if marker is not None:
        return page.replace(marker, part)
    layout = _Layout(page)
    if placement is PagePlacement.METADATA:
        return _inserted(page, layout.head, f"\n{part}")
    if placement is not PagePlacement.TITLE:
        return _inserted(page, layout.end, f"{part}\n")
    if layout.title is None:
        return _inserted(page, layout.head, f"\n<title>{part}</title>")
    start, end = layout.title
    return _inserted(page, end, f" - {part}" if page[start:end].strip() else part)


def _inserted(page: str, position: int, part: str) -> str:
    return page[:position] + part + page[position:]


class _Layout(HTMLParser):
    """Positions in a page: where its head begins, its title stands, and its body ends."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=False)
        self._line_starts = [0, *(match.end() for match in re.finditer("\n", page))]
        self._starts: dict[str, int] = {}
        self._ends: dict[str, int] = {}
        self._title_start: int | None = None
        self.title: tuple[int, int] | None = None
        self.feed(page)
        self.close()
        doctype = _DOCTYPE.match(page)
        start = doctype.end() if doctype else 0
        self.head = self._starts.get("head", self._starts.get("html", start))
        self.end = self._ends.get("body", self._ends.get("html", len(page)))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        behind = self._position() + len(self.get_starttag_text() or "")
        if tag in {"head", "html"}:
            self._starts.setdefault(tag, behind)
        elif tag == "title" and self.title is None and "body" not in self._starts:
            self._title_start = behind
        elif tag == "body":
            self._starts["body"] = behind

    def handle_endtag(self, tag: str) -> None:
        if tag in {"body", "html"}:
            self._ends[tag] = self._position()
        elif tag == "title" and self._title_start is not None and self.title is None:
            self.title = (self._title_start, self._position())

    def _position(self) -> int:
        line, column = self.getpos()
        return self._line_starts[line - 1] + column
