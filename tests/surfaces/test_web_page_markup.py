"""Text in a page neither breaks out of its place nor is lost."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.surfaces.pages import ReadPage

from rampart.core.types import PayloadFormat
from rampart.surfaces.web_page_layout import put_into_page
from rampart.surfaces.web_page_markup import render_text
from rampart.surfaces.web_page_placement import PagePlacement

PAGE = "<!DOCTYPE html><html><head><title>Shop</title></head><body><h1>Hours</h1></body></html>"

ESCAPED = [
    PagePlacement.VISIBLE,
    PagePlacement.HIDDEN,
    PagePlacement.ALT_TEXT,
    PagePlacement.TITLE,
    PagePlacement.METADATA,
]
TRICKS = [
    'He said "call me" & left',
    "</title></head><body><script>alert(1)</script>",
    "a --> b",
    "--!> <b>bold</b>",
    "-- > and &gt; and &amp;",
    "--><!-- <",
    '"> <img src=x onerror=y>',
    "' onload='x",
    "&lt;already&gt; &#65; &nosuch &copy=1",
    "</p></div></body></html>",
    "<!-- <!--> -->",
    ">starts",
    "->starts",
    "ends--",
    "ends<!-",
    "two\nlines\n\nand a tab\t.",
    "carriage\rreturn\r\n",
    "zero\u200bwidth, tag \U000e0041, full \uff21",
    "]]> <![CDATA[x]]> <?php ?> <!doctype x>",
    "{{ template }} ${x}",
]


def rendered(
    content: str, placement: PagePlacement, payload_format: PayloadFormat = PayloadFormat.TEXT
) -> str:
    part = render_text(content, payload_format=payload_format, placement=placement)
    return put_into_page(PAGE, part, placement=placement)


def read_back(page: str, placement: PagePlacement) -> str:
    read = ReadPage(page)
    match placement:
        case PagePlacement.VISIBLE:
            return read.texts["p"]
        case PagePlacement.HIDDEN:
            return read.texts["div"]
        case PagePlacement.ALT_TEXT:
            return read.attributes["alt"][0]
        case PagePlacement.METADATA:
            return read.attributes["content"][0]
        case PagePlacement.TITLE:
            return read.texts["title"].removeprefix("Shop - ")
        case _:
            [comment] = read.comments
            return comment[1:-1]


def assert_nothing_else_changed(page: str, placement: PagePlacement) -> None:
    harmless = ReadPage(rendered("harmless", placement))
    read = ReadPage(page)
    assert read.tags == harmless.tags
    assert read.texts["h1"] == "Hours"
    assert len(read.comments) == len(harmless.comments)


@pytest.mark.parametrize("placement", ESCAPED)
@pytest.mark.parametrize("payload_format", [PayloadFormat.TEXT, PayloadFormat.MARKDOWN])
@pytest.mark.parametrize("content", TRICKS)
def test_text_stays_in_its_place(
    content: str, placement: PagePlacement, payload_format: PayloadFormat
) -> None:
    page = rendered(content, placement, payload_format)
    assert read_back(page, placement) == content
    assert_nothing_else_changed(page, placement)


# Characters that HTML has no way to carry are refused or left to the encoder; see below.
_TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)


@pytest.mark.parametrize("placement", ESCAPED)
@given(content=st.one_of(_TEXT, st.text("<>&\"'-!/ \r\n;#xp", min_size=1)))
def test_any_text_is_read_back(placement: PagePlacement, content: str) -> None:
    page = rendered(content, placement)
    assert read_back(page, placement) == content
    assert_nothing_else_changed(page, placement)


@pytest.mark.parametrize("content", TRICKS)
@pytest.mark.parametrize("payload_format", [PayloadFormat.TEXT, PayloadFormat.HTML])
def test_comments_are_never_ended_by_what_is_in_them(content: str, payload_format: PayloadFormat) -> None:
    page = rendered(content, PagePlacement.COMMENT, payload_format)
    assert_nothing_else_changed(page, PagePlacement.COMMENT)
    comment = read_back(page, PagePlacement.COMMENT)
    ends = re.search(r"--!?\s*>", content) is not None
    lines = content.replace("\r\n", "\n").replace("\r", "\n")  # a comment has no way to say otherwise
    assert (html.unescape(comment) if ends else comment) == lines


def test_only_a_comment_that_would_end_is_escaped() -> None:
    assert "<!-- a > b & <c> -->" in rendered("a > b & <c>", PagePlacement.COMMENT)
    assert "<!-- a --&gt; &amp; -->" in rendered("a --> &", PagePlacement.COMMENT)


@given(content=st.text("<>!- a", min_size=1))
def test_no_comment_ends_early(content: str) -> None:
    page = rendered(content, PagePlacement.COMMENT)
    body = page.split("<h1>Hours</h1>")[1]
    assert re.findall(r"--!?>", body) == ["-->"]
    assert_nothing_else_changed(page, PagePlacement.COMMENT)


@pytest.mark.parametrize("placement", [PagePlacement.VISIBLE, PagePlacement.HIDDEN])
def test_html_stays_html_among_elements(placement: PagePlacement) -> None:
    page = rendered('<b class="x">now</b>', placement, PayloadFormat.HTML)
    assert '<b class="x">now</b>' in page


@pytest.mark.parametrize("placement", [PagePlacement.ALT_TEXT, PagePlacement.METADATA, PagePlacement.TITLE])
def test_html_is_text_where_no_elements_can_stand(placement: PagePlacement) -> None:
    page = rendered('<b class="x">now</b>', placement, PayloadFormat.HTML)
    assert read_back(page, placement) == '<b class="x">now</b>'
    assert_nothing_else_changed(page, placement)


def test_hidden_text_is_hidden_and_visible_text_is_not() -> None:
    assert '<div style="display: none">x</div>' in rendered("x", PagePlacement.HIDDEN)
    assert "display" not in rendered("x", PagePlacement.VISIBLE)


def test_a_null_character_is_refused() -> None:
    with pytest.raises(ValueError, match=r"U\+0000, which an HTML page cannot hold"):
        rendered("a\0b", PagePlacement.VISIBLE)


def put(page: str, placement: PagePlacement, part: str = "X") -> str:
    return put_into_page(page, part, placement=placement)


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        pytest.param("<body><p>a</p></body>", "<body><p>a</p>X\n</body>", id="body"),
        pytest.param("<BODY>a</BODY\n></HTML>", "<BODY>aX\n</BODY\n></HTML>", id="capitals"),
        pytest.param("<html>a</html>", "<html>aX\n</html>", id="no-body"),
        pytest.param("<p>a", "<p>aX\n", id="fragment"),
        pytest.param("", "X\n", id="empty"),
        pytest.param("<body>a<!-- </body> --></body>", "<body>a<!-- </body> -->X\n</body>", id="comment"),
        pytest.param(
            "<body><script>'</body>'</script></body>",
            "<body><script>'</body>'</script>X\n</body>",
            id="script",
        ),
        pytest.param("<body>\r\né</body>\r\n", "<body>\r\néX\n</body>\r\n", id="line-ends"),
    ],
)
def test_the_end_of_the_body(page: str, expected: str) -> None:
    assert put(page, PagePlacement.VISIBLE) == expected


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        pytest.param("<head><meta></head>", "<head>\nX<meta></head>", id="head"),
        pytest.param("<!doctype html><html lang=en><p>", "<!doctype html><html lang=en>\nX<p>", id="html"),
        pytest.param(" <!DOCTYPE html>\n<p>", " <!DOCTYPE html>\nX\n<p>", id="doctype"),
        pytest.param("<p>", "\nX<p>", id="fragment"),
    ],
)
def test_the_beginning_of_the_head(page: str, expected: str) -> None:
    assert put(page, PagePlacement.METADATA) == expected


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        pytest.param("<title>Shop</title>", "<title>Shop - X</title>", id="continued"),
        pytest.param("<title> </title>", "<title> X</title>", id="empty"),
        pytest.param("<head></head>", "<head>\n<title>X</title></head>", id="made"),
        pytest.param(
            "<head></head><body><svg><title>a</title></svg></body>",
            "<head>\n<title>X</title></head><body><svg><title>a</title></svg></body>",
            id="not-that-of-a-picture",
        ),
        pytest.param(
            "<title>A</title><title>B</title>", "<title>A - X</title><title>B</title>", id="the-first"
        ),
    ],
)
def test_the_title(page: str, expected: str) -> None:
    assert put(page, PagePlacement.TITLE) == expected


def test_a_marker_says_where() -> None:
    page = put_into_page("<p>a</p>HERE<p>b</p>", "X", placement=PagePlacement.COMMENT, marker="HERE")
    assert page == "<p>a</p>X<p>b</p>"
