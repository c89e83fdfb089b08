"""The converter that hides the content in a web page."""

from __future__ import annotations

import html
import string
from functools import cache
from importlib.resources import files
from typing import Any, ClassVar, Literal, get_args

from rampart.converters._options import require_one_of
from rampart.converters.conversion import CARRIED_TEXT
from rampart.converters.text_converter import TextConverter
from rampart.core.types import PayloadFormat

HtmlPlacement = Literal["display-none", "white", "off-screen", "comment", "alt", "title", "meta"]

_TEMPLATES = "templates/hidden_html"
_IN_COMMENTS_FORBIDDEN = ("-->", "--!>", "<!--")


class HiddenHtmlConverter(TextConverter):
    """A web page that holds the content where a visitor does not see it; the result is HTML.

    `metadata["carried_text"]` keeps the content apart from the page: it tells whether the hidden part was
    read, where finding the cover would not.

    Args:
        placement: `display-none`, `white` (tiny, on white) or `off-screen`: hidden by style. `comment`: in an
            HTML comment. `alt`: the alternative text of an image. `title`: the title attribute of the cover.
            `meta`: the description of the page.
        cover: The visible text of the page.

    Raises:
        ValueError: If the placement is none of these.
    """

    output_format: ClassVar[PayloadFormat] = PayloadFormat.HTML

    def __init__(self, *, placement: HtmlPlacement = "display-none", cover: str = "Welcome.") -> None:
        self._placement = require_one_of(
            placement, get_args(HtmlPlacement), what="placement of HiddenHtmlConverter"
        )
        self._cover = html.escape(cover)

    def transform(self, *, text: str) -> str:
        """The page that hides `text`."""
        return _template(self._placement).substitute(cover=self._cover, text=self._written(text))

    def about(self, *, text: str) -> dict[str, Any]:
        """The text without the page around it."""
        return {CARRIED_TEXT: text}

    def _written(self, text: str) -> str:
        if self._placement != "comment":
            return html.escape(text)
        for forbidden in _IN_COMMENTS_FORBIDDEN:
            if forbidden in text:
                msg = f"an HTML comment cannot hold {forbidden!r}; choose another placement"
                raise ValueError(msg)
        return text


@cache
def _template(placement: str) -> string.Template:
    file = files("rampart.converters").joinpath(f"{_TEMPLATES}/{placement}.html")
    return string.Template(file.read_text(encoding="utf-8"))
