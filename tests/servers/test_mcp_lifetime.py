"""The proxy starts and ends cleanly, whatever the server does; nothing of it is left."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from mcp.server.mcpserver import MCPServer
from mcp.shared.exceptions import MCPError
from tests.servers.mcp_running import (
    NOTES,
    PLAIN,
    Way,
    client,
    held,
    notes_over_http,
    until_async,
)
from tests.servers.mcp_targets import notes_server

from rampart import InfrastructureError
from rampart.servers.mcp import McpProxy

pytestmark = pytest.mark.slow  # processes that are started and waited for


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
            [sys.executable, "-c", "import time; time.sleep(60)"],
            "did not answer within 1 s",
            id="silent",
            marks=pytest.mark.slow,
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


def test_headers_reach_a_url() -> None:
    """A server that lets nobody in, and notes who asked."""
    asked: list[str | None] = []

    class Guarded(BaseHTTPRequestHandler):
        def do_POST(self) -> None:  # the library's name
            asked.append(self.headers["Authorization"])
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(401)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_arguments: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Guarded) as server:
        threading.Thread(target=server.serve_forever).start()
        proxy = McpProxy(
            target=f"http://127.0.0.1:{server.server_port}/mcp", headers={"Authorization": "Bearer abc"}
        )
        with pytest.raises(InfrastructureError, match="cannot reach the MCP server"):
            proxy.start()
        server.shutdown()
    assert set(asked) == {"Bearer abc"}


@pytest.mark.slow
def test_an_interrupt_while_it_starts_leaves_nothing() -> None:
    script = (
        "import os, signal, sys, threading, time\n"
        # Where the run is a background job, its children ignore SIGINT.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from tests.servers.mcp_running import held\n"
        "from rampart.servers.mcp import McpProxy\n"
        "proxy = McpProxy(target=[sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        "threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "try:\n    proxy.start()\nexcept KeyboardInterrupt:\n    print(held(), proxy.running)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout == "{'threads': [], 'children': [], 'sockets': 0} False\n", done.stderr


async def test_a_server_object_that_blocks_is_not_waited_for_without_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("rampart.servers.mcp.running._PATIENCE_S", 0.2)
    before = held()
    inside, go_on = threading.Event(), threading.Event()
    blocking = MCPServer("blocking")

    @blocking.tool()
    async def block() -> str:
        inside.set()
        await asyncio.sleep(0)
        go_on.wait(30)
        return "done"

    proxy = McpProxy(target=blocking)
    proxy.start()
    asked = asyncio.create_task(proxy.request_async("tools/call", {"name": "block", "arguments": {}}))
    await asyncio.to_thread(inside.wait, 30)
    with pytest.raises(InfrastructureError, match=r"MCPServer blocking did not end .* blocks its event"):
        await asyncio.to_thread(proxy.stop)
    assert not proxy.running
    go_on.set()
    await asyncio.gather(asked, return_exceptions=True)
    await until_async(lambda: held()["threads"] == before["threads"])
