"""Real MCP servers, clients and what they leave behind, for tests."""

import asyncio
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, Literal

from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

_TARGETS = Path(__file__).parent / "mcp_targets"
NOTES = [sys.executable, str(_TARGETS / "notes_server.py")]
PLAIN = [sys.executable, str(_TARGETS / "plain_server.py")]

Way = Literal["http", "stdio"]


@contextmanager
def notes_over_http() -> Iterator[tuple[str, "subprocess.Popen[bytes]"]]:
    """The notes server over streamable HTTP: its URL and its process."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [*NOTES, "http", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        deadline = time.monotonic() + 30
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                assert process.poll() is None, "the server ended"
                assert time.monotonic() < deadline, "the server does not listen"
                time.sleep(0.05)
        yield f"http://127.0.0.1:{port}/mcp", process
    finally:
        process.kill()
        process.wait()


@asynccontextmanager
async def client(place: Any, way: Way, **options: Any) -> AsyncIterator[Client]:
    """A client of what has a `url` and a `command`: a proxy, a route, a handle, a surface."""
    if way == "http":
        async with Client(place.url, **options) as connected:
            yield connected
    else:
        async with over_stdio(place.command, **options) as connected:
            yield connected


@asynccontextmanager
async def over_stdio(command: list[str], **options: Any) -> AsyncIterator[Client]:
    """A client that starts a command."""
    parameters = StdioServerParameters(command=command[0], args=command[1:])
    with tempfile.TemporaryFile("w") as errlog:
        async with Client(stdio_client(parameters, errlog=errlog), **options) as connected:
            yield connected


async def until_async(happened: Callable[[], bool]) -> None:
    """Wait for what another thread does."""
    async with asyncio.timeout(20):
        while not happened():  # noqa: ASYNC110  # it sets no event
            await asyncio.sleep(0.01)


def held() -> dict[str, Any]:
    """Threads of proxies, child processes and open sockets of this process."""
    return {
        "threads": sorted(t.name for t in threading.enumerate() if t.name.startswith("rampart-mcp")),
        "children": children(),
        "sockets": _sockets(),
    }


def children() -> list[int]:
    """Processes started by this one that are still there, zombies included."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == os.getpid():
            found.append(int(stat.parent.name))
    return sorted(found)


def _sockets() -> int:
    count = 0
    for descriptor in Path("/proc/self/fd").iterdir():
        try:
            count += str(descriptor.readlink()).startswith("socket:")
        except OSError:
            continue
    return count
