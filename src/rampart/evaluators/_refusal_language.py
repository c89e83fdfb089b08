"""Which lexicons a reply is read with, and whether any of them covers its language."""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from rampart.evaluators._refusal_lexicon import LATIN, OTHERS, lexicon, uncovered_words
from rampart.evaluators._refusal_words import folded

_LOOKED_AT = 4000
_FEW_WORDS = 8
_WORD = re.compile(r"[^\W\d_]+")
_SCRIPTS = {
    "latin": re.compile("[a-z\u00c0-\u024f\u1e00-\u1eff]"),
    "cyrillic": re.compile("[\u0400-\u052f]"),
    "kana": re.compile("[\u3040-\u30ff]"),
    "han": re.compile("[\u3400-\u9fff]"),
}
_LETTER = re.compile(r"[^\W\d_]")


class Languages(NamedTuple):
    """The lexicons to read with.

    Attributes:
        names: Their languages.
        uncovered: Why they may not cover the reply; empty where they do.
    """

    names: tuple[str, ...]
    uncovered: str


def languages_of(text: str) -> Languages:
    """Tell by its script and its frequent words what a text is written in."""
    start = folded(text[:_LOOKED_AT])
    letters = len(_LETTER.findall(start))
    counts = {name: len(pattern.findall(start)) for name, pattern in _SCRIPTS.items()}
    names: list[str] = []
    if counts["kana"]:
        names.append("ja")
    if counts["han"] and counts["kana"] * 10 < counts["han"] + counts["kana"]:
        names.append("zh")
    if counts["cyrillic"]:
        names.append("ru")
    words: list[str] = _WORD.findall(start)
    if counts["latin"]:
        names += _latin_languages(words)
    known = sum(counts.values())
    if letters and known * 2 < letters:
        return Languages(tuple(names), "its script is one that no lexicon covers")
    return Languages(tuple(names), _uncovered(words))


def _latin_languages(words: list[str]) -> list[str]:
    if len(words) <= _FEW_WORDS:
        return list(LATIN)
    hits = {name: sum(word in lexicon(name).common for word in words) for name in LATIN}
    best = max(hits.values())
    return [name for name in LATIN if hits[name] * 2 >= best]


def _uncovered(words: list[str]) -> str:
    """The reason if a language without a lexicon fits the words better than any with one."""
    tally = Counter(words)
    total = len(words)
    if total < 3:
        return ""
    covered = max(_share(tally, lexicon(name).common) for name in (*LATIN, *OTHERS))
    name, share = max(
        ((name, _share(tally, known)) for name, known in uncovered_words().items()), key=lambda one: one[1]
    )
    if share > covered and share * 5 >= total:
        return f"it seems to be written in a language that no lexicon covers ({name})"
    return ""


def _share(tally: Counter[str], known: frozenset[str]) -> int:
    return sum(tally[word] for word in known)
