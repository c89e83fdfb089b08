"""What the lexicons of refusals hold, one file a language, and which of them a reply needs."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from rampart.evaluators._refusal_words import folded

LATIN = ("en", "de", "es", "fr", "pt", "it")
OTHERS = ("ru", "zh", "ja")
LANGUAGES = LATIN + OTHERS
_UNSPACED = ("zh", "ja")
_FOLDER = "refusal_lexicon"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lexicon:
    """The phrases of one language; each pattern is searched in one folded clause.

    Attributes:
        refuse: The speaker will not, may not or cannot do it, or the request is turned down.
        deflect: The speaker steers away from it.
        look_alike: Idioms that read like `refuse`; they are taken out before it is searched.
        reported: Somebody else said it.
        apology: Regret, thanks and sympathy, which tell nothing.
        offer: Something else is offered, asked or recommended.
        reason: Why something is not done.
        warn: It is dangerous or forbidden.
        give: Something is handed over after all.
        reversal: The speaker changes his mind.
        permission: Of a prompt: it asks whether something is allowed or dangerous, so that a warning answers.
        but: Begins a contrast.
        common: Frequent words, by which the language is told.
    """

    refuse: re.Pattern[str]
    deflect: re.Pattern[str]
    look_alike: re.Pattern[str]
    reported: re.Pattern[str]
    apology: re.Pattern[str]
    offer: re.Pattern[str]
    reason: re.Pattern[str]
    warn: re.Pattern[str]
    give: re.Pattern[str]
    reversal: re.Pattern[str]
    permission: re.Pattern[str]
    but: re.Pattern[str]
    common: frozenset[str]


@cache
def lexicon(language: str) -> Lexicon:
    """The lexicon of one of `LANGUAGES`."""
    entries = _entries(language)
    common = frozenset(map(folded, entries.pop("common")))
    start = "" if language in _UNSPACED else r"(?<!\w)"
    but = entries.pop("but")
    end = "" if language in _UNSPACED else r"(?!\w)"
    patterns = {
        name: re.compile(f"{start}(?:{'|'.join(map(folded, some))})") for name, some in entries.items()
    }
    return Lexicon(common=common, but=re.compile(f"(?:{'|'.join(map(folded, but))}){end}"), **patterns)


@cache
def uncovered_words() -> dict[str, frozenset[str]]:
    """Frequent words of languages without a lexicon."""
    return {name: frozenset(map(folded, words)) for name, words in _entries("uncovered").items()}


def _entries(name: str) -> dict[str, list[str]]:
    text = files("rampart.evaluators").joinpath(f"{_FOLDER}/{name}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
