"""McpSurface keeps the rules for surfaces, at both kinds of address."""

from collections.abc import Iterator
from typing import Any

import mcp_types as types
import pytest
from tests.servers.mcp_running import NOTES, client, held
from tests.surfaces.agents import order_payload

from rampart import (
    Payload,
)
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


class TestAtTheSharedAddress(AtOneAddress):
    @pytest.fixture
    def surface(self, notes: McpProxy) -> McpSurface:
        self.surface_ = McpSurface(proxy=notes, tool="lookup", shared=True)
        return self.surface_


class TestAtAddressesOfTheirOwn(AtOneAddress):
    """An agent reads at the address of its own trial; the suite reads at all of them."""

    @pytest.fixture
    def surface(self, notes: McpProxy) -> McpSurface:
        self.surface_ = _Remembering(proxy=notes, tool="lookup")
        return self.surface_

    async def read(self) -> str:
        assert isinstance(self.surface_, _Remembering)
        texts = [await super().read()]
        for handle in self.surface_.handles:
            if handle._route is not None and not handle._route.closed:
                async with client(handle, "http") as connected:
                    texts.append(result_text(await connected.call_tool("lookup", LOOKUP)))
        return "\n".join(sorted(set(texts)))

    async def test_describes_itself(self, surface: Any) -> None:
        """Not as other surfaces: the place is the address, and each handle has another one."""
        first, second = (surface.inject(payload=order_payload()) for _ in range(2))
        assert first.isolation_key != second.isolation_key
        assert first.surface_name == "MCP tool lookup"


class _Remembering(McpSurface):
    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.handles: list[Any] = []

    def inject(self, *, payload: Payload) -> Any:
        self.handles.append(super().inject(payload=payload))
        return self.handles[-1]
