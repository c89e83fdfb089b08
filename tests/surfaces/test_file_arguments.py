"""What cannot be meant is refused at once, and handles say where they plant."""

import re
from pathlib import Path
from typing import Any

import pytest
from tests.surfaces.file_places import originals_fixture, path_fixture, payload

from rampart import Payload
from rampart.surfaces import FileSurface

__all__ = ["originals_fixture", "path_fixture"]  # pytest takes them from here


class TestArguments:
    @pytest.mark.parametrize(
        ("arguments", "error", "message"),
        [
            ({}, ValueError, "give path= or directory=, one of them"),
            ({"path": "a", "directory": "b"}, ValueError, "give path= or directory=, one of them"),
            ({"path": 3}, TypeError, "path must be a path, got int"),
            ({"path": b"a"}, TypeError, "path must be a path, got bytes"),
            ({"path": ""}, ValueError, "path must be a path, got ''"),
            ({"directory": "a\0b"}, ValueError, "directory must be a path, got"),
            (
                {"path": "a", "mode": "prepend"},
                ValueError,
                "mode must be one of 'replace', 'append', 'insert', 'name'",
            ),
            ({"path": "a", "mode": "insert"}, ValueError, "needs a marker and other modes take none"),
            (
                {"path": "a", "mode": "insert", "marker": ""},
                ValueError,
                "needs a marker and other modes take none",
            ),
            ({"path": "a", "marker": "m"}, ValueError, "got mode='replace' and marker='m'"),
            ({"path": "a", "mode": "insert", "marker": 3}, TypeError, "marker must be a text, got int"),
            ({"directory": "a", "mode": "insert", "marker": "m"}, ValueError, "mode='insert' needs path="),
            ({"path": "a", "mode": "name"}, ValueError, "mode='name' needs directory="),
            ({"path": "a", "name": " "}, ValueError, "name must be a text that is not blank"),
            ({"path": "a", "encoding": "klingon"}, ValueError, "name of a text encoding, got 'klingon'"),
            ({"path": "a", "encoding": "base64"}, ValueError, "name of a text encoding, got 'base64'"),
            ({"path": "a", "encoding": None}, TypeError, "name of a text encoding, got NoneType"),
            ({"path": "a", "max_bytes": 0}, ValueError, "max_bytes must be 1 or more, got 0"),
            ({"path": "a", "max_bytes": True}, TypeError, "max_bytes must be a number of bytes, or None"),
        ],
    )
    def test_refused(self, arguments: dict[str, Any], error: type[Exception], message: str) -> None:
        with pytest.raises(error, match=re.escape(message)):
            FileSurface(**arguments)

    def test_only_payloads_are_planted(self, path: Path) -> None:
        text: Any = "evil"
        with pytest.raises(TypeError, match="payload must be a Payload, got str"):
            FileSurface(path=path).inject(payload=text)

    @pytest.mark.parametrize("name", ["", "  ", ".", "..", "../x", "a/b", "a\\b", "a\0b"])
    def test_names_that_are_none_are_refused(self, tmp_path: Path, name: str) -> None:
        surface = FileSurface(directory=tmp_path, mode="name")
        with pytest.raises(ValueError, match="payload 'p1' cannot be the name of a file"):
            surface.inject(payload=payload(name))


class TestDescription:
    def test_a_file_is_named_by_its_last_part(self, path: Path) -> None:
        handle = FileSurface(path=path).inject(payload=payload())
        assert (handle.surface_name, handle.payload_id) == ("file notes.md", "p1")

    def test_the_user_may_name_it(self, path: Path) -> None:
        assert FileSurface(path=path, name="the wiki").inject(payload=payload()).surface_name == "the wiki"

    def test_a_hostile_name_stays_on_one_line(self, tmp_path: Path) -> None:
        handle = FileSurface(directory=tmp_path, mode="name").inject(payload=payload("a\nb\x1b[31mc"))
        assert handle.surface_name == r"file a\nbc"

    def test_a_relative_path_belongs_to_the_folder_of_then(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(path.parent)
        handle = FileSurface(path="notes.md").inject(payload=payload())
        monkeypatch.chdir("/")
        assert getattr(handle, "place") == str(path)  # noqa: B009 - no protocol declares it

    def test_all_ways_to_a_file_have_one_key(self, path: Path) -> None:
        (path.parent / "link.md").symlink_to(path)
        (path.parent / "folder").symlink_to(path.parent)
        ways = [path, path.parent / "link.md", path.parent / "folder" / "x" / ".." / "link.md"]
        keys = {_key(FileSurface(path=way)) for way in ways}
        assert keys == {f"file:{path.resolve()}"}
        assert _key(FileSurface(path=path.parent / "other.md")) not in keys

    def test_names_in_one_directory_have_one_key(self, tmp_path: Path) -> None:
        """Whoever reads one has listed all."""
        (tmp_path / "link").symlink_to(tmp_path)
        keys = {
            _key(FileSurface(directory=folder, mode="name"), payload(name))
            for folder in (tmp_path, tmp_path / "link")
            for name in ("a", "b")
        }
        assert keys == {f"file:{tmp_path.resolve()}"}

    def test_files_of_a_directory_have_keys_of_their_own(self, tmp_path: Path) -> None:
        surface = FileSurface(directory=tmp_path)
        assert _key(surface, payload(id="a")) != _key(surface, payload(id="b"))


def _key(surface: FileSurface, what: Payload | None = None) -> Any:
    return getattr(surface.inject(payload=what or payload()), "isolation_key")  # noqa: B009 - it is optional
