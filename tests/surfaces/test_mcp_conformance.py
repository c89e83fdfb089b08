"""McpSurface keeps the rules for surfaces, at both kinds of address."""

from collections.abc import Iterator
from typing import Any

import mcp_types as types
import pytest
from tests.servers.mcp_running import NOTES, client, held

from rampart import Payload
from rampart.servers.mcp import McpProxy
from rampart.surfaces import McpSurface
from rampart.testing import SurfaceConformance

LOOKUP = {"topic": "cats"}


@pytest.fixture(scope="module")
def notes() -> Iterator[McpProxy]:
    with McpProxy(target=NOTES) as proxy:
        yield proxy


def result_text(result: types.CallToolResult) -> str:
    return "\n".join(block.text for block in result.content if isinstance(block, types.TextContent))


class AtOneAddress(SurfaceConformance):
    """What the suites have in common."""

    many_in_a_row = 4

    surface_: McpSurface

    async def snapshot(self) -> Any:
        return await self.read()

    async def read(self) -> str:
        async with client(self.surface_, "http") as connected:
            return result_text(await connected.call_tool("lookup", LOOKUP))

    def refused_payload(self) -> Payload:
        return Payload(content="\ud800", id="surrogate")

    def open_resources(self) -> int:
        return len(held()["threads"]) + len(held()["children"])


@pytest.mark.slow
class TestAtTheSharedAddress(AtOneAddress):
    @pytest.fixture
    def surface(self, notes: McpProxy) -> McpSurface:
        self.surface_ = McpSurface(proxy=notes, tool="lookup", shared=True)
        return self.surface_


class TestAtAddressesOfTheirOwn(AtOneAddress):
    @pytest.fixture
    def surface(self, notes: McpProxy) -> McpSurface:
        self.surface_ = McpSurface(proxy=notes, tool="lookup")
        return self.surface_
