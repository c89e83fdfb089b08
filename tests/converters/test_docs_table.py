"""The table of docs/converters.md says what there is."""

import re
from importlib import import_module
from pathlib import Path
from typing import get_args

import pytest
from tests.converters.every_converter import NAMES, converter_named

from rampart.converters.docx_converter import DocxPlacement
from rampart.converters.eml_converter import EmlPlacement
from rampart.converters.ics_converter import IcsPlacement
from rampart.converters.pdf_converter import PdfPlacement
from rampart.converters.png_converter import PngPlacement
from rampart.converters.xlsx_converter import XlsxPlacement
from rampart.core.types import Payload

PAGE = Path(__file__).parents[2] / "docs" / "converters.md"
INVERSES = ("encodings", "letter_forms", "invisible", "reversal")
ROWS = {
    row[1]: [cell.strip() for cell in row[0].strip("|\n").split(" | ")]
    for row in re.finditer(r"^\| `(\w+)` \|.*$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    if row[0].count(" | ") == 3
}
PLACEMENTS = {
    "DocxConverter": get_args(DocxPlacement),
    "EmlConverter": get_args(EmlPlacement),
    "IcsConverter": get_args(IcsPlacement),
    "PdfConverter": get_args(PdfPlacement),
    "PngConverter": get_args(PngPlacement),
    "XlsxConverter": get_args(XlsxPlacement),
}


def test_each_converter_has_its_row() -> None:
    assert sorted(ROWS) == NAMES


@pytest.mark.parametrize("name", NAMES)
async def test_the_format_is_that_of_the_table(name: str, tmp_path: Path) -> None:
    made = await converter_named(name, folder=tmp_path).convert_async(payload=Payload(content="Hello Eve"))
    assert made.format.name == ROWS[name][3]


@pytest.mark.parametrize("name", NAMES)
async def test_the_inverse_of_the_table_undoes_it(name: str, tmp_path: Path) -> None:
    functions = re.findall(r"`(\w+)`", ROWS[name][2])
    if not functions:
        assert ROWS[name][2] == "no"
        return
    made = await converter_named(name, folder=tmp_path).convert_async(payload=Payload(content="Hello Eve"))
    homes = [import_module(f"rampart.text.{home}") for home in INVERSES]
    found = [getattr(home, function) for function in functions for home in homes if hasattr(home, function)]
    assert len(found) == len(functions)
    assert found[0](made.content) == "Hello Eve"


@pytest.mark.parametrize("name", PLACEMENTS)
def test_the_placements_are_those_of_the_page(name: str) -> None:
    [row] = re.findall(rf"^\| `{name}` \| ([^|]*) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert tuple(re.findall(r"`([^`]+)`", row)) == PLACEMENTS[name]
