import re
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rampart.text import register_secret
from rampart.text.oneline import one_line, quote
from rampart.text.secrets import _isolated_secrets

KEY = "sk-test-AAAA1111"
FORBIDDEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")

any_text = st.text(max_size=80) | st.text(
    st.sampled_from("\x1b[]2;m\x07\n\r\t\x0b\x85\u2028\u202e\ud800ab"), max_size=30
)


@pytest.fixture(autouse=True)
def isolated() -> Iterator[None]:
    with _isolated_secrets():
        yield


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("plain text", "plain text", id="plain"),
        pytest.param("", "", id="empty"),
        pytest.param("naïve 日本 🙂 a\u00a0b", "naïve 日本 🙂 a\u00a0b", id="other-scripts"),
        pytest.param("a\nb", r"a\nb", id="lf"),
        pytest.param("a\r\nb", r"a\r\nb", id="crlf"),
        pytest.param("a\tb", r"a\tb", id="tab"),
        pytest.param("a\x0bb\x0cc", r"a\x0bb\x0cc", id="vt-and-ff"),
        pytest.param("a\x85b", r"a\x85b", id="nel"),
        pytest.param("a\x1cb\x1fc", r"a\x1cb\x1fc", id="separators"),
        pytest.param("a\u2028b\u2029c", r"a\u2028b\u2029c", id="line-and-paragraph-separator"),
        pytest.param("a\x00b\x07c\x7fd", r"a\x00b\x07c\x7fd", id="stray-controls"),
        pytest.param("a\u202eb\u2066c\u200fd", r"a\u202eb\u2066c\u200fd", id="bidirectional-controls"),
        pytest.param("a\ud800b\udfffc", "a\ufffdb\ufffdc", id="lone-surrogates"),
        pytest.param("\x1b[31mred\x1b[0m", "red", id="colour"),
        pytest.param("\x1b[3J\x1b]2;hello\x07", "", id="s88-erase-and-title"),
        pytest.param("end\x1b", r"end\x1b", id="stray-esc"),
        pytest.param(r"C:\new\table", r"C:\new\table", id="backslashes-are-text"),
    ],
)
def test_both_show(text: str, shown: str) -> None:
    assert quote(text) == shown
    assert one_line(text) == shown


def test_quote_is_cut_at_500_characters() -> None:
    assert quote("x" * 500) == "x" * 500
    assert quote("x" * 501) == "x" * 500 + "..."
    assert quote("語" * 501) == "語" * 500 + "..."


def test_limit_can_be_given() -> None:
    assert quote("abcdef", limit=3) == "abc..."
    assert quote("abcdef", 6) == "abcdef"


def test_what_is_shown_is_counted_not_what_was_written() -> None:
    assert quote("\n" * 300) == r"\n" * 250 + "..."
    assert quote("\x1b[31m" * 300 + "x") == "x"


def test_an_escape_is_never_cut_in_two() -> None:
    assert quote("abc\u2028", limit=5) == "abc..."
    assert quote("ab\n", limit=4) == r"ab\n"
    assert quote("ab\nc", limit=4) == r"ab\n" + "..."


def test_one_line_is_not_cut() -> None:
    assert one_line("x\n" * 5_000) == r"x\n" * 5_000


def test_s98_secrets_are_shown_as_stars() -> None:
    register_secret(KEY)
    assert quote(f"401: {KEY}\n") == r"401: ***\n"
    assert one_line(f"401: {KEY}\n") == r"401: ***\n"


def test_s98_a_cut_leaves_no_half_of_a_secret() -> None:
    register_secret(KEY)
    assert quote("x" * 490 + KEY) == "x" * 490 + "***"
    assert "sk-" not in quote("x" * 498 + KEY)


def test_s98_a_sequence_inside_a_secret_does_not_hide_it() -> None:
    register_secret(KEY)
    assert quote("key sk-te\x1b[0mst-AAAA1111.") == "key ***."


def test_a_secret_with_a_control_in_it_is_found() -> None:
    register_secret("line one\nline two")
    assert quote("<line one\nline two>") == "<***>"


@settings(deadline=None)
@given(any_text)
def test_s88_a_quote_is_one_clean_line(text: str) -> None:
    for shown in (quote(text), one_line(text)):
        assert not FORBIDDEN.search(shown)
        assert len(shown.splitlines()) <= 1
        shown.encode()


@settings(deadline=None)
@given(any_text)
def test_what_was_quoted_can_be_quoted_again(text: str) -> None:
    assert one_line(one_line(text)) == one_line(text)
    assert quote(quote(text)) == quote(text)


@settings(deadline=None)
@given(any_text, st.integers(0, 20))
def test_a_quote_is_a_beginning_of_the_line(text: str, limit: int) -> None:
    line, shown = one_line(text), quote(text, limit)
    assert shown == line or (len(shown) <= limit + 3 and line.startswith(shown.removesuffix("...")))
    assert (shown == line) is (len(line) <= limit)
