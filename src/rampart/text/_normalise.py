"""Unicode normalisation in time that hostile text cannot blow up."""

import re
import unicodedata
from itertools import groupby
from typing import Literal

Form = Literal["NFC", "NFD", "NFKC"]

# Shorter text cannot hold enough marks to matter: milliseconds at worst.
_SHORT = 2_000

# Combining marks are never letters, digits or white space; nor is much else that harmlessly matches too.
_LONG_RUN = re.compile(r"[^\w\s\x00-\x7f]{30,}")


def normalise(form: Form, text: str) -> str:
    """Do as `unicodedata.normalize`, whose time grows with the square of a run of unordered combining marks.

    Putting such runs into their canonical order beforehand changes no result and leaves it nothing to sort.
    """
    if len(text) > _SHORT:
        text = _LONG_RUN.sub(_in_order, text)
    return unicodedata.normalize(form, text)


def _in_order(run: re.Match[str]) -> str:
    # One character at a time: decomposing the whole run is what takes so long.
    apart = "".join(unicodedata.normalize("NFD", character) for character in run[0])
    stretches = groupby(apart, key=lambda character: unicodedata.combining(character) > 0)
    return "".join(
        "".join(sorted(stretch, key=unicodedata.combining)) if are_marks else "".join(stretch)
        for are_marks, stretch in stretches
    )
