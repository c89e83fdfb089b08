"""The proxy gives what the real server gives, over every way and in every version of the protocol."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
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
    held,
    notes_over_http,
    over_stdio,
    until_async,
)
from tests.servers.mcp_targets import notes_server

from rampart import InfrastructureError
from rampart.servers.mcp import McpProxy

WAYS = [
    pytest.param("http", "auto", id="http-2026"),
    pytest.param("http", "legacy", id="http-2025"),
    pytest.param("stdio", "auto", id="stdio-2026"),
    pytest.param("stdio", "legacy", id="stdio-2025"),
]


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
    async with over_stdio(NOTES, mode=mode) as direct, client(notes, way, mode=mode) as proxied:
        shown, expected = await everything(proxied), await everything(direct)
    assert shown == expected


@pytest.mark.parametrize("mode", ["auto", "legacy"])
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


async def test_it_lives_as_long_as_its_last_user() -> None:
    before = held()
    proxy = McpProxy(target=NOTES)
    with pytest.raises(InfrastructureError, match="is not running; enter it first"):
        _ = proxy.url
    with proxy:
        url = proxy.url
        with proxy:
            assert proxy.url == url
        async with client(proxy, "http") as server:
            await server.call_tool("lookup", {"topic": "cats"})
        assert held()["threads"] == ["rampart-mcp-proxy", *before["threads"]]
        assert len(held()["children"]) == len(before["children"]) + 1
    assert held() == before
    assert not proxy.running
    proxy.stop()
    with proxy:
        async with client(proxy, "stdio") as server:
            await server.call_tool("lookup", {"topic": "dogs"})
    assert [call.arguments["topic"] for call in proxy.calls] == ["cats", "dogs"]
    assert held() == before


@pytest.mark.parametrize("way", ["http", "stdio"])
@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_stopping_does_not_wait_for_clients(way: Way, mode: str) -> None:
    """Open sessions and calls under way end with the proxy."""
    before = held()
    proxy = McpProxy(target=PLAIN)
    proxy.start()
    with contextlib.suppress(MCPError, Exception):
        async with client(proxy, way, mode=mode) as server:
            call = asyncio.create_task(server.call_tool("wait"))
            await until_async(lambda: bool(proxy.calls))
            await asyncio.wait_for(asyncio.to_thread(proxy.stop), 15)
            with pytest.raises(MCPError):
                await asyncio.wait_for(call, 15)
    assert held() == before


@pytest.mark.parametrize("how", ["told", "killed"])
async def test_a_server_that_dies(how: str) -> None:
    before = held()
    with McpProxy(target=NOTES) as proxy:
        async with client(proxy, "http") as server:
            if how == "told":
                with pytest.raises(MCPError, match=r"behind the proxy has ended .*stderr: I was told to die"):
                    await server.call_tool("die")
            else:
                pid = (await server.call_tool("pid")).structured_content["result"]
                os.kill(pid, signal.SIGKILL)
            with pytest.raises(MCPError, match=r"notes_server\.py behind the proxy has ended"):
                await server.call_tool("lookup", {"topic": "cats"})
        assert proxy.failure is not None
        assert "notes_server.py behind the proxy has ended" in proxy.failure
        assert "has ended" in str(proxy.calls[-1].error)
        with pytest.raises(InfrastructureError, match=r"did not answer tools/list: .*has ended"):
            await proxy.request_async("tools/list")
    assert held() == before


async def test_an_http_server_that_dies() -> None:
    with notes_over_http() as (url, process), McpProxy(target=url) as proxy:
        async with client(proxy, "http") as server:
            await server.call_tool("count", {"upto": 1})
            process.kill()
            process.wait()
            with pytest.raises(MCPError, match="behind the proxy has ended"):
                await server.call_tool("count", {"upto": 2})
        assert proxy.failure is not None


@pytest.mark.parametrize(
    ("target", "match"),
    [
        pytest.param(["/no/such/program"], "cannot reach the MCP server /no/such/program: ", id="no-program"),
        pytest.param(
            [sys.executable, "-c", "import sys; sys.exit('no licence')"],
            "cannot reach .* it said on stderr: no licence",
            id="ends",
        ),
        pytest.param(
            [sys.executable, "-c", "import time; time.sleep(60)"], "did not answer within 1 s", id="silent"
        ),
        pytest.param(
            "http://127.0.0.1:9/mcp", "cannot reach the MCP server http://127.0.0.1:9/mcp", id="no-http"
        ),
    ],
)
def test_a_server_that_cannot_be_reached(target: Any, match: str) -> None:
    before = held()
    proxy = McpProxy(target=target, start_timeout_s=1 if "within" in match else 20)
    with pytest.raises(InfrastructureError, match=match):
        proxy.start()
    assert not proxy.running
    assert held() == before


@pytest.mark.parametrize(
    ("arguments", "error", "match"),
    [
        pytest.param({"target": "server.py"}, ValueError, "give a command as a list", id="a-word"),
        pytest.param({"target": []}, TypeError, "a command is a list of strings", id="empty"),
        pytest.param({"target": ["python", 3]}, TypeError, "a command is a list of strings", id="numbers"),
        pytest.param({"target": object()}, TypeError, "got object", id="no-server"),
        pytest.param({"target": "http://x/mcp", "env": {"A": "b"}}, ValueError, "env and cwd", id="env"),
        pytest.param({"target": ["python"], "headers": {"A": "b"}}, ValueError, "headers are", id="headers"),
    ],
)
def test_targets_that_are_none(arguments: dict[str, Any], error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match):
        McpProxy(**arguments)


async def test_environment_and_folder_reach_a_command(tmp_path: Any) -> None:
    script = (
        "import os\nfrom mcp.server.mcpserver import MCPServer\ns = MCPServer('s')\n"
        "@s.tool()\ndef here() -> str:\n    return os.environ['COLOUR'] + os.getcwd()\ns.run()\n"
    )
    target = [sys.executable, "-c", script]
    with McpProxy(target=target, env={"COLOUR": "blue"}, cwd=tmp_path) as proxy:
        async with client(proxy, "http") as server:
            result = await server.call_tool("here")
    assert result.structured_content == {"result": f"blue{tmp_path}"}


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
        pytest.param("/mcp", {"host": "evil.example"}, 421, id="rebound-name"),
        pytest.param("/mcp", {"origin": "http://evil.example"}, 403, id="foreign-page"),
    ],
)
def test_strangers_are_refused(notes: McpProxy, path: str, headers: dict[str, str], status: int) -> None:
    import httpx2

    address = notes.url.removesuffix("/mcp") + path
    headers = {"accept": "application/json, text/event-stream", **headers}
    body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}
    assert httpx2.post(address, json=body, headers=headers, timeout=10).status_code == status


def test_the_bridge_says_when_the_proxy_is_gone() -> None:
    with McpProxy(target=notes_server.server) as proxy:
        command = proxy.command
        assert subprocess.run(command, stdin=subprocess.DEVNULL, timeout=20, check=False).returncode == 0
    gone = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=20, check=False)
    assert gone.returncode == 1
    assert b"the MCP proxy on port" in gone.stderr


def test_without_a_real_stderr() -> None:
    """As under pytest's --capture=sys."""
    script = (
        "import contextlib, io, sys\n"
        "with contextlib.redirect_stderr(io.StringIO()):\n"
        "    from rampart.servers.mcp import McpProxy\n"
        f"    with McpProxy(target={NOTES!r}) as proxy:\n"
        "        print(proxy.url)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout.startswith("http://127.0.0.1:"), done.stderr


def test_the_library_is_imported_at_the_first_use_only() -> None:
    script = (
        "import sys, rampart.servers, rampart.servers.mcp, rampart.surfaces\n"
        "from rampart.servers.mcp import McpProxy\nfrom rampart.surfaces import McpSurface\n"
        "McpSurface(target=['x'], tool='y')\n"
        "print(sorted({'mcp', 'mcp_types', 'pydantic', 'uvicorn', 'anyio'} & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout == "[]\n", done.stderr


def test_without_the_library() -> None:
    script = (
        "import sys\nfrom importlib.abc import MetaPathFinder\n"
        "import importlib.util\nfind = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, *rest: None if name == MISSING else find(name, *rest)\n"
        "from rampart.servers.mcp import McpProxy\nMcpProxy(target=['x'])\n"
    )
    for missing, said in (("mcp", "which is not installed"), ("mcp_types", "an older one is installed")):
        done = subprocess.run(
            [sys.executable, "-c", f"MISSING = {missing!r}\n{script}"],
            capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert f'{said}; run pip install "rampart[mcp]"' in done.stderr
