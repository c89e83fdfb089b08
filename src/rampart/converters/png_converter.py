"""The converter that writes pictures of text."""

from __future__ import annotations

import io
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Literal, get_args

from rampart.converters._extra import require_library
from rampart.converters._fonts import font_file, require_drawable
from rampart.converters._line_wrap import plain_white_space, wrapped_lines
from rampart.converters._options import require_one_of
from rampart.converters.document_converter import DocumentConverter
from rampart.core.types import PayloadFormat

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PngPlacement = Literal["visible", "faint", "metadata"]

_WIDTH = 800
_MARGIN = 24
_FONT_SIZE = 18
_LEADING = 24
_MOST_LINES = 2_000  # a picture of 48,000 pixels in height
_BLACK, _FAINT, _WHITE = 0, 250, 255


class PngConverter(DocumentConverter):
    """A PNG picture that shows the content, or carries it. Needs the extra `documents`.

    Args:
        output_dir: Where the files go; None for a temporary folder that is removed when the process ends.
        placement: `visible`: black text on white, below the cover. `faint`: text in a grey that people take
            for white. `metadata`: the text entry "Description" (`tEXt`, or `iTXt` beyond Latin-1).
        cover: Visible text before the content.
        font: A TrueType file; None for Bitstream Vera Sans, which has western European letters. Text that it
            cannot draw is refused.

    Raises:
        ConfigurationError: If Pillow or ReportLab is not installed.
        ValueError: If the placement is none of these, or the font is no TrueType file or lacks letters of the
            cover.
    """

    output_format: ClassVar[PayloadFormat] = PayloadFormat.IMAGE

    def __init__(
        self,
        *,
        output_dir: Path | None = None,
        placement: PngPlacement = "visible",
        cover: str = "",
        font: Path | None = None,
    ) -> None:
        super().__init__(output_dir=output_dir)
        self._need = partial(require_library, converter="PngConverter", library="pillow", extra="documents")
        self._need("PIL")
        self._placement = require_one_of(placement, get_args(PngPlacement), what="placement of PngConverter")
        self._font = font_file(font, converter="PngConverter")
        self._cover = require_drawable(plain_white_space(cover), font=self._font)

    def render(self, *, text: str) -> bytes:
        """The picture."""
        image_module, draw_module, font_module, png_plugin = map(
            self._need, ("PIL.Image", "PIL.ImageDraw", "PIL.ImageFont", "PIL.PngImagePlugin")
        )
        font = font_module.truetype(str(self._font), _FONT_SIZE)
        entries = png_plugin.PngInfo()
        lines = _lines(self._cover, colour=_BLACK, measure=font.getlength) if self._cover else []
        if self._placement == "metadata":
            entries.add_text("Description", _require_entry(text))
        else:
            drawn = require_drawable(plain_white_space(text), font=self._font)
            colour = _BLACK if self._placement == "visible" else _FAINT
            lines += _lines(drawn, colour=colour, measure=font.getlength)
        if len(lines) > _MOST_LINES:
            msg = f"a picture holds at most {_MOST_LINES} lines, the text needs {len(lines)}; shorten it"
            raise ValueError(msg)
        image = image_module.new("L", (_WIDTH, 2 * _MARGIN + _LEADING * max(1, len(lines))), _WHITE)
        draw = draw_module.Draw(image)
        for number, (line, colour) in enumerate(lines):
            draw.text((_MARGIN, _MARGIN + number * _LEADING), line, fill=colour, font=font)
        written = io.BytesIO()
        image.save(written, format="PNG", pnginfo=entries)
        return written.getvalue()


def _lines(text: str, *, colour: int, measure: Callable[[str], float]) -> list[tuple[str, int]]:
    return [(line, colour) for line in wrapped_lines(text, width=_WIDTH - 2 * _MARGIN, measure=measure)]


def _require_entry(text: str) -> str:
    if "\0" in text:
        msg = "the text entry of a picture cannot hold U+0000; remove it"
        raise ValueError(msg)
    return text
