"""Each trial has an address of its own at the proxy, or all share one and wait for each other."""

import asyncio
from collections.abc import Iterator

import mcp_types as types
import pytest
from mcp import Client
from tests.servers.mcp_running import NOTES, client, held
from tests.surfaces.agents import ORDER, order_payload

from rampart import (
    ConfigurationError,
    InfrastructureError,
    Payload,
)
from rampart.servers.mcp import McpProxy
from rampart.surfaces import McpSurface

LOOKUP = {"topic": "cats"}


@pytest.fixture(scope="module")
def notes() -> Iterator[McpProxy]:
    with McpProxy(target=NOTES) as proxy:
        yield proxy


def result_text(result: types.CallToolResult) -> str:
    return "\n".join(block.text for block in result.content if isinstance(block, types.TextContent))


async def described(server: Client, name: str) -> str:
    return next(tool.description or "" for tool in (await server.list_tools()).tools if tool.name == name)


async def test_trials_have_addresses_of_their_own(notes: McpProxy) -> None:
    surface = McpSurface(proxy=notes, tool="lookup")
    both_inside = asyncio.Barrier(2)

    async def trial(word: str) -> tuple[str, str]:
        handle = surface.inject(payload=Payload(content=f"The word is {word}.", id=word))
        async with handle:
            await both_inside.wait()
            assert surface.url == handle.url
            assert surface.command == handle.command
            async with client(surface, "http") as connected:
                text = result_text(await connected.call_tool("lookup", LOOKUP))
            await both_inside.wait()
            return handle.url, text

    (first_url, first), (second_url, second) = await asyncio.gather(trial("marigold"), trial("teasel"))
    assert first_url != second_url
    assert first == "All about cats.\n\nThe word is marigold."
    assert second == "All about cats.\n\nThe word is teasel."
    async with client(notes, "http") as connected:
        assert result_text(await connected.call_tool("lookup", LOOKUP)) == "All about cats."


async def test_several_places_in_one_trial_share_an_address(notes: McpProxy) -> None:
    results = McpSurface(proxy=notes, tool="lookup")
    descriptions = McpSurface(proxy=notes, tool="lookup", where="description")
    first, second = results.inject(payload=order_payload()), descriptions.inject(payload=order_payload())
    async with first:
        async with second:
            assert first.url == second.url == results.url == descriptions.url
            async with client(results, "http") as connected:
                assert ORDER in await described(connected, "lookup")
                assert ORDER in result_text(await connected.call_tool("lookup", LOOKUP))
        async with client(results, "http") as connected:
            assert ORDER not in await described(connected, "lookup")
            assert ORDER in result_text(await connected.call_tool("lookup", LOOKUP))
    assert results.url == notes.url


async def test_the_shared_address_serialises(notes: McpProxy) -> None:
    shared = McpSurface(proxy=notes, tool="lookup", shared=True)
    other_tool = McpSurface(proxy=notes, tool="read_note", shared=True)
    own = McpSurface(proxy=notes, tool="lookup")
    keys = [
        surface.inject(payload=order_payload()).isolation_key for surface in (shared, other_tool, own, own)
    ]
    assert keys[0] == keys[1]
    assert len(set(keys)) == 3
    handle = shared.inject(payload=order_payload())
    async with handle:
        assert handle.url == notes.url
        async with client(notes, "stdio") as connected:
            assert ORDER in result_text(await connected.call_tool("lookup", LOOKUP))
    async with client(notes, "http") as connected:
        assert ORDER not in result_text(await connected.call_tool("lookup", LOOKUP))


async def test_without_an_address() -> None:
    surface = McpSurface(target=NOTES, tool="lookup")
    with pytest.raises(
        ConfigurationError, match="nothing is planted in this context, and the proxy does not"
    ):
        _ = surface.url
    with pytest.raises(ConfigurationError, match="keep the proxy running around the test"):
        _ = surface.command
    handle = surface.inject(payload=order_payload())
    with pytest.raises(InfrastructureError, match="the address is known once the handle is entered"):
        _ = handle.url


async def test_a_target_is_started_for_its_handles() -> None:
    before = held()
    surface = McpSurface(target=NOTES, tool="lookup", name="the notes")
    handle = surface.inject(payload=order_payload())
    assert held() == before
    async with handle:
        assert len(held()["children"]) == len(before["children"]) + 1
        async with client(surface, "http") as connected:
            await connected.call_tool("lookup", LOOKUP)
    assert held() == before
    assert handle.surface_name == "the notes"
    assert handle.delivered is True
