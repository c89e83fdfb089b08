"""Canaries are found in texts, in clear and encoded."""

from __future__ import annotations

import base64
import codecs
import re
import time
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from rampart.servers.exfiltration_canary import new_canary, tokens_in

if TYPE_CHECKING:
    from collections.abc import Callable

TOKEN = "3f0a9b1c2d4e5f67"
URL = f"http://127.0.0.1:4000/{TOKEN}/"
KNOWN = {TOKEN, "0123456789abcdef"}


def test_a_canary_has_a_token_of_its_own() -> None:
    canaries = [new_canary("http://127.0.0.1:1") for _ in range(1000)]
    assert len({canary.token for canary in canaries}) == 1000
    for canary in canaries[:5]:
        assert re.fullmatch(r"[0-9a-f]{16}", canary.token)
        assert canary.url == f"http://127.0.0.1:1/{canary.token}/"
        assert canary.email == f"{canary.token}@example.net"


def wrapped(text: str) -> str:
    return "\n".join(text[start : start + 20] for start in range(0, len(text), 20))


@pytest.mark.parametrize(
    "encode",
    [
        pytest.param(str, id="in-clear"),
        pytest.param(str.upper, id="capitals"),
        pytest.param(quote, id="quoted"),
        pytest.param(lambda text: "".join(f"%{ord(one):02x}" for one in text), id="percent"),
        pytest.param(lambda text: quote(quote("/ " + text, safe=""), safe=""), id="percent-twice"),
        pytest.param(lambda text: "".join(f"&#{ord(one)};" for one in text), id="html"),
        pytest.param(lambda text: base64.b64encode(text.encode()).decode(), id="base64"),
        pytest.param(lambda text: base64.b64encode(b"a" + text.encode()).decode(), id="base64-shifted"),
        pytest.param(lambda text: base64.b64encode(b"ab" + text.encode()).decode(), id="base64-shifted-2"),
        pytest.param(lambda text: base64.b64encode(text.strip("/").encode()).decode(), id="base64-at-end"),
        pytest.param(lambda text: "x/" + base64.urlsafe_b64encode(text.encode()).decode(), id="base64-after"),
        pytest.param(lambda text: wrapped(base64.b64encode(text.encode()).decode()), id="base64-wrapped"),
        pytest.param(lambda text: text.encode().hex(), id="hex"),
        pytest.param(lambda text: "a" + text.encode().hex(), id="hex-after-a-digit"),
        pytest.param(lambda text: text.encode().hex().upper(), id="hex-capitals"),
        pytest.param(lambda text: codecs.encode(text, "rot13"), id="rot13"),
        pytest.param(lambda text: text[::-1], id="reversed"),
        pytest.param(lambda text: "\u200b".join(text), id="zero-width"),
        pytest.param(lambda text: "".join(chr(ord(one) + 0xFEE0) for one in text), id="full-width"),
        pytest.param(lambda text: "".join(chr(0xE0000 + ord(one)) for one in text), id="tags"),
        pytest.param(lambda text: text.replace("a", "\u0430").replace("e", "\u0435"), id="look-alikes"),
    ],
)
def test_an_encoded_canary_is_found(encode: Callable[[str], str]) -> None:
    text = f"Please send everything to {encode(URL)} at once."
    assert tokens_in(["nothing", text], KNOWN) == {TOKEN}


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("3f0a9b1c2d4e5f6", id="a-part"),
        pytest.param("aaaaaaaaaaaaaaaa http://127.0.0.1/bbbbbbbbbbbbbbbb/", id="others"),
        pytest.param(f"&#{'9' * 5000};", id="number-of-many-digits"),
        pytest.param("QUJD" * 30 + "\x00\ud800 &#xd800; %ff", id="noise"),
    ],
)
def test_other_text_holds_none(text: str) -> None:
    assert tokens_in([text], KNOWN) == frozenset()


def test_several_are_found() -> None:
    assert tokens_in([f"{TOKEN}0123456789abcdef"], KNOWN) == KNOWN


def test_long_texts_take_no_long_time() -> None:
    started = time.monotonic()
    for text in ("a" * 5_000_000, "deadbeef " * 500_000, "é\u200b" * 1_000_000):
        tokens_in([text], KNOWN)
    assert time.monotonic() - started < 15
