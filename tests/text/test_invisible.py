import pytest
from hypothesis import example, given, settings
from tests.text.strange_texts import any_text, utf8_text

from rampart.text.fold import fold
from rampart.text.invisible import (
    from_tags,
    from_zero_width,
    join_letters,
    split_letters,
    to_tags,
    to_zero_width,
)


@settings(deadline=None)
@given(text=any_text)
@example(text="\u200ba\u200b")
def test_split_letters_are_joined_again(text: str) -> None:
    assert join_letters(split_letters(text)) == join_letters(text)


@settings(deadline=None)
@given(text=any_text)
def test_splitting_is_undone_by_folding(text: str) -> None:
    assert fold(split_letters(text)) == fold(text)


def test_letters_are_split_and_nothing_else() -> None:
    assert split_letters("No, e\u0301 \U0001f469\u200d\U0001f4bb 42!") == (
        "N\u200bo, e\u0301 \U0001f469\u200d\U0001f4bb 4\u200b2!"
    )


@settings(deadline=None)
@given(text=utf8_text, more=utf8_text)
def test_zero_width_text_is_read_again_and_shows_nothing(text: str, more: str) -> None:
    hidden = to_zero_width(text)
    assert fold(hidden) == ""
    assert from_zero_width(f"Good\u200b {hidden} morning{to_zero_width(more)}") == text + more


def test_the_highest_bit_comes_first() -> None:
    bits = "01000001".replace("0", "\u200b").replace("1", "\u200c")
    assert to_zero_width("A") == f"\u2060{bits}\ufeff"


def test_where_nothing_is_hidden_nothing_is_read() -> None:
    assert from_zero_width("plain \u200b\u200c text") == ""


@pytest.mark.parametrize(
    ("bits", "message"),
    [
        pytest.param("\u200b" * 9, "has 9 bits", id="no-whole-bytes"),
        pytest.param("\u200c" * 8, "no UTF-8", id="other-bytes"),
    ],
)
def test_zero_width_text_that_is_no_text_is_refused(bits: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        from_zero_width(f"\u2060{bits}\ufeff")


def test_a_lone_surrogate_in_zero_width_is_refused() -> None:
    with pytest.raises(ValueError, match=r"lone surrogate U\+DFFF"):
        to_zero_width("\udfff")


@settings(deadline=None)
@given(text=any_text)
def test_tags_are_read_again(text: str) -> None:
    assert from_tags(to_tags(text)) == from_tags(text)


def test_tags_show_nothing() -> None:
    visible = "".join(map(chr, range(0x20, 0x7F)))
    assert fold(to_tags(visible)) == ""


def test_tags_stand_at_a_fixed_distance_from_ascii_and_the_rest_stays() -> None:
    assert to_tags("Hi ~\nü") == "\U000e0048\U000e0069\U000e0020\U000e007e\nü"
