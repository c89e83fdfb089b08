"""Answers of MCP servers carry the payload in the place that was chosen, and nowhere else."""

import asyncio
from collections.abc import Iterator
from typing import Any

import mcp_types as types
import pytest
from mcp import Client
from tests.servers.mcp_running import NOTES, PLAIN, Way, client
from tests.surfaces.agents import ORDER, order_payload

from rampart import (
    InfrastructureError,
)
from rampart.servers.mcp import McpProxy
from rampart.surfaces import McpPlace, McpSurface

LOOKUP = {"topic": "cats"}


@pytest.fixture(scope="module")
def notes() -> Iterator[McpProxy]:
    with McpProxy(target=NOTES) as proxy:
        yield proxy


@pytest.fixture(scope="module")
def plain() -> Iterator[McpProxy]:
    with McpProxy(target=PLAIN) as proxy:
        yield proxy


def result_text(result: types.CallToolResult) -> str:
    return "\n".join(block.text for block in result.content if isinstance(block, types.TextContent))


async def described(server: Client, name: str) -> str:
    return next(tool.description or "" for tool in (await server.list_tools()).tools if tool.name == name)


@pytest.mark.parametrize("way", ["http", "stdio"])
@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_content_and_structured_content_carry_the_payload(notes: McpProxy, way: Way, mode: str) -> None:
    handle = McpSurface(proxy=notes, tool="lookup").inject(payload=order_payload())
    async with handle, client(handle, way, mode=mode) as connected:
        assert handle.delivered is False
        other = await connected.call_tool("read_note", {"title": "x"})
        assert ORDER not in str(other)
        assert handle.delivered is False
        result = await connected.call_tool("lookup", LOOKUP)
        assert result_text(result) == f"All about cats.\n\n{ORDER}"
        assert result.structured_content == {"result": f"All about cats.\n\n{ORDER}"}
        assert handle.delivered is True
        [note, lookup] = handle.calls
        assert ORDER in lookup.content[0]["text"]
        assert note.tool == "read_note"


async def test_replacing(notes: McpProxy) -> None:
    handle = McpSurface(proxy=notes, tool="read_note", mode="replace").inject(payload=order_payload())
    async with handle, client(handle, "http") as connected:
        result = await connected.call_tool("read_note", {"title": "x"})
        assert result_text(result) == ORDER
        assert result.structured_content == {"title": "x", "body": ORDER, "length": 7}


async def test_a_chosen_place_in_structured_content(notes: McpProxy) -> None:
    handle = McpSurface(proxy=notes, tool="read_note", at="title").inject(payload=order_payload())
    async with handle, client(handle, "http") as connected:
        result = await connected.call_tool("read_note", {"title": "x"})
        assert result.structured_content == {
            "title": f"x\n\n{ORDER}", "body": "This is the note called x.", "length": 7
        }  # fmt: skip


async def test_a_place_that_is_not_there(notes: McpProxy) -> None:
    handle = McpSurface(proxy=notes, tool="read_note", at=["tags", 0]).inject(payload=order_payload())
    with pytest.raises(InfrastructureError, match=r"may not have been read.* no text at \['tags', 0\]"):
        async with handle, client(handle, "http") as connected:
            await connected.call_tool("read_note", {"title": "x"})
    await handle.__aexit__(None, None, None)


async def test_the_output_schema_stays_valid(plain: McpProxy) -> None:
    """The longest string is an enumerated one; the other one takes the payload. The client checks it."""
    handle = McpSurface(proxy=plain, tool="row").inject(payload=order_payload())
    async with handle, client(handle, "http") as connected:
        await connected.list_tools()
        await connected.list_tools(cursor="2")
        result = await connected.call_tool("row")
        assert result.structured_content == {"kind": "a-rather-long-kind", "note": f"short\n\n{ORDER}"}
        assert handle.delivered is True


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(("plain", "code", {}, {"code": "ab12"}, "no text that its schema lets"), id="too-short"),
        pytest.param(("notes", "count", {"upto": 3}, {"result": 3}, "holds no text"), id="number"),
    ],
)
async def test_structured_content_without_room(
    request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture, case: tuple[str, str, Any, Any, str]
) -> None:
    """Content carries the payload, but nobody can tell what the client reads: delivery is not claimed."""
    proxy_name, tool, arguments, structured, said = case
    proxy: McpProxy = request.getfixturevalue(proxy_name)
    handle = McpSurface(proxy=proxy, tool=tool).inject(payload=order_payload())
    async with handle, client(handle, "http") as connected:
        assert handle.delivered is False
        result = await connected.call_tool(tool, arguments)
        assert ORDER in result_text(result)
        assert result.structured_content == structured
        assert handle.delivered is None
    assert f"MCP tool {tool}: the structured content" in caplog.text
    assert said in caplog.text


async def test_a_result_without_text_gets_some(plain: McpProxy) -> None:
    handle = McpSurface(proxy=plain, tool="picture").inject(payload=order_payload())
    async with handle, client(handle, "http") as connected:
        picture, text = (await connected.call_tool("picture")).content
        assert picture.type == "image"
        assert text == types.TextContent(type="text", text=ORDER)
        assert handle.delivered is True


async def test_a_failing_tool_delivers_nothing(notes: McpProxy) -> None:
    handle = McpSurface(proxy=notes, tool="fail").inject(payload=order_payload())
    async with handle, client(handle, "http") as connected:
        result = await connected.call_tool("fail", {"why": "because"})
        assert result.is_error
        assert ORDER not in str(result)
        assert handle.delivered is False


async def test_a_resource_without_text(plain: McpProxy) -> None:
    handle = McpSurface(proxy=plain, resource="notes://picture").inject(payload=order_payload())
    await handle.__aenter__()
    async with client(handle, "http") as connected:
        await connected.read_resource("notes://picture")
    assert handle.delivered is False
    with pytest.raises(InfrastructureError, match="resource 'notes://picture' holds no text"):
        await handle.__aexit__(None, None, None)


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        pytest.param("append", f"Look a topic up.\n\n{ORDER}", id="append"),
        pytest.param("replace", ORDER, id="replace"),
    ],
)
async def test_descriptions(notes: McpProxy, mode: Any, expected: str) -> None:
    surface = McpSurface(proxy=notes, tool="lookup", where=McpPlace.DESCRIPTION, mode=mode)
    handle = surface.inject(payload=order_payload())
    async with handle, client(handle, "http") as connected:
        assert handle.delivered is False
        assert await described(connected, "lookup") == expected
        assert await described(connected, "read_note") == "Read a note."
        assert handle.delivered is True
        assert ORDER not in str(await connected.call_tool("lookup", LOOKUP))


async def test_a_description_on_a_later_page_and_one_that_was_empty(plain: McpProxy) -> None:
    surface = McpSurface(proxy=plain, tool="say", where="description")
    handle = surface.inject(payload=order_payload())
    async with handle, client(handle, "http") as connected:
        first = await connected.list_tools()
        assert handle.delivered is False
        third = await connected.list_tools(cursor="4")
        assert [tool.description for tool in third.tools] == ["Changes a resource.", ORDER]
        assert first.next_cursor == "2"
        assert handle.delivered is True


@pytest.mark.parametrize("way", ["http", "stdio"])
@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_rug_pull_is_announced(notes: McpProxy, way: Way, mode: str) -> None:
    """The first listing is what it was; clients are then told to list again, and find another tool."""
    told = asyncio.Event()

    async def on_message(message: Any) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            told.set()

    surface = McpSurface(proxy=notes, tool="lookup", where=McpPlace.CHANGED_DESCRIPTION)
    handle = surface.inject(payload=order_payload())
    async with handle, client(handle, way, mode=mode, message_handler=on_message) as connected:
        if mode == "auto":
            async with connected.listen(tools_list_changed=True):
                assert await described(connected, "lookup") == "Look a topic up."
                await asyncio.wait_for(told.wait(), 10)
        else:
            assert await described(connected, "lookup") == "Look a topic up."
            await asyncio.wait_for(told.wait(), 10)
        assert handle.delivered is False
        assert await described(connected, "lookup") == f"Look a topic up.\n\n{ORDER}"
        assert handle.delivered is True
