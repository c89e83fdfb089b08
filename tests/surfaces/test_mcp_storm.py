"""Attacks over MCP, many at once, of which some fail, leave the server and the proxy as they were."""

import asyncio
from collections.abc import Iterator

import mcp_types as types
import pytest
from tests.servers.mcp_running import NOTES, client
from tests.surfaces.storm import Storm, every_size

from rampart import InjectionHandle, Payload
from rampart.servers.mcp import McpProxy
from rampart.surfaces import McpSurface


@pytest.fixture(scope="module")
def notes() -> Iterator[McpProxy]:
    with McpProxy(target=NOTES) as proxy:
        yield proxy


def storm(proxy: McpProxy, trials: int) -> Storm:
    surface = McpSurface(proxy=proxy, tool="lookup")

    def make_handle(_number: int, payload: Payload) -> InjectionHandle:
        return surface.inject(payload=payload)

    async def read(number: int) -> str:
        async with client(surface, "http") as connected:
            result = await connected.call_tool("lookup", {"topic": f"cats {number}"})
        return "\n".join(block.text for block in result.content if isinstance(block, types.TextContent))

    async def snapshot() -> str:
        text = await read(0)
        await asyncio.sleep(0.1)  # the connection of the client ends on the other side too
        return text

    return Storm(make_handle=make_handle, read=read, snapshot=snapshot, fault_s=2, trials=trials)


@every_size
def test_a_storm(notes: McpProxy, trials: int) -> None:
    storm(notes, trials).rage(seed=71)


@every_size
def test_a_storm_that_is_cancelled(notes: McpProxy, trials: int) -> None:
    assert storm(notes, trials).cancel(seed=72, rounds=2)
