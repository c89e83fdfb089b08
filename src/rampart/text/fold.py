"""Folding: two texts that a reader takes for the same become the same, so that a search finds them."""

import re
import unicodedata
from functools import cache

from rampart.text._normalise import normalise

# All that folding does to a single ASCII character, apart from its case.
_ASCII_FOLDS = str.maketrans("`" + "\t\n\v\f\r\x1c\x1d\x1e\x1f", "'" + " " * 9)

# What full case folding makes of capital I with a dot above.
_DOTTED_I = re.compile("i\u0307+")

# Beyond this many distinct characters nothing more is remembered: hostile text must not fill the memory.
_REMEMBERED = 20_000


def fold(text: str, /, *, case_sensitive: bool = False, confusables: bool = False) -> str:
    """Bring `text` into the form in which it is compared; for matching only, never for showing.

    * Default-ignorable and other invisible format characters are removed: zero-width spaces and joiners, soft
      hyphens, variation selectors, Hangul fillers, tags and the like.
    * Single quotes, apostrophes, primes, accents typed as quotes and single angle quotes become `'`; double
      quotes, double primes, double angle quotes and corner brackets become `"`.
    * Hyphens, dashes and minus signs become `-`, a run of white space of any kind one space.
    * The rest is normalised to NFKC, so full-width letters and ligatures become plain ones.

    Folding what is folded changes nothing.

    Args:
        text: Any text, lone surrogates included.
        case_sensitive: Keep upper and lower case apart. Else full case folding applies (`ß` equals `SS`), and
            a dot above an `i` is dropped, so that `İ` equals `i`.
        confusables: Also turn letters of other scripts that look like Latin ones into these. With case
            ignored, a letter pair of which only one case looks Latin goes as a whole; where the two look like
            different letters, the small one decides.
    """
    if text.isascii():
        folded = text.translate(_ASCII_FOLDS)
        return _single_spaces(folded if case_sensitive else folded.casefold())
    # Composed first, so that both spellings of an accented letter meet the same rules.
    folded = normalise("NFC", text)
    folded = _composed(
        folded.translate(_character_folds(case_sensitive=case_sensitive)), case_sensitive=case_sensitive
    )
    if confusables and not folded.isascii():
        apart = normalise("NFD", folded)
        folded = apart.translate(_latin_look_alikes(case_sensitive=case_sensitive))
        folded = _composed(folded, case_sensitive=case_sensitive)
    return _single_spaces(folded)


def _single_spaces(text: str) -> str:
    # Each round halves the runs, so a few rounds do; a pattern takes far longer over ordinary text.
    while "  " in text:
        text = text.replace("  ", " ")
    return text


def _composed(text: str, *, case_sensitive: bool) -> str:
    """Compose what stands side by side by now, without a dot above any `i`."""
    composed = normalise("NFKC", text)
    if case_sensitive or "i\u0307" not in composed:
        return composed
    return normalise("NFKC", _DOTTED_I.sub("i", composed))


class _CharacterFolds(dict[int, str]):
    """What each character folds to by itself, worked out when it is first met."""

    def __init__(self, *, case_sensitive: bool) -> None:
        self._case_sensitive = case_sensitive

    def __missing__(self, code: int) -> str:
        folded = self._fold(chr(code))
        if len(self) < _REMEMBERED:
            self[code] = folded
        return folded

    def _fold(self, character: str) -> str:
        replaced = _replacement(character)
        if replaced is not None:
            return replaced
        plain = unicodedata.normalize("NFKC", character)
        if plain == character and not self._case_sensitive:
            plain = character.casefold()
        # What a character turns into may need folding in its turn.
        return character if plain == character else "".join(map(self._fold, plain))


def _replacement(character: str) -> str | None:
    from rampart.text import _characters as characters  # noqa: PLC0415 - only text beyond ASCII needs it

    if character in characters.APOSTROPHES:
        return "'"
    if character in characters.DOUBLE_QUOTES:
        return '"'
    if character.isspace():
        return " "
    if characters.is_ignorable(character):
        return ""
    return "-" if characters.is_dash(character) else None


@cache
def _character_folds(*, case_sensitive: bool) -> _CharacterFolds:
    return _CharacterFolds(case_sensitive=case_sensitive)


@cache
def _latin_look_alikes(*, case_sensitive: bool) -> dict[int, str]:
    from rampart.text._look_alikes import latin_look_alikes  # noqa: PLC0415 - only this option needs it

    return latin_look_alikes(case_sensitive=case_sensitive)
