"""One of each converter, for tests of what they all have in common."""

from collections.abc import Callable
from pathlib import Path

from rampart.converters import (
    Base64Converter,
    BidiConverter,
    DocxConverter,
    EmlConverter,
    FullWidthConverter,
    HexConverter,
    HiddenHtmlConverter,
    HtmlEntityConverter,
    IcsConverter,
    LeetspeakConverter,
    LookAlikeConverter,
    MarkdownImageConverter,
    MarkdownLinkConverter,
    PdfConverter,
    PngConverter,
    Rot13Converter,
    UnicodeTagConverter,
    UrlConverter,
    XlsxConverter,
    ZeroWidthConverter,
)
from rampart.core.converter import PayloadConverter

ADDRESS = "https://collector.example/log"

TO_TEXT: dict[str, Callable[[], PayloadConverter]] = {
    "Base64Converter": Base64Converter,
    "BidiConverter": BidiConverter,
    "EmlConverter": EmlConverter,
    "FullWidthConverter": FullWidthConverter,
    "HexConverter": HexConverter,
    "HtmlEntityConverter": HtmlEntityConverter,
    "IcsConverter": IcsConverter,
    "LeetspeakConverter": LeetspeakConverter,
    "LookAlikeConverter": LookAlikeConverter,
    "Rot13Converter": Rot13Converter,
    "UnicodeTagConverter": UnicodeTagConverter,
    "UrlConverter": UrlConverter,
    "ZeroWidthConverter": ZeroWidthConverter,
}
TO_DOCUMENT: dict[str, Callable[..., PayloadConverter]] = {
    "DocxConverter": DocxConverter,
    "PdfConverter": PdfConverter,
    "PngConverter": PngConverter,
    "XlsxConverter": XlsxConverter,
}
TO_MARKDOWN: dict[str, Callable[..., PayloadConverter]] = {
    "MarkdownImageConverter": MarkdownImageConverter,
    "MarkdownLinkConverter": MarkdownLinkConverter,
}
TO_HTML: dict[str, Callable[[], PayloadConverter]] = {"HiddenHtmlConverter": HiddenHtmlConverter}

NAMES = sorted([*TO_TEXT, *TO_DOCUMENT, *TO_MARKDOWN, *TO_HTML])


def converter_named(name: str, *, folder: Path) -> PayloadConverter:
    """The converter with its defaults; documents go to `folder`."""
    if name in TO_DOCUMENT:
        return TO_DOCUMENT[name](output_dir=folder)
    if name in TO_MARKDOWN:
        return TO_MARKDOWN[name](address=ADDRESS)
    return (TO_TEXT | TO_HTML)[name]()
