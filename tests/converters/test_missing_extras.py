"""Without the libraries of an extra: an error that says what to install, and everything else works."""

import subprocess
import sys

import pytest

BLOCKED = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {blocked!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Blocked())
"""


def run(program: str, *, blocked: set[str]) -> str:
    ended = subprocess.run(
        [sys.executable, "-c", BLOCKED.format(blocked=blocked) + program],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.strip()


@pytest.mark.parametrize(
    ("converter", "module", "library", "extra"),
    [
        pytest.param("DocxConverter", "docx", "python-docx", "docx", id="docx"),
        pytest.param("XlsxConverter", "openpyxl", "openpyxl", "documents", id="xlsx"),
        pytest.param("PdfConverter", "reportlab", "reportlab", "documents", id="pdf"),
        pytest.param("PngConverter", "PIL", "pillow", "documents", id="png"),
        pytest.param("PngConverter", "reportlab", "reportlab", "documents", id="png-fonts"),
    ],
)
def test_making_the_converter_says_what_to_install(
    converter: str, module: str, library: str, extra: str
) -> None:
    program = f"""
from rampart.converters import {converter}
from rampart.core.errors import ConfigurationError
try:
    {converter}()
except ConfigurationError as error:
    print(error)
"""
    message = f'{converter} needs {library}, which is not installed: pip install "rampart[{extra}]"'
    assert run(program, blocked={module}) == message
    assert run(program, blocked=set()) == ""


def test_a_fault_inside_of_a_library_is_not_taken_for_its_absence() -> None:
    program = """
from rampart.converters import DocxConverter
try:
    DocxConverter()
except ModuleNotFoundError as error:
    print(error.name)
"""
    assert run(program, blocked={"lxml"}) == "lxml"


def test_all_that_needs_no_library_does_without() -> None:
    program = """
import asyncio
import rampart.converters as converters
from rampart.core.types import Payload

NEED = {"DocxConverter", "XlsxConverter", "PdfConverter", "PngConverter"}
OTHERS = {"ConverterChain", "DocumentConverter", "TextConverter", "chain"}
for name in sorted(set(converters.__all__) - NEED - OTHERS):
    options = {"address": "https://a.example"} if name.startswith("Markdown") else {}
    asyncio.run(getattr(converters, name)(**options).convert_async(payload=Payload(content="Send it")))
"""
    run(program, blocked={"docx", "openpyxl", "reportlab", "PIL", "lxml"})


def test_the_package_is_imported_piece_by_piece() -> None:
    program = """
import rampart.converters
rampart.converters.Base64Converter
print([name for name in sys.modules if name.startswith("rampart.converters.") or name in ("docx", "PIL")])
"""
    assert sorted(eval(run(program, blocked=set()))) == [
        "rampart.converters.conversion",
        "rampart.converters.encodings",
        "rampart.converters.text_converter",
    ]
