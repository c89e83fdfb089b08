import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rampart.converters._artifacts import ArtifactFolder


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_another_content_gets_another_name_and_nothing_is_replaced(tmp_path: Path) -> None:
    folder = ArtifactFolder(tmp_path)
    (tmp_path / "a-2.txt").write_bytes(b"of somebody else")
    paths = [
        folder.write(data, payload_id="a", extension=".txt") for data in (b"one", b"two", b"one", b"three")
    ]
    assert [path.name for path in paths] == ["a.txt", "a-3.txt", "a.txt", "a-4.txt"]
    assert contents(tmp_path) == {
        "a.txt": b"one",
        "a-2.txt": b"of somebody else",
        "a-3.txt": b"two",
        "a-4.txt": b"three",
    }


def test_a_folder_of_that_name_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "a.txt").mkdir()
    assert ArtifactFolder(tmp_path).write(b"one", payload_id="a", extension=".txt").name == "a-2.txt"


def test_threads_that_write_at_once_keep_their_contents_apart(tmp_path: Path) -> None:
    folder = ArtifactFolder(tmp_path)
    together = threading.Barrier(8)

    def write(number: int) -> tuple[int, Path]:
        together.wait()
        return number % 4, folder.write(b"%d" % (number % 4), payload_id="a", extension=".txt")

    with ThreadPoolExecutor(8) as pool:
        written = list(pool.map(write, range(8)))
    assert all(path.read_bytes() == b"%d" % content for content, path in written)
    assert len({path for _, path in written}) == len(contents(tmp_path)) == 4


def test_a_file_system_without_links_does_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError("no links here")

    monkeypatch.setattr(Path, "hardlink_to", refuse)
    folder = ArtifactFolder(tmp_path)
    for data in (b"one", b"two", b"one"):
        folder.write(data, payload_id="a", extension=".txt")
    assert contents(tmp_path) == {"a.txt": b"one", "a-2.txt": b"two"}


def test_a_file_where_the_folder_should_be_says_so_and_nothing_is_left(tmp_path: Path) -> None:
    (tmp_path / "taken").write_bytes(b"")
    with pytest.raises(FileExistsError):
        ArtifactFolder(tmp_path / "taken").write(b"one", payload_id="a", extension=".txt")
    assert contents(tmp_path) == {"taken": b""}


@pytest.mark.parametrize("payload_id", ["..", "a/b", "", "a" * 129, "a\n"])
def test_an_id_that_is_no_name_is_refused(payload_id: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="Invalid payload id"):
        ArtifactFolder(tmp_path / "in").write(b"one", payload_id=payload_id, extension=".txt")
    assert contents(tmp_path) == {}
