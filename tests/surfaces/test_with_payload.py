"""What is planted can be rewritten: every handle can be made again for another payload in the same place."""

from __future__ import annotations

import sqlite3
import urllib.request
from contextlib import closing
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from tests.servers.mcp_running import NOTES, client
from tests.surfaces.folders import tree
from tests.surfaces.mailboxes import fill_maildir, fill_mbox, maildir_text, mbox_text
from tests.surfaces.test_mcp_conformance import result_text

from rampart import Payload
from rampart.servers.mcp import McpProxy
from rampart.surfaces import (
    CallbackSurface,
    FileSurface,
    MailboxSurface,
    McpSurface,
    OneDriveSurface,
    PlantedHandle,
    SqlSurface,
    ToolResultSurface,
    WebPageSurface,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from rampart.surfaces.undo import Undo

FIRST = Payload(content="the first wording", id="order")
SECOND = Payload(content="the second wording", id="order")


async def check(
    handle: Any,
    read: Callable[[], Awaitable[str] | str],
    snapshot: Callable[[], Any],
) -> tuple[Any, Any]:
    """Plant one wording after another; each is read alone, and nothing is left."""
    before = snapshot()
    again = handle.with_payload(SECOND)
    assert type(again) is type(handle)
    assert again.payload is SECOND
    assert snapshot() == before
    for one, word, other in ((handle, "first", "second"), (again, "second", "first")):
        async with one:
            await one.wait_until_ready_async()
            text = read()
            text = text if isinstance(text, str) else await text
            assert f"the {word} wording" in text
            assert f"the {other} wording" not in text
        assert snapshot() == before
    assert again.with_payload(FIRST).payload is FIRST
    return handle, again


@pytest.mark.parametrize("mode", ["replace", "append", "new", "directory"])
async def test_file(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "notes.txt"
    if mode in {"replace", "append"}:
        path.write_text("Lunch at noon.\n")
    made: dict[str, Callable[[], FileSurface]] = {
        "replace": lambda: FileSurface(path=path),
        "append": lambda: FileSurface(path=path, mode="append"),
        "new": lambda: FileSurface(path=path),
        "directory": lambda: FileSurface(directory=tmp_path),
    }
    name = "order.txt" if mode == "directory" else "notes.txt"
    first, again = await check(
        made[mode]().inject(payload=FIRST), (tmp_path / name).read_text, lambda: tree(tmp_path)
    )
    assert (first.isolation_key, first.surface_name) == (again.isolation_key, again.surface_name)


async def test_file_name(tmp_path: Path) -> None:
    def names() -> str:
        return " ".join(one.name for one in tmp_path.iterdir())

    handle = FileSurface(directory=tmp_path, mode="name").inject(payload=FIRST)
    await check(handle, names, names)
    with pytest.raises(ValueError, match="cannot be the name of a file"):
        handle.with_payload(Payload(content="a/b"))  # type: ignore[attr-defined]  # the type is that of any handle


@pytest.mark.parametrize("kind", ["maildir", "mbox"])
async def test_mailbox(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "mail"
    if kind == "maildir":
        fill_maildir(path)
        surface = MailboxSurface(maildir=path)
        await check(surface.inject(payload=FIRST), lambda: maildir_text(path), lambda: tree(path))
    else:
        fill_mbox(path)
        surface = MailboxSurface(mbox=path)
        await check(surface.inject(payload=FIRST), lambda: mbox_text(path), path.read_bytes)


@pytest.mark.parametrize("place", ["column", "row"])
async def test_sql(tmp_path: Path, place: str) -> None:
    path = tmp_path / "mails.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE mails (id INTEGER PRIMARY KEY, body TEXT)")
        connection.execute("INSERT INTO mails VALUES (1, 'Lunch at noon.')")

    def rows() -> str:
        with closing(sqlite3.connect(path)) as connection:
            return str(connection.execute("SELECT * FROM mails").fetchall())

    target: dict[str, Any] = {"where": {"id": 1}} if place == "column" else {"row": {"id": 2}}
    surface = SqlSurface(database=f"sqlite:///{path}", table="mails", column="body", **target)
    await check(surface.inject(payload=FIRST), rows, rows)


async def test_tool_result() -> None:
    surface: ToolResultSurface[Any] = ToolResultSurface(tool=lambda query: f"Results for {query}.")

    def read() -> str:
        return str(surface.tool("marbles"))

    await check(surface.inject(payload=FIRST), read, read)


@pytest.mark.parametrize("shared", [True, False])
async def test_mcp(*, shared: bool) -> None:
    with McpProxy(target=NOTES) as proxy:
        surface = McpSurface(proxy=proxy, tool="lookup", shared=shared)

        async def read() -> str:
            async with client(surface, "http") as connected:
                return result_text(await connected.call_tool("lookup", {"topic": "cats"}))

        await check(surface.inject(payload=FIRST), read, lambda: "only answers are changed")
        assert "wording" not in await read()


async def test_callback() -> None:
    store: dict[str, str] = {"menu": "soup"}
    surface = CallbackSurface(
        name="store",
        add=lambda payload: store.update({payload.id: payload.content}),
        remove=lambda payload: store.pop(payload.id, None),
    )
    await check(surface.inject(payload=FIRST), lambda: str(store), lambda: dict(store))


async def test_one_drive() -> None:
    files: dict[str, bytes] = {"root:/a/menu.txt:": b"soup"}

    def item(address: str) -> Any:
        async def put(content: bytes) -> Any:
            files[address] = content
            return SimpleNamespace(id=address)

        async def delete() -> None:
            del files[address]

        return SimpleNamespace(content=SimpleNamespace(put=put, url_template="u"), delete=delete)

    items = SimpleNamespace(by_drive_item_id=item)
    drive = SimpleNamespace(drives=SimpleNamespace(by_drive_id=lambda _id: SimpleNamespace(items=items)))
    surface = OneDriveSurface(graph_client=drive, drive_id="d", folder_path="/a", indexing_delay=0)
    await check(surface.inject(payload=FIRST), lambda: str(files), lambda: dict(files))


class TestWebPage:
    @pytest.mark.parametrize("path", [None, "/offer"])
    async def test_the_address_stays_where_somebody_has_named_it(self, path: str | None) -> None:
        surface = WebPageSurface(path=path)
        handle = surface.inject(payload=FIRST)
        url = handle.url

        def read() -> str:
            with urllib.request.urlopen(url, timeout=10) as answer:
                return str(answer.read().decode())

        first, again = await check(handle, read, lambda: "nothing is kept")
        assert again.url == url
        assert (first.delivered, again.delivered) == (True, True)

    async def test_nothing_is_held_before_the_address_is_asked_for(self) -> None:
        handle = WebPageSurface().inject(payload=FIRST)
        again = handle.with_payload(SECOND)
        assert handle._server._server is None
        async with again as planted:
            assert isinstance(planted, type(handle))
            assert planted.url.startswith("http://127.0.0.1:")
        assert handle._server._server is None


class TestHandlesOfOthers:
    class Own(PlantedHandle):
        def __init__(self, payload: Payload) -> None:
            super().__init__(payload=payload, surface_name="own", place="here", isolation_key="own")

        async def _plant_async(self, undo: Undo) -> None:
            return

    def test_one_that_knows_no_way_back_says_what_to_do(self) -> None:
        with pytest.raises(TypeError, match=r"Own cannot be made again.*with_payload\(self, payload\)"):
            self.Own(FIRST).with_payload(SECOND)
