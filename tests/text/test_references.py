"""Character references of HTML, as long as somebody hostile makes them."""

from __future__ import annotations

import html

import pytest

from rampart.text.references import unescape_references


@pytest.mark.parametrize(
    "text",
    [
        *("", "&", "&#", "&#;", "&#a", "&#0;", "&#000", "&amp;#65;", "&lt;b&gt;", "&nosuch;"),
        *(
            "&#x41;&#X0041",
            "&#65;",
            "&#0065",
            "&#65x",
            "&#128;",
            "&#1114111;",
            "&#1114112;",
            "&#12345678;",
            "&#\u0663;",
        ),
    ],
)
def test_as_python_decodes_them(text: str) -> None:
    assert unescape_references(text) == html.unescape(text)


@pytest.mark.parametrize(
    ("text", "decoded"),
    [
        (f"&#{'9' * 5000};x", "\ufffdx"),
        (f"&#{'0' * 5000}65;x", "Ax"),
        (f"&#x{'9' * 5000};x", "\ufffdx"),
    ],
    ids=["beyond all characters", "zeros before", "hexadecimal"],
)
def test_numbers_of_many_digits_are_read(text: str, decoded: str) -> None:
    assert unescape_references(text) == decoded


def test_which_python_refuses() -> None:
    with pytest.raises(ValueError, match="4300"):
        html.unescape(f"&#{'9' * 5000};")
