"""Each way in which a payload can be put into a file keeps the rules for surfaces."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.surfaces.file_places import originals_fixture
from tests.surfaces.folders import open_descriptors, tree

from rampart import Payload, PayloadFormat
from rampart.surfaces import FileSurface
from rampart.testing import SurfaceConformance

BEFORE = "# Notes\r\n\r\nLunch is at noon.\r\n"


__all__ = ["originals_fixture"]  # pytest takes it from here


class OneFile(SurfaceConformance):
    """What the suites over one file have in common."""

    path: Path
    before: str | None = BEFORE

    @pytest.fixture(autouse=True)
    def _place(self, tmp_path: Path) -> None:
        self.folder = tmp_path
        self.path = tmp_path / "notes.md"
        if self.before is not None:
            self.path.write_bytes(self.before.encode())
            os.utime(self.path, ns=(1_000_000_000, 2_000_000_000))

    def snapshot(self) -> Any:
        return tree(self.folder)

    def read(self) -> str:
        return "\n".join(path.read_text() for path in self.folder.rglob("*") if path.is_file())

    def disturb(self) -> None:
        with self.path.open("a") as file:
            file.write("Somebody else's line.\n")

    @contextmanager
    def obstruct(self) -> Iterator[None]:
        planted = self.path.read_bytes()
        self.path.unlink()
        self.path.mkdir()
        yield
        self.path.rmdir()
        self.path.write_bytes(planted)

    def open_resources(self) -> int:
        return open_descriptors()


class TestReplace(OneFile):
    @pytest.fixture
    def surface(self) -> FileSurface:
        return FileSurface(path=self.path, max_bytes=1000)

    def refused_payload(self) -> Payload:
        return Payload(content="x" * 1001, id="long")


class TestAppend(OneFile):
    @pytest.fixture
    def surface(self) -> FileSurface:
        return FileSurface(path=self.path, mode="append")

    def refused_payload(self) -> Payload:
        return Payload(content="a page", id="page", format=PayloadFormat.PDF, artifact=self.path)


class TestInsert(OneFile):
    @pytest.fixture
    def surface(self) -> FileSurface:
        return FileSurface(path=self.path, mode="insert", marker="# Notes\n", encoding="ascii")

    def refused_payload(self) -> Payload:
        return Payload(content="Ω", id="omega")


class TestCreate(OneFile):
    before = None

    @pytest.fixture
    def surface(self) -> FileSurface:
        return FileSurface(path=self.path, max_bytes=1000)

    def refused_payload(self) -> Payload:
        return Payload(content="x" * 1001, id="long")


class TestDirectory(OneFile):
    @pytest.fixture
    def surface(self) -> FileSurface:
        self.path = self.folder / "inbox" / "today" / "about-marigold.txt"
        return FileSurface(directory=self.folder / "inbox" / "today", max_bytes=1000)

    def refused_payload(self) -> Payload:
        return Payload(content="x" * 1001, id="long")


class TestName(OneFile):
    @pytest.fixture
    def surface(self) -> FileSurface:
        return FileSurface(directory=self.folder, mode="name")

    def payload(self, *, word: str) -> Payload:
        self.path = self.folder / f"the {word} report.txt"
        return Payload(content=self.path.name, id=f"about-{word}")

    def read(self) -> str:
        return "\n".join(path.name for path in self.folder.iterdir())

    def refused_payload(self) -> Payload:
        return Payload(content="x" * 300, id="long")


class TestArtifact(OneFile):
    @pytest.fixture
    def surface(self) -> FileSurface:
        return FileSurface(path=self.path)

    def payload(self, *, word: str) -> Payload:
        artifact = self.folder.parent / f"{word}.pdf"
        artifact.write_bytes(b"%PDF-1.4\x00\xff " + word.encode())
        return Payload(content="a page", id=f"about-{word}", format=PayloadFormat.PDF, artifact=artifact)

    def read(self) -> bytes:  # type: ignore[override]  # an agent reads what it finds
        return self.path.read_bytes()

    def refused_payload(self) -> Payload:
        payload = self.payload(word="lost")
        assert payload.artifact is not None
        payload.artifact.unlink()
        return payload


class TestLarge(TestReplace):
    """Beyond a megabyte the work is done in a thread."""

    before = "x" * (2 << 20)
