"""Transforms of payloads: encodings, disguises, markup, messages and documents."""

from typing import TYPE_CHECKING

from rampart.core.lazy import lazy_exports

if TYPE_CHECKING:
    from rampart.converters.bidi import BidiConverter
    from rampart.converters.converter_chain import ConverterChain, chain
    from rampart.converters.document_converter import DocumentConverter
    from rampart.converters.docx_converter import DocxConverter
    from rampart.converters.eml_converter import EmlConverter
    from rampart.converters.encodings import (
        Base64Converter,
        HexConverter,
        HtmlEntityConverter,
        Rot13Converter,
        UrlConverter,
    )
    from rampart.converters.hidden_html import HiddenHtmlConverter
    from rampart.converters.ics_converter import IcsConverter
    from rampart.converters.invisible import UnicodeTagConverter, ZeroWidthConverter
    from rampart.converters.letter_forms import FullWidthConverter, LeetspeakConverter, LookAlikeConverter
    from rampart.converters.markdown import MarkdownImageConverter, MarkdownLinkConverter
    from rampart.converters.pdf_converter import PdfConverter
    from rampart.converters.png_converter import PngConverter
    from rampart.converters.text_converter import TextConverter
    from rampart.converters.xlsx_converter import XlsxConverter

_HOMES = {
    "Base64Converter": "rampart.converters.encodings",
    "BidiConverter": "rampart.converters.bidi",
    "ConverterChain": "rampart.converters.converter_chain",
    "DocumentConverter": "rampart.converters.document_converter",
    "DocxConverter": "rampart.converters.docx_converter",
    "EmlConverter": "rampart.converters.eml_converter",
    "FullWidthConverter": "rampart.converters.letter_forms",
    "HexConverter": "rampart.converters.encodings",
    "HiddenHtmlConverter": "rampart.converters.hidden_html",
    "HtmlEntityConverter": "rampart.converters.encodings",
    "IcsConverter": "rampart.converters.ics_converter",
    "LeetspeakConverter": "rampart.converters.letter_forms",
    "LookAlikeConverter": "rampart.converters.letter_forms",
    "MarkdownImageConverter": "rampart.converters.markdown",
    "MarkdownLinkConverter": "rampart.converters.markdown",
    "PdfConverter": "rampart.converters.pdf_converter",
    "PngConverter": "rampart.converters.png_converter",
    "Rot13Converter": "rampart.converters.encodings",
    "TextConverter": "rampart.converters.text_converter",
    "UnicodeTagConverter": "rampart.converters.invisible",
    "UrlConverter": "rampart.converters.encodings",
    "XlsxConverter": "rampart.converters.xlsx_converter",
    "ZeroWidthConverter": "rampart.converters.invisible",
    "chain": "rampart.converters.converter_chain",
}

__all__ = [
    "Base64Converter",
    "BidiConverter",
    "ConverterChain",
    "DocumentConverter",
    "DocxConverter",
    "EmlConverter",
    "FullWidthConverter",
    "HexConverter",
    "HiddenHtmlConverter",
    "HtmlEntityConverter",
    "IcsConverter",
    "LeetspeakConverter",
    "LookAlikeConverter",
    "MarkdownImageConverter",
    "MarkdownLinkConverter",
    "PdfConverter",
    "PngConverter",
    "Rot13Converter",
    "TextConverter",
    "UnicodeTagConverter",
    "UrlConverter",
    "XlsxConverter",
    "ZeroWidthConverter",
    "chain",
]

if not TYPE_CHECKING:  # type checkers know the names from above, and that there are no others
    __getattr__, __dir__ = lazy_exports(__name__, _HOMES)
