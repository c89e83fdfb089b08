"""A client of the 1.x line of MCP, `old_client.py http URL` or `old_client.py stdio COMMAND ...`."""

import asyncio
import json
import sys
from importlib import import_module
from typing import Any

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

streamable_http: Any = import_module("mcp.client.streamable_http")  # whose names are others in the 2.x line


async def use(streams: Any) -> None:
    """List and call tools, and tell what came of it."""
    async with ClientSession(streams[0], streams[1]) as session:
        await session.initialize()
        tools = await session.list_tools()
        told: dict[str, Any] = {"tools": {tool.name: tool.description for tool in tools.tools}}
        for name, arguments in [
            ("lookup", {"topic": "cats"}),
            ("read_note", {"title": "lunch"}),
            ("fail", {"why": "tired"}),
            ("no_such", {}),
        ]:
            try:
                result: Any = await session.call_tool(name, arguments)
                told[name] = {
                    "text": "".join(getattr(block, "text", "") for block in result.content),
                    "structured": result.structuredContent,
                    "is_error": result.isError,
                }
            except Exception as error:  # whatever it is, the test sees it
                told[name] = {"raised": f"{type(error).__name__}: {error}"}
        print(json.dumps(told))


async def main() -> None:
    """Connect as the command line says."""
    if sys.argv[1] == "http":
        async with streamable_http.streamablehttp_client(sys.argv[2]) as streams:
            await use(streams)
    else:
        async with stdio_client(StdioServerParameters(command=sys.argv[2], args=sys.argv[3:])) as streams:
            await use(streams)


asyncio.run(main())
