"""What Word and Excel files have in common: XML in a ZIP archive."""

from __future__ import annotations

import datetime as dt
import io
import re
import zipfile

FIXED_MOMENT = dt.datetime(2024, 1, 1, tzinfo=dt.UTC)
"""The time that files carry, so that the same content gives the same file."""

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_WRITTEN = f"{FIXED_MOMENT:%Y-%m-%dT%H:%M:%SZ}".encode()
_TIMES = {
    "word/comments.xml": re.compile(rb'(<w:comment\b[^>]*\bw:date=")[^"]*(")'),
    "docProps/core.xml": re.compile(rb"(<dcterms:modified\b[^>]*>)[^<]*(<)"),
}


def require_xml_text(text: str) -> str:
    """Return `text` if XML can hold it.

    Raises:
        ValueError: If it has a character that XML 1.0 does not know (section 2.2).
    """
    found = _NOT_XML.search(text)
    if found:
        msg = (
            f"the file is XML, which cannot hold U+{ord(found[0]):04X} (position {found.start()}); "
            "remove or replace it"
        )
        raise ValueError(msg)
    return text


def with_fixed_times(archive: bytes) -> bytes:
    """The same archive with `FIXED_MOMENT` as the time of each entry, each comment and the last change."""
    result = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(archive)) as source,
        zipfile.ZipFile(result, "w", zipfile.ZIP_DEFLATED) as target,
    ):
        for entry in source.infolist():
            data = source.read(entry)
            if entry.filename in _TIMES:
                data = _TIMES[entry.filename].sub(rb"\g<1>" + _WRITTEN + rb"\g<2>", data)
            fixed = zipfile.ZipInfo(entry.filename, date_time=FIXED_MOMENT.timetuple()[:6])
            fixed.compress_type = zipfile.ZIP_DEFLATED
            fixed.external_attr = entry.external_attr
            target.writestr(fixed, data)
    return result.getvalue()


def lines_of(text: str) -> list[str]:
    """The lines of a text; `CR LF` and `CR` end a line as `LF` does."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def utf16_units(text: str) -> int:
    """The length of a text as Office counts it."""
    return len(text.encode("utf-16-le")) // 2
