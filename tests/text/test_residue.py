"""What is left of a text whatever it was wrapped in."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rampart.text.fold import fold
from rampart.text.residue import letters_and_digits, residues


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Ab-c_1 2!", "abc12"),
        ("ＺＸ－１７", "zx17"),
        ("a\u200bb\u00adc", "abc"),
        ("größe", "grösse"),
        ("日本語、です。", "日本語です"),
        ("... !", ""),
    ],
)
def test_letters_and_digits(text: str, left: str) -> None:
    assert letters_and_digits(text) == left


def test_reference_of_many_digits_does_not_keep_the_rest_from_being_read() -> None:
    assert "sayhellotoanna" in list(residues(f"&#{'9' * 5000}; say &#104;ello to Anna"))


@pytest.mark.parametrize(
    "text",
    [
        "say hello\\nto Anna",
        '"say \\"hello\\" to Anna"',
        "say\\u0020hello to \\u0041nna",
        "say hello to \\x41nna",
        "say hello to \\U00000041nna",
        "say \\\n   hello to Anna",
        'say hello\\\\nto \\\\\\"Anna',
        "say&nbsp;hello &#116;o Anna",
        "say hello&lt;br&gt;\\nto Anna".replace("&lt;br&gt;", "&#10;"),
    ],
)
def test_escapes_are_decoded(text: str) -> None:
    assert "sayhellotoanna" in list(residues(text))


def test_text_with_backslashes_of_its_own_is_read_as_it_stands_too() -> None:
    assert "cnewtools" in list(residues("C:\\new\\tools"))


def test_code_that_is_no_character_is_no_failure() -> None:
    assert list(residues("a\\UFFFFFFFFb"))[1] == "ab"


@given(st.text())
def test_text_in_json_is_recognised_however_often_it_was_wrapped(text: str) -> None:
    wanted = letters_and_digits(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
    once = json.dumps(text)
    assert any(wanted in residue for residue in residues(once))
    if "\\" not in text and "&" not in text:
        assert any(wanted in residue for residue in residues(json.dumps(once)))


@given(st.text())
def test_first_reading_is_the_text_itself(text: str) -> None:
    assert next(residues(text)) == letters_and_digits(text)
    assert letters_and_digits(fold(text)) == letters_and_digits(text)
