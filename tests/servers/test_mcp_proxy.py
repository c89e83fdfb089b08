"""The proxy gives what the real server gives, over every way and in every version of the protocol."""

import asyncio
import contextlib
from collections.abc import Iterator
from typing import Any

import mcp_types as types
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from tests.servers.mcp_running import (
    NOTES,
    PLAIN,
    Way,
    client,
    notes_over_http,
    over_stdio,
)
from tests.servers.mcp_targets import notes_server

from rampart.servers.mcp import McpProxy

WAYS = [
    pytest.param("http", "auto", id="http-2026"),
    pytest.param("http", "legacy", id="http-2025"),
    pytest.param("stdio", "auto", id="stdio-2026"),
    pytest.param("stdio", "legacy", id="stdio-2025"),
]


SHOWN_DIRECTLY: dict[str, dict[str, Any]] = {}
"""What the notes server shows without a proxy; it is the same for every way to the proxy."""


@pytest.fixture(scope="module")
def notes() -> Iterator[McpProxy]:
    with McpProxy(target=NOTES) as proxy:
        yield proxy


@pytest.fixture(scope="module", params=[[], ["legacy"]], ids=["server-2026", "server-2025"])
def plain(request: pytest.FixtureRequest) -> Iterator[McpProxy]:
    with McpProxy(target=[*PLAIN, *request.param]) as proxy:
        yield proxy


async def everything(server: Client) -> dict[str, Any]:
    """All that a client can see of the notes server."""
    answers: dict[str, Any] = {
        "tools": await server.list_tools(),
        "resources": await server.list_resources(),
        "templates": await server.list_resource_templates(),
        "prompts": await server.list_prompts(),
        "lookup": await server.call_tool("lookup", {"topic": "cats"}),
        "note": await server.call_tool("read_note", {"title": "lunch"}),
        "number": await server.call_tool("count", {"upto": 3}),
        "failure": await server.call_tool("fail", {"why": "because"}),
        "missing": await server.call_tool("nothing-like-it"),
        "null": await server.call_tool("lookup", {"topic": None}),
        "resource": await server.read_resource("notes://all"),
        "templated": await server.read_resource("notes://lunch"),
        "prompt": await server.get_prompt("greet", {"name": "Ada"}),
    }
    seen: dict[str, Any] = {
        name: answer.model_dump(exclude={"ttl_ms", "cache_scope"}) for name, answer in answers.items()
    }
    assert server.server_capabilities is not None
    with pytest.raises(MCPError) as refused:
        await server.get_prompt("nothing-like-it")
    if server.protocol_version == "2026-07-28":  # the mcp package words it by the version that the server got
        seen["refusal"] = (refused.value.code, refused.value.message)
    info = server.server_info
    seen["about"] = (server.instructions, info and (info.name, info.version), server.protocol_version)
    return seen


@pytest.mark.parametrize(("way", "mode"), WAYS)
async def test_clients_see_what_the_server_itself_would_show(notes: McpProxy, way: Way, mode: str) -> None:
    if mode not in SHOWN_DIRECTLY:
        async with over_stdio(NOTES, mode=mode) as direct:
            SHOWN_DIRECTLY[mode] = await everything(direct)
    async with client(notes, way, mode=mode) as proxied:
        assert await everything(proxied) == SHOWN_DIRECTLY[mode]


@pytest.mark.parametrize("mode", ["auto", pytest.param("legacy", marks=pytest.mark.slow)])
async def test_a_server_behind_a_url_and_one_in_the_process(mode: str) -> None:
    async with Client(notes_server.server, mode=mode) as direct:
        expected = await everything(direct)
    with McpProxy(target=notes_server.server) as proxy:
        async with client(proxy, "http", mode=mode) as proxied:
            assert await everything(proxied) == expected
    with notes_over_http() as (url, _), McpProxy(target=url) as proxy:
        async with client(proxy, "http", mode=mode) as proxied:
            assert await everything(proxied) == expected


@pytest.mark.parametrize(("way", "mode"), WAYS)
async def test_pages_errors_and_completions(plain: McpProxy, way: Way, mode: str) -> None:
    async with client(plain, way, mode=mode) as server:
        names, cursor = [], None
        while True:
            page = await server.list_tools(cursor=cursor)
            names.append([tool.name for tool in page.tools])
            if (cursor := page.next_cursor) is None:
                break
        assert names == [["refuse", "row"], ["code", "picture"], ["touch", "say"], ["wait"]]
        with pytest.raises(MCPError, match="not today") as refused:
            await server.call_tool("refuse")
        assert (refused.value.code, refused.value.data) == (-32050, {"retry": "tomorrow"})
        reference = types.PromptReference(type="ref/prompt", name="greet")
        completed = await server.complete(reference, {"name": "name", "value": "Ada"})
        assert completed.completion.values == ["Ada-one"]
        picture = (await server.call_tool("picture")).content
        assert picture == [types.ImageContent(type="image", data="aGk=", mime_type="image/png")]


@pytest.mark.parametrize(("way", "mode"), WAYS)
async def test_progress_goes_along(notes: McpProxy, way: Way, mode: str) -> None:
    seen: list[tuple[Any, ...]] = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        seen.append((progress, total, message))

    async with client(notes, way, mode=mode) as server:
        await server.call_tool("work", {"steps": 2}, progress_callback=on_progress)
    assert seen == [(1.0, 2.0, "step 1"), (2.0, 2.0, "step 2")]


@pytest.mark.parametrize(("way", "mode"), WAYS)
async def test_changes_are_told(plain: McpProxy, way: Way, mode: str) -> None:
    """The server says that a resource has changed; clients of both versions hear it in their own way."""
    told: asyncio.Queue[Any] = asyncio.Queue()

    async def on_message(message: Any) -> None:
        if isinstance(message, types.ResourceUpdatedNotification):
            told.put_nowait(str(message.params.uri))

    async with (
        client(plain, way, mode=mode, message_handler=on_message) as server,
        contextlib.AsyncExitStack() as listening,
    ):
        if mode == "legacy":
            request = types.SubscribeRequest(params=types.SubscribeRequestParams(uri="notes://today"))
            await server.session.send_request(request, types.EmptyResult)
        else:
            await listening.enter_async_context(server.listen(resource_subscriptions=["notes://today"]))
        await server.call_tool("touch")
        assert await asyncio.wait_for(told.get(), 10) == "notes://today"


async def test_log_messages_reach_the_caller(plain: McpProxy) -> None:
    said: asyncio.Queue[Any] = asyncio.Queue()

    async def on_log(params: types.LoggingMessageNotificationParams) -> None:
        said.put_nowait(params.data)

    async with client(plain, "http", mode="legacy", logging_callback=on_log) as server:
        await server.call_tool("say")
        assert await asyncio.wait_for(said.get(), 10) == "working"
