import unicodedata

from hypothesis import given, settings
from tests.text.strange_texts import any_text

from rampart.text.fold import fold
from rampart.text.letter_forms import (
    from_full_width,
    from_look_alikes,
    to_full_width,
    to_leetspeak,
    to_look_alikes,
)


@settings(deadline=None)
@given(text=any_text)
def test_full_width_comes_back(text: str) -> None:
    assert from_full_width(to_full_width(text)) == from_full_width(text)


@settings(deadline=None)
@given(text=any_text)
def test_full_width_is_undone_by_folding(text: str) -> None:
    assert fold(to_full_width(text)) == fold(text)


def test_full_width_of_everything_visible() -> None:
    visible = "".join(map(chr, range(0x20, 0x7F)))
    wide = to_full_width(visible)
    assert not any(character.isascii() for character in wide)
    assert unicodedata.normalize("NFKC", wide) == visible
    assert to_full_width("Hi all, ü") == "\uff28\uff49\u3000\uff41\uff4c\uff4c\uff0c\u3000ü"


@settings(deadline=None)
@given(text=any_text)
def test_look_alikes_come_back(text: str) -> None:
    assert from_look_alikes(to_look_alikes(text)) == from_look_alikes(text)


@settings(deadline=None)
@given(text=any_text)
def test_look_alikes_are_undone_by_folding(text: str) -> None:
    assert fold(to_look_alikes(text), confusables=True) == fold(text, confusables=True)


def test_look_alikes_are_other_letters() -> None:
    changed = to_look_alikes("Send the password")
    assert changed != "Send the password"
    assert fold(changed) != fold("Send the password")
    assert len(changed) == len("Send the password")


def test_leetspeak_changes_letters_and_nothing_else() -> None:
    assert to_leetspeak("Send it to Eve, Zoé 8\ud800") == "53nd 17 70 3v3, 2oé 8\ud800".replace("2o", "20")
