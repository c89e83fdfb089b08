"""Finding whole words in folded text, in scripts with and without spaces between words."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import islice

from rampart.text.fold import fold

_TOKEN = re.compile(r"\S+")
_KATAKANA = re.compile(r"[\u30a1-\u30fa\u30fc-\u30fe\u31f0-\u31ff]")
_HANGUL = re.compile(r"[\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3]")
_WITHOUT_SPACES = re.compile(
    r"[\u0e01-\u0e5b\u0e80-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u309f\u3400-\u4dbf\u4e00-\u9fff"
    r"\uf900-\ufaff\U00020000-\U0003ffff]"
)
"""Thai, Lao, Burmese, Khmer, Hiragana and Han: where a word ends is not written."""


def find_word(word: str, text: str, /, *, whole: bool) -> int | None:
    """Where in a folded text a folded word begins, or None.

    A word is whole if no letter, mark, digit or underscore is joined to it. Scripts that put no spaces
    between words have no such ends, so their words are found anywhere, except that a word in Katakana is not
    found inside a longer run of Katakana. Korean words may have particles behind them.
    """
    start = text.find(word)
    while whole and start >= 0:
        end = start + len(word)
        before = text[start - 1] if start else ""
        after = text[end] if end < len(text) else ""
        if _ends_before(word[0], before) and _ends_behind(word[-1], after):
            break
        start = text.find(word, start + 1)
    return start if start >= 0 else None


def place_in_raw(word: str, at: int, *, folded: str, raw: str, case_sensitive: bool) -> tuple[int, int]:
    """Where in the text as it came stands what was found in its folded form, word for word.

    Words are as white space separates them; where folding changed their number, the whole text is the place.
    """
    lead = len(folded) - len(folded.lstrip())
    first = folded.count(" ", lead, at)
    count = word.count(" ") + 1
    tokens = (one for one in _TOKEN.finditer(raw) if one[0].isascii() or fold(one[0]))
    found = list(islice(tokens, first, first + count))
    if not found:
        return 0, len(raw)
    start, end = found[0].start(), found[-1].end()
    shown = fold(raw[start:end], case_sensitive=case_sensitive)
    if word not in shown:
        return 0, len(raw)
    if len(shown) == end - start:  # character for character, so the exact place is known
        start += shown.index(word)
        end = start + len(word)
    return start, end


def _ends_before(edge: str, neighbour: str) -> bool:
    return not neighbour or _apart(edge, neighbour)


def _ends_behind(edge: str, neighbour: str) -> bool:
    if not neighbour:
        return True
    return (_is_hangul(edge) and _is_hangul(neighbour)) or _apart(edge, neighbour)


def _apart(edge: str, neighbour: str) -> bool:
    """Whether a word may end between two characters."""
    if not (_joins(edge) and _joins(neighbour)):
        return True
    katakana = [_KATAKANA.match(one) is not None for one in (edge, neighbour)]
    if any(katakana):
        return not all(katakana)
    return any(_WITHOUT_SPACES.match(one) for one in (edge, neighbour))


@lru_cache(maxsize=4096)
def _joins(character: str) -> bool:
    return character == "_" or character.isalnum() or unicodedata.category(character).startswith("M")


def _is_hangul(character: str) -> bool:
    return _HANGUL.match(character) is not None
