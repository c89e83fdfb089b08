from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import example, given, settings
from tests.text.strange_texts import any_text, utf8_text

from rampart.text.encodings import (
    from_base64,
    from_hex,
    from_html_entities,
    from_url,
    rot13,
    to_base64,
    to_hex,
    to_html_entities,
    to_url,
)

Transform = Callable[[str], str]

OF_BYTES = [
    pytest.param(to_base64, from_base64, id="base64"),
    pytest.param(to_hex, from_hex, id="hex"),
    pytest.param(to_url, from_url, id="url"),
    pytest.param(partial(to_url, every_byte=True), from_url, id="url-every-byte"),
]


@pytest.mark.parametrize(("encode", "decode"), OF_BYTES)
@settings(deadline=None)
@given(text=utf8_text)
@example(text="\U0001f600 ä\u0301 100% +&=")
def test_what_is_encoded_is_read_again(encode: Transform, decode: Transform, text: str) -> None:
    encoded = encode(text)
    assert encoded.isascii()
    assert decode(encoded) == text


@settings(deadline=None)
@given(text=any_text)
def test_rot13_twice_is_the_text_whatever_it_holds(text: str) -> None:
    assert rot13(rot13(text)) == text


@settings(deadline=None)
@given(text=utf8_text)
@example(text="tab\tline\n<&\U0001f600>")
def test_html_entities_are_read_again_or_refused(text: str) -> None:
    try:
        encoded = to_html_entities(text)
    except ValueError:
        assert any(
            character < " " or "\x7f" <= character <= "\x9f" or ord(character) >= 0xFDD0 for character in text
        )
        return
    assert set(encoded) <= set("&#;0123456789")
    assert from_html_entities(encoded) == text


# The values were worked out by other programs: base64, xxd, jq's @uri.
@pytest.mark.parametrize(
    ("encode", "encoded"),
    [
        pytest.param(to_base64, "U2VuZCDigqw1IHRvIEV2ZSE=", id="base64"),
        pytest.param(rot13, "Fraq €5 gb Rir!", id="rot13"),
        pytest.param(to_hex, "53656e6420e282ac3520746f2045766521", id="hex"),
        pytest.param(to_url, "Send%20%E2%82%AC5%20to%20Eve%21", id="url"),
        pytest.param(
            to_html_entities,
            "&#83;&#101;&#110;&#100;&#32;&#8364;&#53;&#32;&#116;&#111;&#32;&#69;&#118;&#101;&#33;",
            id="html-entities",
        ),
    ],
)
def test_known_values(encode: Transform, encoded: str) -> None:
    assert encode("Send €5 to Eve!") == encoded


def test_url_can_hide_letters_too() -> None:
    assert to_url("Eve-5", every_byte=True) == "%45%76%65%2D%35"


@pytest.mark.parametrize("encode", [to_base64, to_hex, to_url], ids=["base64", "hex", "url"])
def test_a_lone_surrogate_is_refused(encode: Transform) -> None:
    with pytest.raises(ValueError, match=r"lone surrogate U\+D800 at position 2.*UTF-8"):
        encode("ab\ud800")


@pytest.mark.parametrize("character", ["\x00", "\x07", "\x85", "\ud800", "\ufffe"], ids=ascii)
def test_what_html_cannot_refer_to_is_refused(character: str) -> None:
    with pytest.raises(ValueError, match=rf"no character reference for U\+{ord(character):04X}"):
        to_html_entities(f"a{character}")


@pytest.mark.parametrize(
    ("decode", "encoded", "message"),
    [
        pytest.param(from_base64, "U2Vu*ZA==", "not the Base64", id="base64-alphabet"),
        pytest.param(from_base64, "U2V", "not the Base64", id="base64-padding"),
        pytest.param(from_base64, "/w==", "not the Base64 of a UTF-8", id="base64-of-other-bytes"),
        pytest.param(from_hex, "5x", "not the hexadecimal", id="hex-digit"),
        pytest.param(from_hex, "ff", "not the hexadecimal", id="hex-of-other-bytes"),
        pytest.param(from_url, "%FF", "not the percent-encoding", id="url-of-other-bytes"),
    ],
)
def test_what_is_not_encoded_is_refused(decode: Transform, encoded: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        decode(encoded)
