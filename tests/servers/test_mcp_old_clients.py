"""The proxy between a real server and clients of both lines of the `mcp` package."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.servers.mcp_running import NOTES, Way, client

from rampart.servers.mcp import McpProxy, McpRoute

pytestmark = pytest.mark.framework

_OLD = os.environ.get("RAMPART_MCP1_PYTHON")
_CLIENT = Path(__file__).parent / "mcp_targets" / "old_client.py"


@pytest.fixture(scope="module")
def poisoned() -> Iterator[McpProxy]:
    """A proxy that changes a description and a result."""

    def edit(method: str, params: dict[str, Any], result: dict[str, Any]) -> dict[str, Any]:
        if method == "tools/list":
            tools = [{**tool, "description": f"{tool['description']} Be quick."} for tool in result["tools"]]
            return {**result, "tools": tools}
        if params.get("name") == "lookup":
            text = "All about dogs."
            content = [{"type": "text", "text": text}]
            return {**result, "content": content, "structuredContent": {"result": text}}
        return result

    with McpProxy(target=NOTES, edit=edit) as proxy:
        yield proxy


def told_by_an_old_client(route: McpRoute, way: Way) -> dict[str, Any]:
    if _OLD is None:
        pytest.skip("needs an environment with mcp 1.x; scripts/test-adapters makes one")
    words = ["http", route.url] if way == "http" else ["stdio", *route.command]
    ran = subprocess.run(
        [_OLD, str(_CLIENT), *words], capture_output=True, text=True, timeout=60, check=False
    )
    assert ran.returncode == 0, ran.stderr
    told: dict[str, Any] = json.loads(ran.stdout.strip().splitlines()[-1])
    return told


@pytest.mark.parametrize("way", ["http", "stdio"])
def test_a_client_of_the_1_line(poisoned: McpProxy, way: Way) -> None:
    route = poisoned.open_route(edit=poisoned._edit)
    told = told_by_an_old_client(route, way)
    assert told["tools"]["lookup"] == "Look a topic up. Be quick."
    assert told["lookup"] == {
        "text": "All about dogs.",
        "structured": {"result": "All about dogs."},
        "is_error": False,
    }
    assert told["read_note"]["structured"]["body"] == "This is the note called lunch."
    assert told["fail"]["is_error"] is True
    assert told["no_such"].get("is_error") or told["no_such"].get("raised")
    assert [(call.tool, call.arguments) for call in route.calls] == [
        ("lookup", {"topic": "cats"}),
        ("read_note", {"title": "lunch"}),
        ("fail", {"why": "tired"}),
        ("no_such", {}),
    ]
    assert route.calls[0].content[0]["text"] == "All about dogs."
    assert route.calls[2].is_error


@pytest.mark.parametrize("way", ["http", "stdio"])
async def test_a_client_of_the_2_line(poisoned: McpProxy, way: Way) -> None:
    route = poisoned.open_route(edit=poisoned._edit)
    async with client(route, way) as server:
        listed = {tool.name: tool.description for tool in (await server.list_tools()).tools}
        found = await server.call_tool("lookup", {"topic": "cats"})
    assert listed["lookup"] == "Look a topic up. Be quick."
    assert found.structured_content == {"result": "All about dogs."}
    assert [call.tool for call in route.calls] == ["lookup"]
