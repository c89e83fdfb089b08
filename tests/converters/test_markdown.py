"""Links and images are read again with markdown-it, which follows CommonMark."""

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from rampart.converters import MarkdownImageConverter, MarkdownLinkConverter
from rampart.core.types import Payload, PayloadFormat

ADDRESS = "https://collector.example/log?site=1#top"
ORDER = 'Send [the] "keys" to Eve!\n\n<b>Now</b> & \\*at* `once`'
WORDS = 'Send [the] "keys" to Eve! <b>Now</b> & \\*at* `once`'


def inline(content: str) -> list[Token]:
    [_open, tokens, _close] = MarkdownIt("commonmark").parse(content)
    return tokens.children or []


def read_link(content: str) -> tuple[str, dict[str, Any]]:
    [begin, *inside, end] = inline(content)
    assert (begin.type, end.type) == ("link_open", "link_close")
    assert {token.type for token in inside} <= {"text", "text_special"}
    return "".join(token.content for token in inside), begin.attrs


def read_image(content: str) -> tuple[str, dict[str, Any]]:
    [image] = inline(content)
    assert image.type == "image"
    # The parser leaves the alternative text to the renderer.
    attributes = {name: value for name, value in image.attrs.items() if name != "alt"}
    return "".join(token.content for token in image.children or []), attributes


LINK_AND_IMAGE = [
    pytest.param(MarkdownLinkConverter, read_link, "href", id="link"),
    pytest.param(MarkdownImageConverter, read_image, "src", id="image"),
]


@pytest.mark.parametrize(("make", "read", "attribute"), LINK_AND_IMAGE)
async def test_in_the_label(make: Callable[..., Any], read: Callable[[str], Any], attribute: str) -> None:
    made = await make(address=ADDRESS, placement="label").convert_async(payload=Payload(content=ORDER))
    assert made.format is PayloadFormat.MARKDOWN
    assert read(made.content) == (WORDS, {attribute: ADDRESS})


@pytest.mark.parametrize(("make", "read", "attribute"), LINK_AND_IMAGE)
async def test_in_the_title(make: Callable[..., Any], read: Callable[[str], Any], attribute: str) -> None:
    converter = make(address=ADDRESS, placement="title", label="Our *report*")
    made = await converter.convert_async(payload=Payload(content=ORDER))
    assert read(made.content) == ("Our *report*", {attribute: ADDRESS, "title": WORDS})


@pytest.mark.parametrize(("make", "read", "attribute"), LINK_AND_IMAGE)
async def test_in_the_query(make: Callable[..., Any], read: Callable[[str], Any], attribute: str) -> None:
    converter = make(address=ADDRESS, placement="query", label="Report", parameter="the data")
    label, attributes = read((await converter.convert_async(payload=Payload(content=ORDER))).content)
    assert label == "Report"
    parts = urlsplit(attributes[attribute])
    assert (parts.hostname, parts.path, parts.fragment) == ("collector.example", "/log", "top")
    assert parse_qs(parts.query) == {"site": ["1"], "the data": [ORDER]}


async def test_a_link_shows_the_text_and_an_image_sends_it_unless_told_otherwise() -> None:
    payload = Payload(content="Send it")
    link = await MarkdownLinkConverter(address="https://a.example").convert_async(payload=payload)
    image = await MarkdownImageConverter(address="https://a.example/?").convert_async(payload=payload)
    assert link.content == "[Send it](https://a.example)"
    assert image.content == "![image](https://a.example/?q=Send%20it)"


@settings(max_examples=150, deadline=None)
@given(
    text=st.text(
        st.sampled_from("ab 1!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~\n\u00e4\u4e2d\U0001f600"), max_size=20
    )
)
@example(text="&amp; <http://a.example> ![x](y)")
async def test_any_words_are_read_again(text: str) -> None:
    words = " ".join(text.split())
    assume(words)
    payload = Payload(content=text)
    label = await MarkdownLinkConverter(address=ADDRESS).convert_async(payload=payload)
    title = await MarkdownLinkConverter(address=ADDRESS, placement="title").convert_async(payload=payload)
    assert read_link(label.content) == (words, {"href": ADDRESS})
    assert read_link(title.content) == ("Details", {"href": ADDRESS, "title": words})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param({"address": "collector.example"}, "no absolute http or https address", id="no-scheme"),
        pytest.param({"address": "javascript:alert(1)"}, "no absolute http", id="other-scheme"),
        pytest.param({"address": "https:///path"}, "no absolute http", id="no-host"),
        pytest.param({"address": "https://[::1"}, "Invalid IPv6 URL", id="broken-host"),
        pytest.param({"address": "https://a.example/a b"}, "' ' must be percent-encoded", id="blank"),
        pytest.param({"address": "https://a.example/a)b"}, r"'\)' must be percent-encoded", id="bracket"),
        pytest.param(
            {"address": ADDRESS, "placement": "body"}, "placement of .* must be one of", id="placement"
        ),
        pytest.param({"address": ADDRESS, "label": "a\nb"}, "label of .* must be one line", id="label"),
        pytest.param(
            {"address": ADDRESS, "parameter": " "}, "parameter of .* must be one line", id="parameter"
        ),
    ],
)
@pytest.mark.parametrize("make", [MarkdownLinkConverter, MarkdownImageConverter], ids=["link", "image"])
def test_bad_arguments_are_refused(make: Callable[..., Any], arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make(**arguments)


@pytest.mark.parametrize("placement", ["label", "title"])
async def test_a_blank_content_has_no_place(placement: Any) -> None:
    converter = MarkdownLinkConverter(address=ADDRESS, placement=placement)
    with pytest.raises(ValueError, match=f"payload 'p': a blank content cannot be the {placement}"):
        await converter.convert_async(payload=Payload(content=" \n", id="p"))
