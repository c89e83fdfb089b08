"""The converter that writes Excel files."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

from rampart.converters._extra import require_library
from rampart.converters._office_files import (
    FIXED_MOMENT,
    lines_of,
    require_xml_text,
    utf16_units,
    with_fixed_times,
)
from rampart.converters._options import require_one_of
from rampart.converters.document_converter import DocumentConverter
from rampart.core.types import PayloadFormat

if TYPE_CHECKING:
    from pathlib import Path

XlsxPlacement = Literal["cell", "sheet-name", "comment", "hidden-sheet", "hidden-row"]

_SHEET_NAME_LIMIT = 31
_NOT_IN_SHEET_NAMES = "[]:*?/\\\t\n\r"
_CELL_LIMIT = 32_767
_ESCAPE = re.compile("_(?=x[0-9A-Fa-f]{4}_)")


class XlsxConverter(DocumentConverter):
    r"""An Excel file that holds the content. Needs the extra `documents`.

    Args:
        output_dir: Where the files go; None for a temporary folder that is removed when the process ends.
        placement: `cell`: a cell below the cover, as text, also where it begins with `=`. `sheet-name`: the
            name of the sheet; at most 31 characters, none of `[ ] : * ? / \`. `comment`: a comment on the
            first cell. `hidden-sheet`: cell A1 of a second, hidden sheet. `hidden-row`: a hidden row below
            the cover.
        cover: The first rows of the sheet, one a line, with tabs between the cells.

    Raises:
        ConfigurationError: If openpyxl is not installed.
        ValueError: If the placement is none of these, or the file cannot hold the cover.
    """

    output_format: ClassVar[PayloadFormat] = PayloadFormat.XLSX

    def __init__(
        self, *, output_dir: Path | None = None, placement: XlsxPlacement = "cell", cover: str = ""
    ) -> None:
        super().__init__(output_dir=output_dir)
        self._openpyxl = require_library(
            "openpyxl", converter="XlsxConverter", library="openpyxl", extra="documents"
        )
        self._placement = require_one_of(
            placement, get_args(XlsxPlacement), what="placement of XlsxConverter"
        )
        self._cover = [
            [_require_cell_text(cell) for cell in line.split("\t")] for line in lines_of(cover) if line
        ]

    def render(self, *, text: str) -> bytes:
        """The Excel file."""
        workbook = self._openpyxl.Workbook()
        workbook.properties.created = workbook.properties.modified = FIXED_MOMENT.replace(tzinfo=None)
        for row, cells in enumerate(self._cover, start=1):
            for column, cell in enumerate(cells, start=1):
                _write(workbook.active, cell, row=row, column=column)
        self._place(workbook, text)
        written = io.BytesIO()
        workbook.save(written)
        return with_fixed_times(written.getvalue())

    def _place(self, workbook: Any, text: str) -> None:
        sheet = workbook.active
        free_row = len(self._cover) + 1
        match self._placement:
            case "cell":
                _write(sheet, _require_cell_text(text), row=free_row)
            case "hidden-row":
                _write(sheet, _require_cell_text(text), row=free_row)
                sheet.row_dimensions[free_row].hidden = True
            case "hidden-sheet":
                hidden = workbook.create_sheet("Data")
                hidden.sheet_state = "hidden"
                _write(hidden, _require_cell_text(text), row=1)
            case "sheet-name":
                sheet.title = _require_sheet_name(text)
            case "comment":
                comments = require_library(
                    "openpyxl.comments", converter="XlsxConverter", library="openpyxl", extra="documents"
                )
                sheet["A1"].comment = comments.Comment(_require_cell_text(text), "Reviewer")


def _write(sheet: Any, text: str, *, row: int, column: int = 1) -> None:
    cell = sheet.cell(row=row, column=column, value=text)
    # Or it becomes a formula (`=...`) or an error (`#N/A`).
    cell.data_type = "s"


def _require_cell_text(text: str) -> str:
    # What looks like an escaped character would be read as that character (ECMA-376 part 1, 22.9.2.19).
    written = _ESCAPE.sub("_x005F_", require_xml_text(text))
    if utf16_units(written) > _CELL_LIMIT:
        msg = (
            f"a cell of an Excel file holds at most {_CELL_LIMIT} characters, "
            f"the text has {utf16_units(written)}; shorten it"
        )
        raise ValueError(msg)
    return written


def _require_sheet_name(text: str) -> str:
    problem = None
    forbidden = [character for character in _NOT_IN_SHEET_NAMES if character in text]
    if not text.strip():
        problem = "it is blank"
    elif utf16_units(text) > _SHEET_NAME_LIMIT:
        problem = f"it has {utf16_units(text)} characters, and at most {_SHEET_NAME_LIMIT} are possible"
    elif forbidden:
        problem = f"it may not hold {', '.join(map(repr, forbidden))}"
    elif text[0] == "'" or text[-1] == "'":
        problem = "it may not begin or end with an apostrophe"
    elif text.casefold() == "history":
        problem = "Excel keeps the name History for itself"
    if problem is not None:
        msg = f"the content cannot be the name of a sheet: {problem}; change it or choose another placement"
        raise ValueError(msg)
    return require_xml_text(text)
