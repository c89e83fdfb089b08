"""Payloads get into files in the encoding and with the line ends that the file has."""

import codecs
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rampart import InfrastructureError, Payload, PayloadFormat
from rampart.surfaces.file_content import FileContent


def content(mode: Any = "replace", **settings: Any) -> FileContent:
    return FileContent(**{"mode": mode, "marker": None, "encoding": "utf-8", "max_bytes": None, **settings})


def planted(found: bytes | None, text: str, mode: Any = "replace", **settings: Any) -> bytes:
    return content(mode, **settings).with_payload(found, Payload(content=text, id="p"))


@pytest.mark.parametrize(
    ("mode", "found", "text", "expected"),
    [
        pytest.param("replace", None, "a\nb\r\n", b"a\nb\r\n", id="new-file-as-it-is"),
        pytest.param("replace", b"", "a\r\nb", b"a\r\nb", id="empty-file-has-no-line-ends"),
        pytest.param("replace", b"x\r\ny\r\n", "a\nb", b"a\r\nb", id="windows"),
        pytest.param("replace", b"x\ny\n", "a\r\nb", b"a\nb", id="unix"),
        pytest.param("replace", b"x\r\ny\r\nz\n", "a\nb\r\nc", b"a\r\nb\r\nc", id="mostly-windows"),
        pytest.param("replace", b"x\r\ny\nz\n", "a\r\nb", b"a\nb", id="mostly-unix"),
        pytest.param("replace", codecs.BOM_UTF8 + b"x", "é", codecs.BOM_UTF8 + "é".encode(), id="bom-stays"),
        pytest.param("replace", b"\xff\xfe\x00\r\n", "a\nb", b"a\r\nb", id="no-text-before"),
        pytest.param("append", None, "a", b"a", id="append-to-nothing"),
        pytest.param("append", b"", "a", b"a", id="append-to-empty"),
        pytest.param("append", b"x\n", "a", b"x\na\n", id="append-a-line"),
        pytest.param("append", b"x\n", "a\n", b"x\na\n", id="append-one-line-end"),
        pytest.param("append", b"x", "a", b"x\na", id="append-begins-a-line"),
        pytest.param("append", b"x\r\ny", "a\nb", b"x\r\ny\r\na\r\nb", id="append-windows"),
        pytest.param("append", codecs.BOM_UTF8 + b"x\n", "a", codecs.BOM_UTF8 + b"x\na\n", id="append-bom"),
    ],
)
def test_line_ends_and_marks_stay(mode: str, found: bytes | None, text: str, expected: bytes) -> None:
    assert planted(found, text, mode) == expected


@pytest.mark.parametrize(
    ("found", "marker", "expected"),
    [
        pytest.param(b"# Notes\nlunch\n", "# Notes\n", b"# Notes\nEVIL\nlunch\n", id="behind-a-line"),
        pytest.param(b"# Notes\r\nlunch\r\n", "# Notes\n", b"# Notes\r\nEVIL\r\nlunch\r\n", id="windows"),
        pytest.param(
            "Größe: ok\n".encode(), "Größe: ", "Größe: EVIL\nok\n".encode(), id="letters-of-two-bytes"
        ),
        pytest.param(b"end", "end", b"endEVIL\n", id="at-the-end"),
        pytest.param(codecs.BOM_UTF8 + b"ab", "a", codecs.BOM_UTF8 + b"aEVIL\nb", id="bom"),
    ],
)
def test_insert_behind_the_marker(found: bytes, marker: str, expected: bytes) -> None:
    assert planted(found, "EVIL\n", "insert", marker=marker) == expected


@pytest.mark.parametrize("mode", ["replace", "append"])
@pytest.mark.parametrize(
    ("encoding", "bom", "codec"),
    [
        ("utf-16", codecs.BOM_UTF16_LE, "utf-16-le"),
        ("utf-16", codecs.BOM_UTF16_BE, "utf-16-be"),
        ("utf-32", codecs.BOM_UTF32_BE, "utf-32-be"),
        ("utf-8-sig", codecs.BOM_UTF8, "utf-8"),
        ("utf-8-sig", b"", "utf-8"),
        ("utf-16-le", b"", "utf-16-le"),
        ("cp1252", b"", "cp1252"),
        ("UTF8", codecs.BOM_UTF8, "utf-8"),
    ],
)
def test_encodings(mode: str, encoding: str, bom: bytes, codec: str) -> None:
    found = bom + "x\r\n".encode(codec)
    expected = "é\r\nb" if mode == "replace" else "x\r\né\r\nb\r\n"
    assert planted(found, "é\nb", mode, encoding=encoding) == bom + expected.encode(codec)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252", "utf-16-be"])
def test_a_new_file_can_be_read_in_the_encoding(encoding: str) -> None:
    for found in (None, b""):
        assert planted(found, "é\nb", encoding=encoding).decode(encoding) == "é\nb"
    assert planted(None, "é", encoding="utf-8-sig").startswith(codecs.BOM_UTF8)


@pytest.mark.parametrize(
    ("found", "settings", "text", "message"),
    [
        pytest.param(
            b"no", {"mode": "insert", "marker": "m"}, "a", "does not hold the marker 'm'", id="no-marker"
        ),
        pytest.param(
            None,
            {"mode": "insert", "marker": "m"},
            "a",
            "does not exist, so it holds no marker",
            id="no-file",
        ),
        pytest.param(
            b"aaa", {"mode": "insert", "marker": "aa"}, "a", "'aa' more than once", id="overlapping-markers"
        ),
        pytest.param(b"\xff", {"mode": "append"}, "a", "is no utf-8 text .*pass encoding=", id="no-text"),
        pytest.param(
            b"x\x00",
            {"mode": "append", "encoding": "utf-16"},
            "a",
            "no byte order mark: pass encoding='utf-16-le'",
            id="no-bom",
        ),
        pytest.param(
            b"x", {"encoding": "ascii"}, "é", "cannot be written as ascii", id="letter-not-in-encoding"
        ),
        pytest.param(b"x", {}, "\ud800", "cannot be written as utf-8", id="lone-surrogate"),
        pytest.param(
            b"x", {"max_bytes": 3}, "éé", "has 4 bytes, and the file takes at most 3", id="too-large"
        ),
        pytest.param(
            b"x", {"max_bytes": 3, "mode": "append"}, "éé", "has 4 bytes, and the", id="too-long-a-line"
        ),
    ],
)
def test_what_does_not_fit_is_refused(
    found: bytes | None, settings: dict[str, Any], text: str, message: str
) -> None:
    with pytest.raises(InfrastructureError, match=message):
        planted(found, text, **settings)


def test_a_payload_as_large_as_allowed_is_taken() -> None:
    assert planted(b"longer than that", "abc", max_bytes=3) == b"abc"
    assert planted(b"longer\n", "abc", "append", max_bytes=3) == b"longer\nabc\n"


@pytest.fixture
def page(tmp_path: Path) -> Payload:
    artifact = tmp_path / "page.pdf"
    artifact.write_bytes(b"%PDF\r\n\x00\xff")
    return Payload(content="a page", id="p", format=PayloadFormat.PDF, artifact=artifact)


def test_an_artifact_is_copied_as_it_is(page: Payload) -> None:
    for found in (None, b"text\n"):
        assert content().with_payload(found, page) == b"%PDF\r\n\x00\xff"


@pytest.mark.parametrize("mode", ["append", "insert"])
def test_an_artifact_goes_into_no_text(page: Payload, mode: str) -> None:
    with pytest.raises(InfrastructureError, match="format 'pdf' is a whole file: use mode='replace'"):
        content(mode, marker="text").with_payload(b"text", page)


def test_an_artifact_may_be_too_large_or_missing(page: Payload) -> None:
    with pytest.raises(InfrastructureError, match="has 8 bytes, and the file takes at most 7"):
        content(max_bytes=7).with_payload(None, page)
    page.artifact = None
    with pytest.raises(InfrastructureError, match="needs an artifact, and this one has none"):
        content().with_payload(None, page)


def test_a_name_has_no_content() -> None:
    assert planted(None, "evil.txt", "name") == b""


lines = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=30)


@given(before=lines, after=lines, text=lines, bom=st.sampled_from([b"", codecs.BOM_UTF8]))
def test_insertion_changes_nothing_else(before: str, after: str, text: str, bom: bytes) -> None:
    found = bom + f"{before}~MARK~{after}".encode()
    if found.count(b"~MARK~") > 1:
        return
    result = planted(found, text, "insert", marker="~MARK~")
    start, end = bom + f"{before}~MARK~".encode(), after.encode()
    assert result.startswith(start)
    assert result.endswith(end)
    inside = result[len(start) : len(result) - len(end)].decode()
    assert inside.replace("\r\n", "\n") == text.replace("\r\n", "\n")


@given(found=lines, text=lines)
def test_appending_changes_nothing_else(found: str, text: str) -> None:
    result = planted(found.encode(), text, "append")
    assert result.startswith(found.encode())
    added = result[len(found.encode()) :].decode()
    assert added.replace("\r\n", "\n").strip("\n") == text.replace("\r\n", "\n").strip("\n")
