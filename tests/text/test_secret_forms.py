"""Secrets in the forms in which they reach a report: escaped, and cut into lines."""

import json
import time
from collections.abc import Callable, Iterator

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rampart.text import redact, register_secret
from rampart.text.oneline import one_line, quote
from rampart.text.secrets import _isolated_secrets

PEM = (
    "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQ\nc2VjcmV0c2VjcmV0c2VjcmV0\n"
    "Zm9v==\n-----END PRIVATE KEY-----\n"
)
AWKWARD = "tok\"en\\with'quotes/and-\xe9-\U0001f600\tend"


@pytest.fixture(autouse=True)
def isolated() -> Iterator[None]:
    with _isolated_secrets():
        yield


def html_safe_json(text: str) -> str:
    """As encoders write it whose output may stand in HTML, with capital digits."""
    return json.dumps(text).replace("'", "\\u0027").replace("\\u00e9", "\\u00E9")


ESCAPES: list[Callable[[str], str]] = [
    repr,
    lambda text: repr(f'"{text}'),
    lambda text: repr(f"'{text}"),
    ascii,
    lambda text: repr(text.encode()),
    json.dumps,
    lambda text: json.dumps(text, ensure_ascii=False),
    lambda text: json.dumps(text).replace("/", "\\/"),
    html_safe_json,
    one_line,
    lambda text: repr({"a": [text]}),
    lambda text: str(KeyError(text)),
    lambda text: repr(repr(text)),
    lambda text: repr(json.dumps(text)),
    lambda text: json.dumps(json.dumps({"a": text})),
    lambda text: json.dumps(repr([json.dumps(text)])),
    lambda text: text.replace("\n", "\r\n"),
    lambda text: json.dumps(text.replace("\n", "\r\n")),
]
IDS = [
    "repr", "repr-single-quotes", "repr-double-quotes", "ascii", "repr-of-bytes", "json", "json-not-ascii",
    "json-with-escaped-slashes", "json-for-html", "quote", "repr-of-containers", "key-error", "repr-twice",
    "repr-of-json", "json-twice", "three-times", "other-line-breaks", "json-of-other-line-breaks",
]  # fmt: skip


@pytest.mark.parametrize("secret", [PEM, AWKWARD], ids=["pem", "awkward"])
@pytest.mark.parametrize("escape", ESCAPES, ids=IDS)
def test_an_escaped_secret_becomes_stars(escape: Callable[[str], str], secret: str) -> None:
    secret = secret.strip()
    escaped = f"before \\ {escape(f'<{secret}>')} after"

    register_secret(secret)

    assert redact(escaped).count("***") == 1
    shown = redact(escaped)
    assert shown.startswith("before \\ ")
    assert shown.endswith(" after")
    assert "<***>" in shown
    assert len(shown) < 60


@pytest.mark.parametrize("escape", ESCAPES, ids=IDS)
def test_other_text_stays_as_it_is(escape: Callable[[str], str]) -> None:
    register_secret(AWKWARD)
    text = escape(AWKWARD.replace("with", "without"))
    assert redact(text) is text


def test_a_quoted_line_shows_nothing_of_an_escaped_secret() -> None:
    register_secret(PEM)
    assert quote(f"no such key: {KeyError(PEM.strip())}") == "no such key: '***'"


@pytest.mark.parametrize("separator", ["\n", "\n    ", "\r\n| ", " ", "\\n"], ids=ascii)
def test_long_lines_of_a_secret_are_hidden_one_by_one(separator: str) -> None:
    register_secret(PEM)
    lines = PEM.splitlines()
    shown = redact("x" + separator.join(lines[:3]) + "x")
    assert "MIIE" not in shown
    assert "c2Vj" not in shown


def test_short_lines_and_the_frame_of_a_key_are_ordinary_text() -> None:
    register_secret(PEM)
    text = "Zm9v== is no -----BEGIN PRIVATE KEY----- at all"
    assert redact(text) is text


def test_a_line_as_long_as_15_characters_is_too_short() -> None:
    register_secret("123456789012345\n1234567890123456")
    assert redact("123456789012345 1234567890123456") == "123456789012345 ***"


def test_a_secret_at_the_end_of_backslashes_is_found() -> None:
    register_secret('"quoted-secret"')
    assert redact('\\\\\\"quoted-secret\\\\\\"!') == "***!"


def test_an_escaped_secret_that_overlaps_another_goes_whole() -> None:
    register_secret("abcdefgh/1234")
    register_secret("/1234/ijklmnop")
    assert redact(r"<abcdefgh\/1234\/ijklmnop>") == "<***>"


@pytest.mark.parametrize(
    "text", ["\\" * 500_000, '\\"' * 250_000, "tok" * 200_000 + "\\", 'tok\\"' * 100_000, "a\\" * 300_000]
)
def test_hostile_text_takes_no_time(text: str) -> None:
    for secret in (AWKWARD, PEM, '"\\"\\"\\"\\"\\"', "a\\a\\a\\a\\a\\b"):
        register_secret(secret)
    started = time.perf_counter()
    redact(text)
    assert time.perf_counter() - started < 3


@settings(deadline=None)
@given(
    st.text("ab\\\"'/\n\r\t\xe9\u2028\x00\U0001f600", min_size=8, max_size=20).filter(
        lambda t: len(t.strip()) > 7
    ),
    st.text("ab\\\"' ", max_size=5),
    st.lists(st.sampled_from([repr, ascii, json.dumps, one_line]), max_size=3),
)
@example(secret="\\\\\\\\\\\r\n\\", around="", escapes=[repr])
def test_no_escaping_lets_a_secret_through(
    secret: str, around: str, escapes: list[Callable[[str], str]]
) -> None:
    secret = secret.strip()
    text = f"<{around}{secret}{around}>"
    rest = f"<{around}S{around}>"
    for escape in escapes:
        text = escape(text)
        rest = escape(rest)
    with _isolated_secrets():
        register_secret(secret)
        shown = redact(text)
        assert "***" in shown
        assert len(shown) <= len(rest) + 3 * len(secret)
        assert redact(shown) == shown
