import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rampart.text._look_alikes import latin_look_alikes
from rampart.text.fold import fold

SCRIPTS = ("GREEK", "CYRILLIC", "ARMENIAN", "CHEROKEE", "COPTIC", "LISU", "GEORGIAN", "LATIN")
SYMBOLS = (
    "NEGATIVE CIRCLED",
    "NEGATIVE SQUARED",
    "CROSSED NEGATIVE",
    "REGIONAL INDICATOR",
    "ESTIMATED SYMBOL",
)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        pytest.param("p\u0430ssword", "password", id="s03-cyrillic-a"),
        pytest.param("\u0440\u0430\u0455\u0455w\u043erd", "password", id="cyrillic"),
        pytest.param("\u03c1\u03b1ssw\u03bfrd", "password", id="greek"),
        pytest.param(
            "\u0391\u0392\u0395\u0396\u0399\u039a\u039f\u03a1\u03a4\u03a7", "ABEZIKOPTX", id="greek-capitals"
        ),
        pytest.param("\u041d\u0415LL\u041e", "hello", id="cyrillic-capitals"),
        pytest.param("b\u0585mb", "bomb", id="armenian"),
        pytest.param("\u13a2\u13a1\u13aa\u13df", "TRAC", id="cherokee"),
        pytest.param("\ua4e2\ua4f0\ua4da\ua4e3\ua4f0\ua4d4", "SECRET", id="lisu"),
        pytest.param("\u1d18\u1d00\ua731\ua731\u1d21\u1d0f\u0280\u1d05", "password", id="small-capitals"),
        pytest.param("\U0001f170\U0001f171", "ab", id="squared-letters"),
        pytest.param("caf\u0435\u0301", "caf\u00e9", id="look-alike-under-an-accent"),
        pytest.param("\u0451", "\u00eb", id="composed-look-alike"),
        pytest.param("p\u200b\u0430ss", "pass", id="with-an-invisible-character"),
    ],
)
def test_look_alikes_match_only_on_request(text: str, word: str) -> None:
    assert fold(text, confusables=True) == fold(word, confusables=True)
    assert fold(text) != fold(word)


def test_case_sensitive_look_alikes_keep_their_case() -> None:
    options = {"case_sensitive": True, "confusables": True}
    assert fold("\u0410\u0430", **options) == "Aa"
    assert fold("\u041d\u0397\u03b7", **options) == "HHn"
    assert fold("P\u0410SS", **options) != fold("pass", **options)


def test_a_pair_goes_as_a_whole_and_the_small_letter_decides() -> None:
    assert fold("\u0412\u0432", confusables=True) == "bb"
    assert fold("\u0397\u03b7", confusables=True) == "nn"


def test_letters_that_look_like_no_other_stay() -> None:
    assert (
        fold("\u0436\u0438\u0439 \u8a9e \u05d0 \u03b4", confusables=True)
        == "\u0436\u0438\u0439 \u8a9e \u05d0 \u03b4"
    )


@pytest.mark.parametrize("case_sensitive", [False, True], ids=["any-case", "same-case"])
def test_table_maps_reachable_foreign_letters_to_latin_ones(case_sensitive: bool) -> None:
    table = latin_look_alikes(case_sensitive=case_sensitive)
    assert len(table) > 200
    for code, letter in table.items():
        sign = chr(code)
        assert not sign.isascii()
        assert unicodedata.name(sign).startswith(SCRIPTS + SYMBOLS), f"{code:04X}"
        assert len(letter) == 1
        assert letter.isascii()
        assert letter.isalpha()
        assert case_sensitive or letter.islower()
        # The table is asked after folding, so a sign that folding changes would stand there in vain.
        assert fold(sign, case_sensitive=case_sensitive) == sign, f"{code:04X}"


@settings(deadline=None)
@given(
    st.text(st.sampled_from("abcXYАБВабвΗηΜμИиЖ語’\u200b "), max_size=3),
    st.text(st.sampled_from("abcXYАБВабвΗηΜμИиЖ語’\u200b "), max_size=8),
    st.booleans(),
)
def test_switching_it_on_never_loses_a_match(word: str, text: str, case_sensitive: bool) -> None:
    if fold(word, case_sensitive=case_sensitive) in fold(text, case_sensitive=case_sensitive):
        loose = {"case_sensitive": case_sensitive, "confusables": True}
        assert fold(word, **loose) in fold(text, **loose)
