"""Where in a page a payload can stand."""

from __future__ import annotations

from enum import StrEnum


class PagePlacement(StrEnum):
    """Where in a page the payload stands, or that it stands in none."""

    VISIBLE = "visible"
    """In the text of the page: words as a paragraph, HTML as it is, an image as one of the page, any other
    file behind a link."""

    COMMENT = "comment"
    """In an HTML comment, which browsers do not show and readers of the source see."""

    HIDDEN = "hidden"
    """In an element that its style hides."""

    ALT_TEXT = "alt_text"
    """In the text that stands for an image."""

    TITLE = "title"
    """In the title of the page, behind the title that it has."""

    METADATA = "metadata"
    """In the description among the page's meta data."""

    FILE = "file"
    """In no page: the address gives the payload itself, words as text and a file as that file."""


ONE_PLACE = (PagePlacement.VISIBLE, PagePlacement.COMMENT, PagePlacement.HIDDEN, PagePlacement.ALT_TEXT)
"""Placements that stand somewhere in the body of a page, so that a marker can say where."""

FOR_FILES = (PagePlacement.VISIBLE, PagePlacement.FILE)
"""Placements for payloads that are files."""


def as_placement(value: object) -> PagePlacement:
    """The placement of that name.

    Raises:
        ValueError: If there is none.
    """
    try:
        return PagePlacement(value)  # type: ignore[arg-type]  # users may pass anything; the enum refuses it
    except ValueError:
        msg = f"placement must be one of {', '.join(PagePlacement)}, got {value!r}"
        raise ValueError(msg) from None
