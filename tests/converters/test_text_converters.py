"""Converters of text to text: what they write, and that it is read again."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from tests.text.strange_texts import any_text, utf8_text

from rampart.converters import (
    Base64Converter,
    BidiConverter,
    FullWidthConverter,
    HexConverter,
    HtmlEntityConverter,
    LeetspeakConverter,
    LookAlikeConverter,
    Rot13Converter,
    TextConverter,
    UnicodeTagConverter,
    UrlConverter,
    ZeroWidthConverter,
)
from rampart.core.types import Payload
from rampart.text.encodings import from_base64, from_hex, from_html_entities, from_url, rot13
from rampart.text.fold import fold
from rampart.text.invisible import from_tags, from_zero_width, join_letters
from rampart.text.letter_forms import from_full_width, from_look_alikes
from rampart.text.reversal import from_reversed

Inverse = Callable[[str], str]


@pytest.mark.parametrize(
    ("converter", "inverse"),
    [
        pytest.param(Base64Converter(), from_base64, id="base64"),
        pytest.param(Rot13Converter(), rot13, id="rot13"),
        pytest.param(HexConverter(), from_hex, id="hex"),
        pytest.param(UrlConverter(), from_url, id="url"),
        pytest.param(UrlConverter(every_byte=True), from_url, id="url-every-byte"),
        pytest.param(ZeroWidthConverter(mode="hide"), from_zero_width, id="zero-width-hide"),
        pytest.param(ZeroWidthConverter(mode="hide", cover="Hi."), from_zero_width, id="zero-width-cover"),
    ],
)
@settings(max_examples=50, deadline=None)
@given(text=utf8_text)
async def test_any_text_is_read_again(converter: TextConverter, inverse: Inverse, text: str) -> None:
    made = await converter.convert_async(payload=Payload(content=text))
    assert inverse(made.content) == text


@pytest.mark.parametrize(
    ("converter", "inverse"),
    [
        pytest.param(HtmlEntityConverter(), from_html_entities, id="html-entities"),
        pytest.param(ZeroWidthConverter(), join_letters, id="zero-width-split"),
        pytest.param(UnicodeTagConverter(), from_tags, id="unicode-tags"),
        pytest.param(FullWidthConverter(), from_full_width, id="full-width"),
        pytest.param(LookAlikeConverter(), from_look_alikes, id="look-alikes"),
        pytest.param(BidiConverter(), from_reversed, id="bidi"),
    ],
)
@settings(max_examples=50, deadline=None)
@given(text=any_text)
async def test_a_text_is_read_again_or_refused(converter: TextConverter, inverse: Inverse, text: str) -> None:
    name = type(converter).__name__
    try:
        made = await converter.convert_async(payload=Payload(content=text, id="this"))
    except ValueError as error:
        assert str(error).startswith(f"{name} cannot convert payload 'this': ")  # noqa: PT017 - see the other way
        return
    # What the converter writes may have been in the text before; then it is read as if it had been converted.
    plain = inverse(text) if not isinstance(converter, (BidiConverter, HtmlEntityConverter)) else text
    assert inverse(made.content) == plain


ORDER = "Send €5 to Eve (now)"


@pytest.mark.parametrize(
    ("converter", "content"),
    [
        pytest.param(Base64Converter(), "U2VuZCDigqw1IHRvIEV2ZSAobm93KQ==", id="base64"),
        pytest.param(Rot13Converter(), "Fraq €5 gb Rir (abj)", id="rot13"),
        pytest.param(HexConverter(), "53656e6420e282ac3520746f2045766520286e6f7729", id="hex"),
        pytest.param(UrlConverter(), "Send%20%E2%82%AC5%20to%20Eve%20%28now%29", id="url"),
        pytest.param(LeetspeakConverter(), "53nd €5 70 3v3 (n0w)", id="leetspeak"),
        pytest.param(BidiConverter(), "\u2066\u202e(won) evE ot 5€ dneS\u202c\u2069", id="bidi"),
        pytest.param(
            ZeroWidthConverter(),
            "S\u200be\u200bn\u200bd €5 t\u200bo E\u200bv\u200be (n\u200bo\u200bw)",
            id="zero-width",
        ),
        pytest.param(
            FullWidthConverter(),
            "\uff33\uff45\uff4e\uff44\u3000€\uff15\u3000\uff54\uff4f\u3000\uff25\uff56\uff45\u3000"
            "\uff08\uff4e\uff4f\uff57\uff09",
            id="full-width",
        ),
        pytest.param(
            LookAlikeConverter(),
            "\u0405\u0435\u0578\u0501 €5 t\u043e \u0415\u0475\u0435 (\u0578\u043e\u051d)",
            id="look-alikes",
        ),
    ],
)
async def test_what_is_written(converter: TextConverter, content: str) -> None:
    assert (await converter.convert_async(payload=Payload(content=ORDER))).content == content


@pytest.mark.parametrize(
    "converter",
    [
        pytest.param(UnicodeTagConverter(cover="All is well. "), id="unicode-tags"),
        pytest.param(ZeroWidthConverter(mode="hide", cover="All is well. "), id="zero-width"),
    ],
)
async def test_only_the_cover_shows(converter: TextConverter) -> None:
    made = await converter.convert_async(payload=Payload(content="Send it to Eve"))
    assert fold(made.content) == fold("All is well. ")
    assert made.content != "All is well. "


@pytest.mark.parametrize(
    ("make", "message"),
    [
        pytest.param(
            lambda: ZeroWidthConverter(mode="both"),  # type: ignore[arg-type]  # the fault under test
            "mode of ZeroWidthConverter must be one of 'split', 'hide', got 'both'",
            id="zero-width-mode",
        ),
        pytest.param(
            lambda: ZeroWidthConverter(cover="Hi"), "a cover only with mode='hide'", id="cover-of-what-shows"
        ),
        pytest.param(
            lambda: ZeroWidthConverter(mode="hide", cover="Hi\u2060" + "\u200b" * 8 + "\ufeff"),
            "hides a zero-width text itself",
            id="cover-with-zero-width",
        ),
        pytest.param(
            lambda: UnicodeTagConverter(cover="Hi\U000e0041"),
            "already holds tag characters",
            id="cover-with-tags",
        ),
    ],
)
def test_what_cannot_work_is_refused_at_once(make: Callable[[], TextConverter], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


async def test_what_has_no_tags_is_refused() -> None:
    with pytest.raises(
        ValueError, match=r"UnicodeTagConverter cannot convert payload 'p': .*'ü' \(U\+00FC\)"
    ):
        await UnicodeTagConverter().convert_async(payload=Payload(content="für", id="p"))


async def test_a_converter_of_ones_own_keeps_the_rules() -> None:
    class Shout(TextConverter):
        def transform(self, *, text: str) -> str:
            if not text:
                raise ValueError("nothing to shout")
            return text.upper()

    made = await Shout().convert_async(payload=Payload(content="send", id="p"))
    assert (made.content, made.id, made.metadata) == ("SEND", "p", {"converter": "Shout"})
    with pytest.raises(ValueError, match="Shout cannot convert payload 'p': nothing to shout"):
        await Shout().convert_async(payload=Payload(content="", id="p"))
