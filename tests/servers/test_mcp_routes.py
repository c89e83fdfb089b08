"""What was called over which address of the proxy, and who is answered there."""

import asyncio
import subprocess
from collections.abc import Iterator
from typing import Any

import mcp_types as types
import pytest
from mcp.shared.exceptions import MCPError
from tests.servers.mcp_running import (
    NOTES,
    PLAIN,
    Way,
    client,
    until_async,
)
from tests.servers.mcp_targets import notes_server

from rampart.servers.mcp import McpProxy


@pytest.fixture(scope="module")
def notes() -> Iterator[McpProxy]:
    with McpProxy(target=NOTES) as proxy:
        yield proxy


@pytest.fixture(scope="module", params=[[], ["legacy"]], ids=["server-2026", "server-2025"])
def plain(request: pytest.FixtureRequest) -> Iterator[McpProxy]:
    with McpProxy(target=[*PLAIN, *request.param]) as proxy:
        yield proxy


async def test_calls_are_recorded_in_order() -> None:
    with McpProxy(target=NOTES) as proxy:
        route = proxy.open_route()
        async with client(proxy, "http") as server, client(route, "stdio") as other:
            await server.call_tool("read_note", {"title": "lunch"})
            await other.call_tool("lookup", {"topic": "cats"})
            await server.call_tool("fail", {"why": "because"})
            await server.list_tools()
    note, lookup, failure = proxy.calls
    assert (note.tool, note.arguments, note.finished) == ("read_note", {"title": "lunch"}, True)
    assert note.structured_content["body"] == "This is the note called lunch."
    assert "This is the note called lunch." in note.content[0]["text"]
    assert note.duration_seconds is not None
    assert note.duration_seconds > 0
    assert note.timestamp.utcoffset() is not None
    assert note.timestamp <= lookup.timestamp <= failure.timestamp
    assert failure.is_error
    assert route.calls == [lookup]


async def test_calls_without_a_result_are_recorded_too(plain: McpProxy) -> None:
    route = plain.open_route()
    async with client(route, "http") as server:
        with pytest.raises(MCPError):
            await server.call_tool("refuse")
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(server.call_tool("wait"), 0.5)
        await until_async(lambda: route.calls[-1].finished)
    assert [call.error for call in route.calls] == ["MCPError: not today", "the agent did not wait for it"]


async def test_what_is_recorded_is_what_the_agent_got() -> None:
    def edit(method: str, _params: dict[str, Any], result: dict[str, Any]) -> dict[str, Any]:
        return (
            {**result, "content": [{"type": "text", "text": "altered"}]} if method == "tools/call" else result
        )

    with McpProxy(target=notes_server.server, edit=edit) as proxy:
        plain_route = proxy.open_route()
        async with client(proxy, "http") as altered, client(plain_route, "http") as unaltered:
            got = await altered.call_tool("lookup", {"topic": "cats"})
            await unaltered.call_tool("lookup", {"topic": "cats"})
        assert got.content == [types.TextContent(type="text", text="altered")]
    assert [call.content[0]["text"] for call in proxy.calls] == ["altered", "All about cats."]


async def test_a_closed_route_answers_no_more(notes: McpProxy) -> None:
    route = notes.open_route()
    async with client(route, "http") as server:
        await server.call_tool("count", {"upto": 1})
        notes.close_route(route)
        notes.close_route(route)
        with pytest.raises(MCPError):
            await server.call_tool("count", {"upto": 2})
    assert [call.arguments for call in route.calls] == [{"upto": 1}]
    bridge = await asyncio.to_thread(
        subprocess.run, route.command, input=b"{}\n", capture_output=True, timeout=20, check=False
    )
    assert b"the MCP proxy ended the connection" in bridge.stderr or bridge.returncode == 0


async def test_many_routes_at_once(notes: McpProxy) -> None:
    async def one(number: int) -> None:
        route = notes.open_route()
        async with client(route, "http") as server:
            assert (await server.call_tool("count", {"upto": number})).structured_content == {
                "result": number
            }
        assert [call.arguments for call in route.calls] == [{"upto": number}]
        notes.close_route(route)

    await asyncio.gather(*(one(number) for number in range(40)))


async def test_an_agent_that_blocks_its_event_loop_is_served(notes: McpProxy) -> None:
    """A request made in a blocking way from the loop's own thread."""
    import httpx2

    reply = httpx2.post(
        notes.url,
        json={"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {}},
        headers={"accept": "application/json, text/event-stream"},
        timeout=10,
    )
    assert reply.status_code in {200, 400}


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        pytest.param("/", {}, 404, id="elsewhere"),
        pytest.param("/s/guessed/mcp", {}, 404, id="unknown-route"),
        pytest.param("/mcp", {}, 404, id="no-route"),
        pytest.param("/s/shared/mcp", {}, 404, id="guessed-name"),
        pytest.param(None, {"host": "evil.example"}, 421, id="rebound-name"),
        pytest.param(None, {"origin": "http://evil.example"}, 403, id="foreign-page"),
    ],
)
def test_strangers_are_refused(
    notes: McpProxy, path: str | None, headers: dict[str, str], status: int
) -> None:
    """None stands for the right path."""
    import httpx2

    address = notes.url if path is None else "/".join(notes.url.split("/")[:3]) + path
    headers = {"accept": "application/json, text/event-stream", **headers}
    body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}
    assert httpx2.post(address, json=body, headers=headers, timeout=10).status_code == status


@pytest.mark.parametrize("way", ["http", "stdio"])
async def test_large_messages(notes: McpProxy, way: Way) -> None:
    topic = "cat " * 1_500_000
    async with client(notes, way) as server:
        result = await server.call_tool("lookup", {"topic": topic})
    assert result.structured_content == {"result": f"All about {topic}."}


async def test_an_edit_that_fails_is_an_error_for_the_agent(notes: McpProxy) -> None:
    def edit(method: str, _params: dict[str, Any], result: dict[str, Any]) -> dict[str, Any]:
        if method == "tools/call":
            raise LookupError("a mistake of the test")
        return result

    route = notes.open_route(edit=edit)
    async with client(route, "http") as server:
        with pytest.raises(MCPError, match="Internal server error"):
            await server.call_tool("lookup", {"topic": "cats"})
    assert [call.error for call in route.calls] == ["LookupError: a mistake of the test"]
    notes.close_route(route)
