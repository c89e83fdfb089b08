"""One clear message for each path that leads to no model."""

from pathlib import Path

import pytest
from tests.llm.gguf_files import write_gguf

from rampart.core.errors import ConfigurationError
from rampart.llm.gguf_file import gguf_file


def test_a_gguf_file_is_found_by_text_and_by_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_gguf(tmp_path / "a.gguf", tokens=[], kinds=[])
    monkeypatch.chdir(tmp_path)
    assert gguf_file("a.gguf") == gguf_file(tmp_path / "a.gguf") == tmp_path / "a.gguf"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(None, r"there is no file .*model\.gguf; give the path of a \.gguf file", id="missing"),
        pytest.param(b"", r"is no GGUF file: it begins with b'', expected b'GGUF'", id="empty"),
        pytest.param(b"<html>not found", r"is no GGUF file: it begins with b'<htm'", id="web-page"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, content: bytes | None, message: str) -> None:
    path = tmp_path / "model.gguf"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ConfigurationError, match=message):
        gguf_file(path)


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"is a folder; give the path of a \.gguf file in it"):
        gguf_file(tmp_path)


def test_a_path_that_no_system_takes_is_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"cannot be read: embedded null byte"):
        gguf_file("a\0b.gguf")


def test_what_is_no_path_is_refused() -> None:
    with pytest.raises(TypeError, match=r"path must be the path of a \.gguf file, got int"):
        gguf_file(3)  # type: ignore[arg-type]  # that is the point
