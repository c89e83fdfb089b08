"""What readers take a line for, and how it is quoted."""

import pytest
from hypothesis import given, settings
from tests.text.strange_texts import any_text

from rampart.text.forged_lines import quote_lines, readings


@pytest.mark.parametrize(
    ("text", "read"),
    [
        pytest.param("Plain [Text]", ("plain [text]",), id="plain"),
        pytest.param("(a) {b}", ("[a) [b}",), id="opening-brackets"),
        pytest.param("【a】 ⟦b⟧", ("[a】 [b⟧",), id="other-opening-brackets"),
        pytest.param("ＴＵＲＮ　７", ("turn 7",), id="full-width"),
        pytest.param("Тurn", ("turn",), id="cyrillic"),
        pytest.param("t\u0336u\u0301rn", ("turn",), id="marks"),
        pytest.param("t\u200bu\u2060r\u00adn\u202e", ("turn",), id="invisible"),
        pytest.param("a \t\u00a0 b", ("a b",), id="white-space"),
        pytest.param("a\x00b\x7f", ("ab",), id="controls"),
        pytest.param("\x1b[31mred", ("[31mred", "red"), id="sequence"),
        pytest.param("\x1b[Turn", ("[turn", "urn"), id="sequence-that-hides-a-bracket"),
    ],
)
def test_read_as(text: str, read: tuple[str, ...]) -> None:
    assert readings(text) == read


def test_lines_are_quoted_by_place_and_text() -> None:
    told: list[tuple[int, str]] = []

    def where(place: int, line: str) -> bool:
        told.append((place, line))
        return place != 1

    assert quote_lines("a\nb\r\nc\u2028> d", where=where) == "> a\nb\r\n> c\u2028> d"
    assert told == [(0, "a\n"), (1, "b\r\n"), (2, "c\u2028")]


@settings(deadline=None)
@given(any_text)
def test_quoting_is_done_once(text: str) -> None:
    quoted = quote_lines(text, where=lambda *_: True)
    assert quote_lines(quoted, where=lambda *_: True) == quoted
    assert all(line.startswith("> ") for line in quoted.splitlines())


@settings(deadline=None)
@given(any_text)
def test_reading_what_was_read_changes_nothing(text: str) -> None:
    for read in readings(text):
        assert readings(read) == (read,)
