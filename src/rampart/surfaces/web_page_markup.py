"""Text as a part of an HTML page, so that a reader of the page gets it back unchanged."""

from __future__ import annotations

import re

from rampart.core.types import PayloadFormat
from rampart.surfaces.web_page_placement import PagePlacement

# What ends a comment: for browsers `-->` and `--!>`, for readers of older standards also `-- >`.
_COMMENT_END = re.compile(r"--!?\s*>")
_PIXEL = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=="


def render_text(content: str, *, payload_format: PayloadFormat, placement: PagePlacement) -> str:
    """The part of a page that holds a text payload.

    HTML goes as it is where elements can stand; everything else is escaped for its place.

    Args:
        content: The payload.
        payload_format: A text format.
        placement: Any but `FILE`.

    Raises:
        ValueError: If no HTML page can hold the text.
    """
    _check(content)
    markup = content if payload_format is PayloadFormat.HTML else escape_text(content)
    match placement:
        case PagePlacement.VISIBLE:
            if payload_format is PayloadFormat.HTML:
                return markup
            return f'<p style="white-space: pre-line">{markup}</p>'
        case PagePlacement.HIDDEN:
            return f'<div style="display: none">{markup}</div>'
        case PagePlacement.COMMENT:
            return f"<!-- {escape_comment(content)} -->"
        case PagePlacement.ALT_TEXT:
            return f'<p><img src="{_PIXEL}" alt="{escape_attribute(content)}"></p>'
        case PagePlacement.METADATA:
            return f'<meta name="description" content="{escape_attribute(content)}">'
        case PagePlacement.TITLE:
            return escape_text(content)
        case PagePlacement.FILE:
            return content


def render_file(url: str, *, payload_format: PayloadFormat) -> str:
    """The part of a page that shows an image, or leads to another file."""
    address = escape_attribute(url)
    if payload_format is PayloadFormat.IMAGE:
        return f'<p><img src="{address}" alt=""></p>'
    return f'<p><a href="{address}">Download as {payload_format.value.upper()}</a></p>'


def escape_text(text: str) -> str:
    """Text between tags, in a title too."""
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return escaped.replace("\r", "&#13;")  # parsers turn a bare one into a line feed


def escape_attribute(text: str) -> str:
    """Text between double quotes."""
    return escape_text(text).replace('"', "&quot;")


def escape_comment(text: str) -> str:
    """Text in a comment, where there is no escaping.

    So it stands as it is, unless it would end the comment. Then `&`, `<` and `>` are written as `&amp;`,
    `&lt;` and `&gt;`: not decoded by parsers, but easily read, and given back by `html.unescape`.
    """
    if _COMMENT_END.search(text) is None:
        return text
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _check(text: str) -> None:
    if "\0" in text:
        msg = "it holds U+0000, which an HTML page cannot hold; remove it or take the placement 'file'"
        raise ValueError(msg)
