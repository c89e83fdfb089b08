"""What is in folders and databases, as a state."""

from __future__ import annotations

import os
import sys
from datetime import date
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import create_async_engine

from rampart import ConfigurationError
from rampart.adapters import FilesState, SqlState
from rampart.adapters.state_value import StateTooLargeError, plain_state


class Colour(Enum):
    RED = "red"


class Word(str):
    __slots__ = ()


class TestPlainState:
    @pytest.mark.parametrize(
        ("value", "plain"),
        [
            ({1: (2, None)}, {"1": [2, None]}),
            ({"b", "a"}, ["a", "b"]),
            (date(2024, 1, 31), "2024-01-31"),
            (Decimal("1.50"), "1.50"),
            (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
            (Colour.RED, "red"),
            (Word("x"), "x"),
            (Path("a") / "b", str(Path("a/b"))),
            (b"", "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 (0 bytes)"),
        ],
    )
    def test_what_becomes_json(self, value: object, plain: object) -> None:
        made = plain_state(value)
        assert made == plain
        assert type(made) is type(plain)

    def test_it_is_a_copy(self) -> None:
        value: dict[str, list[int]] = {"a": [1]}
        made = plain_state(value)
        value["a"].append(2)
        assert made == {"a": [1]}

    def test_what_is_no_json_is_refused(self) -> None:
        with pytest.raises(TypeError, match="holds a function; make dicts and lists of it"):
            plain_state([len, lambda: 1][1:])

    def test_bounds(self) -> None:
        with pytest.raises(StateTooLargeError, match="more than 50,000 values"):
            plain_state([0] * 50_001)
        loop: list[Any] = []
        loop.append(loop)
        with pytest.raises(ValueError, match="nested more than 200 deep"):
            plain_state(loop)


class TestFiles:
    async def test_content_and_names(self, tmp_path: Path) -> None:
        (tmp_path / "notes" / "old").mkdir(parents=True)
        (tmp_path / "notes" / "ä b.txt").write_text("hello\n", encoding="utf-8")
        (tmp_path / "notes" / "empty.txt").touch()
        (tmp_path / "image.png").write_bytes(b"\x89PNG\xff")
        (tmp_path / "large.txt").write_text("x" * 20_000)
        state = await FilesState(tmp_path)(None)
        assert list(state) == ["image.png", "large.txt", "notes/empty.txt", "notes/ä b.txt", "notes/old/"]
        assert state["notes/ä b.txt"] == "hello\n"
        assert state["notes/empty.txt"] == ""
        assert state["notes/old/"] == "an empty folder"
        assert state["image.png"].endswith("(5 bytes)")
        assert state["large.txt"].endswith("(20000 bytes)")

    async def test_a_change_in_a_large_file_is_seen(self, tmp_path: Path) -> None:
        file = tmp_path / "large.bin"
        file.write_bytes(b"x" * 3_000_000)
        before = await FilesState(tmp_path)(None)
        file.write_bytes(b"x" * 2_999_999 + b"y")
        assert await FilesState(tmp_path)(None) != before

    async def test_a_text_that_looks_like_a_digest_is_no_digest(self, tmp_path: Path) -> None:
        binary, text = tmp_path / "a", tmp_path / "b"
        binary.write_bytes(b"\xff")
        text.write_text((await FilesState(tmp_path)(None))["a"])
        state = await FilesState(tmp_path)(None)
        assert state["a"] != state["b"]

    async def test_texts_are_bounded_in_all(self, tmp_path: Path) -> None:
        for number in range(100):
            (tmp_path / f"{number:03}.txt").write_text("x" * 15_000)
        state = await FilesState(tmp_path)(None)
        assert sum(map(len, state.values())) < 1_050_000
        assert state["000.txt"] == "x" * 15_000
        assert state["099.txt"].startswith("sha256:")

    async def test_links_and_special_files_are_not_followed(self, tmp_path: Path) -> None:
        (tmp_path / "loop").symlink_to(tmp_path)
        (tmp_path / "passwd").symlink_to("/etc/passwd")
        os.mkfifo(tmp_path / "pipe")
        assert await FilesState(tmp_path)(None) == {
            "loop": f"a link to {tmp_path}",
            "passwd": "a link to /etc/passwd",
            "pipe": "a special file",
        }

    async def test_globs(self, tmp_path: Path) -> None:
        for name in ("a.txt", "b.log", "sub/c.txt"):
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).touch()
        assert list(await FilesState(tmp_path, glob="*.txt")(None)) == ["a.txt", "sub/c.txt"]
        assert list(await FilesState(tmp_path, glob=["sub/*", "*.log"])(None)) == ["b.log", "sub/c.txt"]

    async def test_a_folder_that_does_not_exist_is_empty(self, tmp_path: Path) -> None:
        assert await FilesState(tmp_path / "none")(None) == {}
        assert await FilesState(tmp_path)(None) == {}

    async def test_too_many_files(self, tmp_path: Path) -> None:
        for number in range(4):
            (tmp_path / str(number)).touch()
        with pytest.raises(ValueError, match="more than 3 files below the folder; narrow the glob"):
            await FilesState(tmp_path, most_files=3)(None)

    async def test_the_folder_of_a_session(self, tmp_path: Path) -> None:
        (tmp_path / "x").touch()

        async def folder(session: object) -> Path:
            assert session == "the session"
            return tmp_path

        assert list(await FilesState(folder)("the session")) == ["x"]

    def test_refusals(self) -> None:
        with pytest.raises(TypeError, match="root must be a path or a function of the session, got int"):
            FilesState(5)  # type: ignore[arg-type]  # what users pass
        with pytest.raises(ValueError, match="most_files must be 1 or more, got 0"):
            FilesState(".", most_files=0)


class TestSql:
    QUERY = "SELECT id, status FROM orders ORDER BY id"

    @pytest.fixture
    def address(self, tmp_path: Path) -> str:
        address = f"sqlite:///{tmp_path / 'orders.db'}"
        engine = sa.create_engine(address)
        with engine.begin() as connection:
            connection.execute(sa.text("CREATE TABLE orders (id INTEGER PRIMARY KEY, status TEXT)"))
            connection.execute(sa.text("INSERT INTO orders VALUES (7, 'open'), (8, 'paid')"))
        engine.dispose()
        return address

    async def test_rows(self, address: str) -> None:
        assert await SqlState(address, self.QUERY)(None) == [
            {"id": 7, "status": "open"},
            {"id": 8, "status": "paid"},
        ]

    async def test_a_key_and_parameters(self, address: str) -> None:
        query = "SELECT id, status FROM orders WHERE status = :status"
        state = SqlState(address, query, key="id", parameters={"status": "paid"})
        assert await state(None) == {"8": {"id": 8, "status": "paid"}}

    async def test_an_engine(self, address: str) -> None:
        engine = sa.create_engine(address)
        assert len(await SqlState(engine, self.QUERY)(None)) == 2
        engine.dispose()

    async def test_an_async_engine(self, address: str) -> None:
        engine = create_async_engine(address.replace("sqlite:", "sqlite+aiosqlite:"))
        assert len(await SqlState(engine, self.QUERY)(None)) == 2
        await engine.dispose()

    async def test_nothing_is_changed(self, address: str) -> None:
        with pytest.raises(sa.exc.SQLAlchemyError):
            await SqlState(address, "DELETE FROM orders")(None)
        assert len(await SqlState(address, self.QUERY)(None)) == 2

    @pytest.mark.parametrize(
        ("options", "text"),
        [
            ({"key": "name"}, "the query gives no column 'name', only 'id', 'status'"),
            ({"key": "same"}, "two rows have the same '1'; take a column without equal values"),
            ({"most_rows": 1}, "finds more than 1 rows; narrow it"),
        ],
    )
    async def test_what_cannot_be_a_state(self, address: str, options: Any, text: str) -> None:
        query = "SELECT 1 AS same FROM orders" if options.get("key") == "same" else self.QUERY
        with pytest.raises(ValueError, match=text):
            await SqlState(address, query, **options)(None)

    @pytest.mark.parametrize(
        ("database", "query", "options", "error", "text"),
        [
            ("sqlite:///x.db", " ", {}, ValueError, "the query is blank"),
            ("sqlite:///x.db", "SELECT 1", {"most_rows": 0}, ValueError, "most_rows must be 1 or more"),
            ("sqlite://", "SELECT 1", {}, ValueError, "has an empty database of its own; pass the engine"),
            ("orders.db", "SELECT 1", {}, ValueError, "no address that SQLAlchemy understands"),
            (5, "SELECT 1", {}, TypeError, "must be an address or an engine of SQLAlchemy, got int"),
        ],
    )
    def test_refusals(
        self, database: Any, query: str, options: Any, error: type[Exception], text: str
    ) -> None:
        with pytest.raises(error, match=text):
            SqlState(database, query, **options)

    def test_without_sqlalchemy(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "sqlalchemy", None)
        with pytest.raises(ConfigurationError, match=r'pip install "rampart\[sql\]"'):
            SqlState("sqlite:///x.db", "SELECT 1")
