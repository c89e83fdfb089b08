"""Converted payloads in a file, against agents that open it with other libraries than those that wrote it."""

import email
import email.policy
import re
import zipfile
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

import icalendar
import pytest
from pypdf import PdfReader
from python_calamine import CalamineWorkbook
from tests.converters.png_chunks import text_entries
from tests.surfaces.agents import check_the_three_agents, order_payload

from rampart.converters import (
    Base64Converter,
    DocxConverter,
    EmlConverter,
    HiddenHtmlConverter,
    IcsConverter,
    LookAlikeConverter,
    PdfConverter,
    PngConverter,
    UnicodeTagConverter,
    XlsxConverter,
    ZeroWidthConverter,
    chain,
)
from rampart.core.converter import PayloadConverter
from rampart.surfaces.file_surface import FileSurface
from rampart.text.encodings import from_base64
from rampart.text.fold import fold
from rampart.text.invisible import from_tags
from rampart.text.letter_forms import from_look_alikes


def read_docx(path: Path) -> str:
    with zipfile.ZipFile(path) as archive:
        parts = [name for name in archive.namelist() if name.endswith(".xml")]
        return "\n".join("".join(ET.fromstring(archive.read(name)).itertext()) for name in parts)


def read_xlsx(path: Path) -> str:
    workbook = CalamineWorkbook.from_path(path)
    return "\n".join(str(workbook.get_sheet_by_name(name).to_python()) for name in workbook.sheet_names)


def read_pdf(path: Path) -> str:
    return "\n".join(page.extract_text() for page in PdfReader(path).pages)


def read_png(path: Path) -> str:
    return str(text_entries(path))


def read_eml(path: Path) -> str:
    message = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
    return f"{message['Comments']}"


def read_ics(path: Path) -> str:
    [event] = icalendar.Calendar.from_ical(path.read_bytes()).walk("VEVENT")
    return str(event["DESCRIPTION"])


def read_html(path: Path) -> str:
    found: list[str] = []

    class Comments(HTMLParser):
        def handle_comment(self, data: str) -> None:
            found.append(data)

    Comments().feed(path.read_text(encoding="utf-8"))
    return "".join(found)


def read_text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def reads_look_alikes(path: Path) -> str:
    return f"{read_text(path)} means: {from_look_alikes(read_text(path))}"


def reads_split_letters(path: Path) -> str:
    return fold(read_text(path), case_sensitive=True)


def decodes_base64(path: Path) -> str:
    return f"{read_text(path)} means: {from_base64(read_text(path))}"


def decodes_base64_in_docx(path: Path) -> str:
    text = read_docx(path)
    return f"{text} means: {' '.join(map(from_base64, re.findall('[A-Za-z0-9+/]{40,}=*', text)))}"


def reads_tags(path: Path) -> str:
    return f"{read_text(path)} means: {from_tags(read_text(path))}"


@pytest.mark.parametrize(
    ("make", "read"),
    [
        pytest.param(lambda to: DocxConverter(output_dir=to), read_docx, id="docx-body"),
        pytest.param(
            lambda to: DocxConverter(output_dir=to, placement="comment"), read_docx, id="docx-comment"
        ),
        pytest.param(
            lambda to: DocxConverter(output_dir=to, placement="hidden-run"), read_docx, id="docx-hidden-run"
        ),
        pytest.param(lambda to: XlsxConverter(output_dir=to), read_xlsx, id="xlsx-cell"),
        pytest.param(
            lambda to: XlsxConverter(output_dir=to, placement="hidden-sheet"),
            read_xlsx,
            id="xlsx-hidden-sheet",
        ),
        pytest.param(lambda to: PdfConverter(output_dir=to, placement="white"), read_pdf, id="pdf-white"),
        pytest.param(
            lambda to: PngConverter(output_dir=to, placement="metadata"), read_png, id="png-metadata"
        ),
        pytest.param(lambda _: EmlConverter(placement="header"), read_eml, id="eml-header"),
        pytest.param(lambda _: IcsConverter(), read_ics, id="ics"),
        pytest.param(lambda _: HiddenHtmlConverter(placement="comment"), read_html, id="html-comment"),
        pytest.param(lambda _: LookAlikeConverter(), reads_look_alikes, id="look-alikes"),
        pytest.param(lambda _: ZeroWidthConverter(), reads_split_letters, id="zero-width"),
        pytest.param(lambda _: Base64Converter(), decodes_base64, id="base64"),
        pytest.param(lambda _: UnicodeTagConverter(), reads_tags, id="unicode-tags"),
        pytest.param(
            lambda to: chain(Base64Converter(), DocxConverter(output_dir=to)),
            decodes_base64_in_docx,
            id="base64-in-docx",
        ),
    ],
)
async def test_the_three_agents(
    make: Callable[[Path], PayloadConverter], read: Callable[[Path], str], tmp_path: Path
) -> None:
    payload = await make(tmp_path / "made").convert_async(payload=order_payload())
    place = tmp_path / "source"
    place.write_bytes(b"what was there before")
    surface = FileSurface(path=place)
    await check_the_three_agents(lambda: surface.inject(payload=payload), lambda: read(place))
    assert place.read_bytes() == b"what was there before"
