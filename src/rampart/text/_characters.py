"""The classes of characters that folding removes or replaces, beyond what Unicode normalisation does.

Loaded at the first text that is not ASCII.
"""

import unicodedata

APOSTROPHES = frozenset(
    "\u0060\u00b4"  # grave and acute accent, typed as quotes
    "\u02b9\u02bb\u02bc\u02bd\u02be\u02bf\u02c8\u02ca\u02cb\u02f4"  # modifier letters
    "\u0374\u0384\u1fbd\u1fbf\u1fef\u1ffd\u1ffe"  # Greek: numeral sign, tonos, breathings, accents
    "\u055a\u05f3\u07f4\u07f5\ua78b\ua78c"  # Armenian apostrophe, geresh, N'Ko, saltillo
    "\u2018\u2019\u201a\u201b\u2039\u203a"  # single quotation marks, single guillemets
    "\u2032\u2035"  # prime, reversed prime
    "\u275b\u275c\u275f\u276e\u276f"  # ornaments
    "\uff07\uff40"  # full-width
)
"""Single quotes of every form: they fold to `'`."""

DOUBLE_QUOTES = frozenset(
    "\u00ab\u00bb\u201c\u201d\u201e\u201f\u2e42"  # guillemets, double quotation marks
    "\u02ba\u02dd\u02ee\u02f5\u02f6\u05f4"  # modifier letters, double acute, gershayim
    "\u2033\u2036\u3003"  # double primes, ditto mark
    "\u275d\u275e\u2760\U0001f676\U0001f677\U0001f678"  # ornaments
    "\u300c\u300d\u300e\u300f\ufe41\ufe42\ufe43\ufe44\uff62\uff63"  # corner brackets
    "\u301d\u301e\u301f\uff02"  # CJK double primes, full-width
)
"""Double quotes of every form, angle quotes and corner brackets too: they fold to `"`."""

_DASHES_OUTSIDE_PD = frozenset("\u02d7\u2043\u207b\u208b\u2212\u2796")
"""Modifier minus, hyphen bullet, superscript, subscript, plain and heavy minus."""

_IGNORABLE_RANGES = (
    (0x00AD, 0x00AD),  # soft hyphen
    (0x034F, 0x034F),  # combining grapheme joiner
    (0x061C, 0x061C),
    (0x115F, 0x1160),  # Hangul fillers
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),  # Mongolian variation selectors and vowel separator
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),  # Hangul filler
    (0xFE00, 0xFE0F),  # variation selectors
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),  # half-width Hangul filler
    (0xFFF0, 0xFFFB),  # unassigned but ignorable; interlinear annotation
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),  # tags, more variation selectors, and what is reserved around them
)
"""Default_Ignorable_Code_Point of the Unicode Character Database (DerivedCoreProperties.txt)."""


def is_ignorable(character: str) -> bool:
    """Tell whether a character shows nothing and takes no room: default-ignorable, or of category Cf."""
    code = ord(character)
    return unicodedata.category(character) == "Cf" or any(
        first <= code <= last for first, last in _IGNORABLE_RANGES
    )


def is_dash(character: str) -> bool:
    """Tell whether a character is a hyphen, dash or minus: category Pd and those minus signs outside it."""
    return unicodedata.category(character) == "Pd" or character in _DASHES_OUTSIDE_PD
