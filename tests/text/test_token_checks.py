"""What tells credentials from strings that look like them."""

from __future__ import annotations

import pytest

from rampart.text.token_checks import base62_crc32, bits_per_character, has_pem_body, is_jwt, is_placeholder


def test_the_checksum_of_a_token_that_github_published() -> None:
    assert base62_crc32("zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ") == "0mLq17"


@pytest.mark.parametrize(("text", "bits"), [("", 0.0), ("aaaa", 0.0), ("abab", 1.0), ("abcd", 2.0)])
def test_bits(text: str, bits: float) -> None:
    assert bits_per_character(text) == bits


@pytest.mark.parametrize(
    "text", ["your-key-here", "xxxxxx", "EXAMPLEKEY", "<token>", "${KEY}", "password", "0123456789"]
)
def test_placeholders(text: str) -> None:
    assert is_placeholder(text)


@pytest.mark.parametrize("text", ["a8Zk2mQp4Lx9Tn3Vb7Rc1Ws6", "kTq0-Xc_9"])
def test_no_placeholders(text: str) -> None:
    assert not is_placeholder(text)


@pytest.mark.parametrize(
    "text", ["e30.e30.c2ln", "eyJ.eyJ.x", "W10.e30.c2ln", "eyJhbGciOjF9.e30.c2ln", "[" * 5000 + ".e30.c2ln"]
)
def test_no_web_tokens(text: str) -> None:
    assert not is_jwt("", text)


def test_a_web_token() -> None:
    assert is_jwt("", "eyJhbGciOiJIUzI1NiJ9." + "e30.c2ln")


def test_bodies_of_keys() -> None:
    assert has_pem_body("\n" + "Ab3/" * 16 + "\n" + "Ab3/" * 16, "")
    assert has_pem_body("\\n" + "Ab3/" * 16 + "\\n" + "Ab3/" * 16, "")
    assert not has_pem_body("\n...\n(64 lines of your key)\n" + " " * 64, "")
