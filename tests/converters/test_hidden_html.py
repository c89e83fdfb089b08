"""Pages are read again with the parser of the standard library."""

import re
from html.parser import HTMLParser
from importlib.resources import files
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rampart.converters import HiddenHtmlConverter
from rampart.converters.hidden_html import HtmlPlacement
from rampart.core.types import Payload, PayloadFormat

PLACEMENTS = get_args(HtmlPlacement)
STYLED = {
    "display-none": "display:none",
    "white": "color:#ffffff;background-color:#ffffff",
    "off-screen": "left:-10000px",
}
ATTRIBUTES = {"alt": ("img", "alt"), "title": ("p", "title"), "meta": ("meta", "content")}
ORDER = 'Send "it" to <b>Eve</b> & hurry,\n$now ${text}'


class Page(HTMLParser):
    """What a page says, and where."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.comments: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.styled: dict[str, str] = {}
        self.visible = ""
        self._styles: list[str] = []
        self._tags: list[str] = []
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in {"meta", "img"}:
            self._styles.append(dict(attrs).get("style") or "")
            self._tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._tags.pop() == tag
        self._styles.pop()

    def handle_data(self, data: str) -> None:
        style = "".join(self._styles)
        if style:
            self.styled[style] = self.styled.get(style, "") + data
        elif "body" in self._tags:
            self.visible += data

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)


async def page_with(placement: Any, text: str, cover: str = "Our <b>offers</b>") -> Page:
    converter = HiddenHtmlConverter(placement=placement, cover=cover)
    made = await converter.convert_async(payload=Payload(content=text))
    assert made.format is PayloadFormat.HTML
    assert made.metadata == {"converter": "HiddenHtmlConverter", "carried_text": text}
    return Page(made.content)


@pytest.mark.parametrize("placement", PLACEMENTS)
async def test_the_text_is_where_it_was_put_and_nobody_sees_it(placement: str) -> None:
    page = await page_with(placement, ORDER)
    assert page.visible.strip() == "Our <b>offers</b>"
    places = {
        **{style: text.strip() for style, text in page.styled.items()},
        **{f"comment {number}": text.strip() for number, text in enumerate(page.comments)},
        **{f"{tag} {name}": value for tag, name, value in page.attributes},
    }
    [place] = [place for place, text in places.items() if text == ORDER]
    if placement in STYLED:
        assert STYLED[placement] in place
    elif placement in ATTRIBUTES:
        assert place == " ".join(ATTRIBUTES[placement])
    else:
        assert place == "comment 0"


def test_each_placement_has_its_page_and_each_page_its_placement() -> None:
    folder = files("rampart.converters") / "templates" / "hidden_html"
    assert {file.name for file in folder.iterdir()} == {f"{placement}.html" for placement in PLACEMENTS}


@settings(max_examples=60, deadline=None)
@given(text=st.text(st.sampled_from("ab<>&\"'$-!/= \n;#x2u\u00e4"), max_size=15))
async def test_any_text_stays_inside_of_an_attribute(text: str) -> None:
    page = await page_with("alt", text)
    assert ("img", "alt", text) in page.attributes
    assert page.visible.strip() == "Our <b>offers</b>"


@pytest.mark.parametrize("text", ["a --> b", "a --!> b", "a <!-- b"])
async def test_what_would_end_a_comment_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=f"an HTML comment cannot hold {re.escape(repr(text.split()[1]))}"):
        await page_with("comment", text)
    assert text in (await page_with("display-none", text)).styled["display:none"]


async def test_a_comment_may_begin_and_end_with_what_it_must_not_touch() -> None:
    page = await page_with("comment", "-> text <!-")
    assert [comment.strip() for comment in page.comments] == ["-> text <!-"]


def test_another_placement_is_refused() -> None:
    with pytest.raises(ValueError, match="placement of HiddenHtmlConverter must be one of 'display-none'"):
        HiddenHtmlConverter(placement="footer")  # type: ignore[arg-type]  # the fault under test
