"""The converter that writes PDF files."""

from __future__ import annotations

import io
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

from rampart.converters._extra import require_library
from rampart.converters._fonts import font_file, require_drawable
from rampart.converters._fork_safe_lock import ForkSafeLock
from rampart.converters._line_wrap import plain_white_space, wrapped_lines
from rampart.converters._options import require_one_of
from rampart.converters.document_converter import DocumentConverter
from rampart.core.types import PayloadFormat

if TYPE_CHECKING:
    from pathlib import Path

PdfPlacement = Literal["visible", "white", "metadata"]

_PAGE_WIDTH, _PAGE_HEIGHT = 595.0, 842.0  # A4, in points
_MARGIN = 56.0
_FONT_SIZE = 11.0
_LEADING = 14.0
_BLACK, _WHITE = (0, 0, 0), (1, 1, 1)

# ReportLab keeps fonts and their use in tables of the process.
_ONE_AT_A_TIME = ForkSafeLock()


class PdfConverter(DocumentConverter):
    """A PDF file that holds the content. Needs the extra `documents`.

    Args:
        output_dir: Where the files go; None for a temporary folder that is removed when the process ends.
        placement: `visible`: black text below the cover. `white`: white text on white, which readers of the
            text find and people do not see. `metadata`: the document property "Subject".
        cover: Visible text before the content.
        font: A TrueType file; None for Bitstream Vera Sans, which has western European letters. The font is
            embedded. Text that it cannot draw is refused.

    Raises:
        ConfigurationError: If ReportLab is not installed.
        ValueError: If the placement is none of these, or the font is no TrueType file or lacks letters of the
            cover.
    """

    output_format: ClassVar[PayloadFormat] = PayloadFormat.PDF

    def __init__(
        self,
        *,
        output_dir: Path | None = None,
        placement: PdfPlacement = "visible",
        cover: str = "",
        font: Path | None = None,
    ) -> None:
        super().__init__(output_dir=output_dir)
        self._placement = require_one_of(placement, get_args(PdfPlacement), what="placement of PdfConverter")
        self._font = font_file(font, converter="PdfConverter")
        self._cover = require_drawable(plain_white_space(cover), font=self._font)

    def render(self, *, text: str) -> bytes:
        """The PDF file."""
        need = partial(require_library, converter="PdfConverter", library="reportlab", extra="documents")
        canvas_module, pdfmetrics, ttfonts = map(
            need, ("reportlab.pdfgen.canvas", "reportlab.pdfbase.pdfmetrics", "reportlab.pdfbase.ttfonts")
        )
        written = io.BytesIO()
        with _ONE_AT_A_TIME:
            name = str(self._font)
            if name not in pdfmetrics.getRegisteredFontNames():
                pdfmetrics.registerFont(ttfonts.TTFont(name, name))
            canvas = canvas_module.Canvas(written, pagesize=(_PAGE_WIDTH, _PAGE_HEIGHT), invariant=1)
            pages = _Pages(
                canvas, font=name, measure=partial(pdfmetrics.stringWidth, fontName=name, fontSize=_FONT_SIZE)
            )
            if self._cover:
                pages.write(self._cover, colour=_BLACK)
            if self._placement == "metadata":
                canvas.setSubject(text)
            else:
                drawn = require_drawable(plain_white_space(text), font=self._font)
                pages.write(drawn, colour=_BLACK if self._placement == "visible" else _WHITE)
            canvas.save()
        return written.getvalue()


class _Pages:
    """Lines of text from top to bottom, on as many pages as they need."""

    def __init__(self, canvas: Any, *, font: str, measure: Any) -> None:
        self._canvas = canvas
        self._font = font
        self._measure = measure
        self._y = _PAGE_HEIGHT - _MARGIN

    def write(self, text: str, *, colour: tuple[int, int, int]) -> None:
        for line in wrapped_lines(text, width=_PAGE_WIDTH - 2 * _MARGIN, measure=self._measure):
            if self._y < _MARGIN:
                self._canvas.showPage()
                self._y = _PAGE_HEIGHT - _MARGIN
            # A new page forgets both.
            self._canvas.setFont(self._font, _FONT_SIZE)
            self._canvas.setFillColorRGB(*colour)
            self._canvas.drawString(_MARGIN, self._y, line)
            self._y -= _LEADING
