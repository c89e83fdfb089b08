import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rampart.text._normalise import Form, normalise

FORMS: list[Form] = ["NFC", "NFD", "NFKC"]

# Marks of many classes, one that decomposes into two, letters that compose, a symbol, a joiner between marks.
pieces = st.text(
    st.sampled_from("\u0301\u0307\u0323\u0327\u0345\u0344\u0f73\u3099\uff9ea\u304b\u1100\u1161☃\u034f")
)


@pytest.mark.parametrize("form", FORMS)
@settings(deadline=None)
@given(pieces, st.integers(0, 40))
def test_long_text_is_normalised_as_python_does(form: Form, piece: str, repeated: int) -> None:
    long = "x" * 2_000 + piece * repeated + "\u0323\u0301" * 40 + piece
    assert normalise(form, long) == unicodedata.normalize(form, long)


@pytest.mark.parametrize("form", FORMS)
@given(piece=pieces)
def test_short_text_is_normalised_as_python_does(form: Form, piece: str) -> None:
    assert normalise(form, piece) == unicodedata.normalize(form, piece)
