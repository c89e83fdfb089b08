import re

import pytest
from hypothesis import assume, example, given, settings
from tests.text.strange_texts import any_text

from rampart.text.reversal import from_reversed, to_reversed

MIRROR_IMAGE = str.maketrans("()[]{}<>", ")(][}{><")


def shown(text: str) -> str:
    """What a screen shows of simple text, left to right, by the rules of UAX #9.

    In an isolate of level 2 an override has level 3: reordered once (L2), and mirrored (L4). Marks are
    shown on the letter they follow (L3).
    """

    def displayed(found: re.Match[str]) -> str:
        return "".join(reversed(re.findall("[^\u0301]\u0301?", found[1]))).translate(MIRROR_IMAGE)

    return re.sub("\u2066\u202e([^\u202c\u2069\n\t]*)\u202c\u2069", displayed, text)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Send it to Eve", id="words"),
        pytest.param("f(a[0]) <b> {c}", id="brackets"),
        pytest.param("cafe\u0301 noir", id="marks"),
        pytest.param("  two\nlines\tand a tab ", id="lines"),
        pytest.param("call 42 or 4.5", id="digits"),
    ],
)
def test_it_is_shown_in_its_right_order_and_stored_in_another(text: str) -> None:
    stored = to_reversed(text)
    assert shown(stored) == text
    assert text.split(maxsplit=1)[0] not in stored


def test_how_it_is_stored() -> None:
    assert to_reversed("Hi (a)\n ok ") == "\u2066\u202e(a) iH\u202c\u2069\n \u2066\u202eko\u202c\u2069 "


def test_an_emoji_of_several_parts_stays_together() -> None:
    emoji = "\U0001f469\U0001f3fd\u200d\U0001f4bb"
    assert emoji in to_reversed(f"a {emoji} b")


@settings(deadline=None)
@given(text=any_text)
@example(text="\u0301a\u200d b\u200d")
@example(text="\U0001f3fd \u200d")
@example(text="a\u200d ")
def test_it_comes_back_or_is_refused(text: str) -> None:
    try:
        stored = to_reversed(text)
    except ValueError:
        assume(False)
    assert from_reversed(stored) == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("say \u05e9", r"U\+05E9 is written from right to left", id="hebrew"),
        pytest.param("say \u0634", r"U\+0634 is written from right to left", id="arabic"),
        pytest.param("a\u202eb", r"U\+202E is a directional control", id="override"),
        pytest.param("a\u200fb", r"U\+200F is a directional control", id="mark"),
    ],
)
def test_what_would_show_backwards_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        to_reversed(text)
