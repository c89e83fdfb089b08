"""Which letters a font can draw."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from pathlib import Path

from rampart.converters._extra import require_library

_MOST_SHOWN = 5


def font_file(font: Path | None, *, converter: str) -> Path:
    """The TrueType file to draw with: `font`, or Bitstream Vera Sans, which comes with ReportLab.

    Raises:
        ConfigurationError: If ReportLab is not installed.
        ValueError: If there is no such file, or it is no TrueType font.
    """
    reportlab = require_library("reportlab", converter=converter, library="reportlab", extra="documents")
    if font is None:
        return Path(reportlab.__file__).parent / "fonts" / "Vera.ttf"
    path = Path(font)
    try:
        _characters_of(path)
    except Exception as error:  # the parser stumbles in many ways over what is no font
        msg = f"the font of {converter} must be a TrueType file (.ttf), got {str(path)!r}: {error}"
        raise ValueError(msg) from error
    return path


def require_drawable(text: str, *, font: Path) -> str:
    """Return `text` if the font has a glyph for each of its characters, and they follow one another.

    Raises:
        ValueError: If it would show as boxes, or in a wrong order.
    """
    known = _characters_of(font)
    missing = sorted({character for character in text if ord(character) not in known and character != "\n"})
    if missing:
        shown = ", ".join(f"{character!r} (U+{ord(character):04X})" for character in missing[:_MOST_SHOWN])
        more = f" and {len(missing) - _MOST_SHOWN} more" if len(missing) > _MOST_SHOWN else ""
        msg = (
            f"the font {font.name} has no glyph for {shown}{more}; name a TrueType file that has, "
            "with font=, or choose a placement that is not drawn"
        )
        raise ValueError(msg)
    turned = next((sign for sign in text if unicodedata.bidirectional(sign) in {"R", "AL"}), None)
    if turned is not None:
        msg = (
            f"{turned!r} (U+{ord(turned):04X}) is written from right to left, which is not drawn correctly; "
            "choose a placement that is not drawn, or another kind of document"
        )
        raise ValueError(msg)
    return text


@lru_cache(maxsize=16)
def _characters_of(font: Path) -> frozenset[int]:
    ttfonts = require_library(
        "reportlab.pdfbase.ttfonts", converter="A drawing converter", library="reportlab", extra="documents"
    )
    return frozenset(ttfonts.TTFontFile(str(font)).charToGlyph)
