"""A real MCP server of the tests with what few servers have; `python plain_server.py [legacy]`."""

import asyncio
import sys
from typing import Any

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.runner import serve_loop
from mcp.server.stdio import stdio_server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ResourceUpdated
from mcp.shared.exceptions import MCPError

EMPTY = {"type": "object", "properties": {}}
ROW = {
    "type": "object",
    "properties": {"kind": {"type": "string", "enum": ["a-rather-long-kind"]}, "note": {"type": "string"}},
    "required": ["kind", "note"],
    "additionalProperties": False,
}
CODES = {"type": "object", "properties": {"code": {"type": "string", "maxLength": 4}}, "required": ["code"]}
TOOLS = [
    types.Tool(name="refuse", description="Refuses.", input_schema=EMPTY),
    types.Tool(name="row", description="Gives a row.", input_schema=EMPTY, output_schema=ROW),
    types.Tool(name="code", description="Gives a code.", input_schema=EMPTY, output_schema=CODES),
    types.Tool(name="picture", description="Gives a picture.", input_schema=EMPTY),
    types.Tool(name="touch", description="Changes a resource.", input_schema=EMPTY),
    types.Tool(name="say", input_schema=EMPTY),
    types.Tool(name="wait", description="Never ends.", input_schema=EMPTY),
]
PAGE = 2


async def list_tools(ctx: Any, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
    start = int(params.cursor) if params is not None and params.cursor else 0
    following = start + PAGE
    return types.ListToolsResult(
        tools=TOOLS[start:following], next_cursor=str(following) if following < len(TOOLS) else None
    )


def text(words: str, structured: Any = None) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=words)], structured_content=structured
    )


async def call_tool(ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
    match params.name:
        case "refuse":
            raise MCPError(code=-32050, message="not today", data={"retry": "tomorrow"})
        case "row":
            return text("a row", {"kind": "a-rather-long-kind", "note": "short"})
        case "code":
            return text("a code", {"code": "ab12"})
        case "picture":
            picture = types.ImageContent(type="image", data="aGk=", mime_type="image/png")
            return types.CallToolResult(content=[picture])
        case "touch":
            await bus.publish(ResourceUpdated(uri="notes://today"))
            await ctx.session.send_resource_updated("notes://today")
            return text("touched")
        case "say":
            await ctx.session.send_notification(
                types.LoggingMessageNotification(
                    params=types.LoggingMessageNotificationParams(level="info", data="working")
                )
            )
            return text("said")
        case "wait":
            await asyncio.Event().wait()
    raise MCPError(code=types.INVALID_PARAMS, message=f"no tool {params.name}")


async def read_resource(ctx: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
    contents = types.BlobResourceContents(uri=params.uri, blob="aGk=", mime_type="image/png")
    return types.ReadResourceResult(contents=[contents])


async def subscribe(ctx: Any, params: Any) -> types.EmptyResult:
    return types.EmptyResult()


async def complete(ctx: Any, params: types.CompleteRequestParams) -> types.CompleteResult:
    return types.CompleteResult(completion=types.Completion(values=[f"{params.argument.value}-one"]))


bus = InMemorySubscriptionBus()
server: Server[Any] = Server(
    "plain",
    on_list_tools=list_tools,
    on_call_tool=call_tool,
    on_read_resource=read_resource,
    on_subscribe_resource=subscribe,
    on_unsubscribe_resource=subscribe,
    on_subscriptions_listen=ListenHandler(bus),
    on_completion=complete,
)


async def main() -> None:
    async with stdio_server() as (read_stream, write_stream):
        if sys.argv[1:] == ["legacy"]:  # the protocol before 2026-07-28 and no other
            await serve_loop(server, read_stream, write_stream, lifespan_state={})
        else:
            await server.run(read_stream, write_stream, server.create_initialization_options())


if __name__ == "__main__":
    asyncio.run(main())
