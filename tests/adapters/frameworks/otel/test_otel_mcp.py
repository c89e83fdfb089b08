"""The spans of an MCP server: they name the tool and nothing else."""

from typing import Any

import pytest
from tests.adapters.frameworks.library import need
from tests.adapters.frameworks.otel.span_cases import observed

from rampart.integrations.otel import OtelCollector

need("mcp.server.mcpserver")
need("opentelemetry.sdk")
pytestmark = pytest.mark.framework


async def call_track(prompt: str) -> Any:
    from mcp import Client
    from mcp.server.mcpserver import MCPServer

    server = MCPServer("parcels")

    @server.tool()
    def track(parcel: int) -> str:
        if parcel < 0:
            raise ValueError("no such parcel")
        return "Utrecht"

    async with Client(server) as client:
        return await client.call_tool("track", {"parcel": int(prompt)})


async def test_a_call_whose_arguments_nobody_tells() -> None:
    with OtelCollector() as collector:
        observation = await observed(collector, call_track, "17")
    (call,) = observation.tool_calls
    assert (call.name, call.arguments, call.executed, call.error) == ("track", {}, True, None)
    assert "MCP servers never tell arguments" in observation.missing


async def test_the_agents_span_tells_them() -> None:
    from opentelemetry import trace

    async def agent(prompt: str) -> Any:
        attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "parcels_track",
            "gen_ai.tool.call.arguments": f'{{"parcel": {prompt}}}',
        }
        with trace.get_tracer("the.agent").start_as_current_span("track", attributes=attributes):
            return await call_track(prompt)

    with OtelCollector() as collector:
        observation = await observed(collector, agent, "-1")
    (call,) = observation.tool_calls
    assert (call.name, call.arguments, call.error) == ("parcels_track", {"parcel": -1}, "tool_error")
    assert observation.missing == ""
