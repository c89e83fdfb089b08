import pytest
from hypothesis import given, settings
from tests.text.strange_texts import any_text, utf8_text

from rampart.text.icalendar import folded, from_calendar_text, to_calendar_text


def test_what_a_value_looks_like() -> None:
    assert to_calendar_text("a;b,c\\d:e\r\nf\rg\nh") == r"a\;b\,c\\d:e\nf\ng\nh"


@pytest.mark.parametrize(
    ("value", "text"),
    [(r"a\nb\Nc", "a\nb\nc"), (r"a\\nb", r"a\nb"), (r"\;\,\"", ';,"'), ("open\\", "open\\")],
    ids=["line-breaks", "backslash-before-n", "signs", "open-escape"],
)
def test_what_a_value_says(value: str, text: str) -> None:
    assert from_calendar_text(value) == text


@settings(deadline=None)
@given(text=any_text)
def test_a_text_comes_back_with_one_kind_of_line_break(text: str) -> None:
    value = to_calendar_text(text)
    assert "\n" not in value
    assert from_calendar_text(value) == text.replace("\r\n", "\n").replace("\r", "\n")


@settings(deadline=None)
@given(text=utf8_text.map(lambda text: text.replace("\r", "").replace("\n", "") * 20))
def test_lines_are_short_and_put_together_again(text: str) -> None:
    lines = folded(text).split("\r\n")
    assert max(len(line.encode()) for line in lines) <= 75
    assert all(line.startswith(" ") for line in lines[1:])
    assert lines[0] + "".join(line[1:] for line in lines[1:]) == text


def test_no_line_is_shorter_than_it_must_be() -> None:
    lines = folded("a" * 200, line_break="\n").split("\n")
    assert [len(line) for line in lines] == [75, 75, 52]
