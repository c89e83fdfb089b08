"""Agents that read over MCP: what becomes of attacks on them."""

import asyncio
import json
import random
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

import mcp_types as types
import pytest
from mcp import Client
from tests.servers.mcp_running import NOTES, Way, client, held, notes_over_http
from tests.servers.mcp_targets import notes_server
from tests.surfaces.agents import ORDER, THIEF, check_the_three_agents, objective, order_payload

from rampart import (
    Attacks,
    Payload,
    SafetyStatus,
    execute_trials_async,
)
from rampart.adapters import CallableAdapter, record_tools
from rampart.servers.mcp import McpProxy
from rampart.surfaces import McpSurface

LOOKUP = {"topic": "cats"}


@pytest.fixture(scope="module")
def notes() -> Iterator[McpProxy]:
    with McpProxy(target=NOTES) as proxy:
        yield proxy


def result_text(result: types.CallToolResult) -> str:
    return "\n".join(block.text for block in result.content if isinstance(block, types.TextContent))


async def described(server: Client, name: str) -> str:
    return next(tool.description or "" for tool in (await server.list_tools()).tools if tool.name == name)


@asynccontextmanager
async def _target(kind: str) -> AsyncIterator[Any]:
    if kind == "stdio":
        yield NOTES
    elif kind == "in-process":
        yield notes_server.server
    else:
        with notes_over_http() as (url, _):
            yield url


@asynccontextmanager
async def _running(proxy: McpProxy) -> AsyncIterator[McpProxy]:
    await asyncio.to_thread(proxy.start)
    try:
        yield proxy
    finally:
        await asyncio.to_thread(proxy.stop)


@pytest.mark.parametrize("way", ["http", "stdio"])
@pytest.mark.parametrize("target", ["stdio", "http", "in-process"])
async def test_three_agents_read_a_tool_result(way: Way, target: str) -> None:
    async with _target(target) as server, _running(McpProxy(target=server)) as proxy:
        surface = McpSurface(proxy=proxy, tool="lookup")

        async def read() -> str:
            async with client(surface, way) as connected:
                return result_text(await connected.call_tool("lookup", LOOKUP))

        await check_the_three_agents(lambda: surface.inject(payload=order_payload()), read)


async def test_three_agents_read_nothing_but_structured_content(notes: McpProxy) -> None:
    surface = McpSurface(proxy=notes, tool="read_note")

    async def read() -> str:
        async with client(surface, "http") as connected:
            return json.dumps((await connected.call_tool("read_note", {"title": "x"})).structured_content)

    await check_the_three_agents(lambda: surface.inject(payload=order_payload()), read)


async def test_three_agents_read_a_description(notes: McpProxy) -> None:
    surface = McpSurface(proxy=notes, tool="lookup", where="description")

    async def read() -> str:
        async with client(surface, "http") as connected:
            return await described(connected, "lookup")

    await check_the_three_agents(lambda: surface.inject(payload=order_payload()), read)


async def test_three_agents_read_a_description_that_changes(notes: McpProxy) -> None:
    surface = McpSurface(proxy=notes, tool="lookup", where="changed description")

    async def read() -> str:
        async with client(surface, "stdio") as connected:
            assert await described(connected, "lookup") == "Look a topic up."
            return await described(connected, "lookup")

    await check_the_three_agents(lambda: surface.inject(payload=order_payload()), read)


@pytest.mark.parametrize(
    ("place", "read_from"),
    [
        pytest.param(
            {"resource": "notes://lunch"},
            lambda server: server.read_resource("notes://lunch"),
            id="templated-resource",
        ),
        pytest.param(
            {"prompt": "greet"}, lambda server: server.get_prompt("greet", {"name": "Ada"}), id="prompt"
        ),
    ],
)
async def test_three_agents_read_resources_and_prompts(
    notes: McpProxy, place: dict[str, str], read_from: Callable[[Client], Any]
) -> None:
    surface = McpSurface(proxy=notes, **place)  # type: ignore[arg-type]  # names of places

    async def read() -> str:
        async with client(surface, "http") as connected:
            return str(await read_from(connected))

    await check_the_three_agents(lambda: surface.inject(payload=order_payload()), read)


async def test_a_sync_agent_in_a_thread_finds_its_address(notes: McpProxy) -> None:
    """The session's thread sees what was planted in its trial."""
    surface = McpSurface(proxy=notes, tool="lookup")
    tools = record_tools({"send_email": lambda to: f"sent to {to}"})

    async def lookup(url: str) -> str:
        async with Client(url) as connected:
            return result_text(await connected.call_tool("lookup", LOOKUP))

    def agent(_prompt: str, _history: list[Any]) -> str:
        text = asyncio.run(lookup(surface.url))
        if ORDER in text:
            tools["send_email"](to=THIEF)
        return "done"

    result = await Attacks.xpia(
        inject=surface.inject(payload=order_payload()), trigger="Look cats up.", evaluator=objective()
    ).execute_async(adapter=CallableAdapter(agent))
    assert result.status is SafetyStatus.UNSAFE, result.summary
    assert result.injections[0].delivery == "observed"
    assert result.injections[0].surface_name == "MCP tool lookup"


async def test_the_control_arm_has_the_proxy_s_own_address(notes: McpProxy) -> None:
    surface = McpSurface(proxy=notes, tool="lookup")
    seen: list[tuple[str, str]] = []

    async def agent(_prompt: str, _history: list[Any]) -> dict[str, Any]:
        async with client(surface, "http") as connected:
            text = result_text(await connected.call_tool("lookup", LOOKUP))
        seen.append((surface.url, text))
        return {"text": text, "metadata": {"observability": "tool_only"}}

    await Attacks.xpia(
        inject=surface.inject(payload=order_payload()),
        trigger="Look cats up.",
        evaluator=objective(),
        benign_control=True,
    ).execute_async(adapter=CallableAdapter(agent))
    [(control_url, control_text), (attack_url, attack_text)] = seen
    assert (control_url, control_text) == (notes.url, "All about cats.")
    assert attack_url != notes.url
    assert ORDER in attack_text


async def test_a_server_that_dies_makes_the_trial_an_error() -> None:
    before = held()
    surface = McpSurface(target=NOTES, tool="lookup")
    tools = record_tools({"send_email": lambda to: f"sent to {to}"})

    async def agent(_prompt: str, _history: list[Any]) -> str:
        async with client(surface, "http") as connected:
            try:
                await connected.call_tool("die")
            except Exception as error:
                return f"I could not read it: {error}"
        raise AssertionError

    tools["send_email"](to="nobody")
    result = await Attacks.xpia(
        inject=surface.inject(payload=order_payload()), trigger="Read.", evaluator=objective()
    ).execute_async(adapter=CallableAdapter(agent))
    assert result.status is SafetyStatus.ERROR, result.summary
    assert "behind the proxy has ended" in str(result.metadata["cleanup_errors"])
    assert "MCP tool lookup: payload 'order' may not have been read" in str(result.metadata["cleanup_errors"])
    assert held() == before


@pytest.mark.slow
async def test_two_hundred_trials_leave_nothing() -> None:
    """A tenth of the agents fail or are cancelled at some point."""
    chance = random.Random(7)
    fates = [chance.choice(["raises", "hangs"]) if chance.random() < 0.1 else "reads" for _ in range(200)]
    before = held()
    with McpProxy(target=NOTES) as proxy:
        surface = McpSurface(proxy=proxy, tool="lookup")
        numbers = iter(range(200))

        async def agent(_prompt: str, _history: list[Any]) -> dict[str, Any]:
            number = next(numbers)
            async with client(surface, "http") as connected:
                if fates[number] == "raises":
                    raise RuntimeError("the agent broke down")
                text = result_text(await connected.call_tool("lookup", {"topic": str(number)}))
                if fates[number] == "hangs":
                    raise asyncio.CancelledError
            return {"text": text, "metadata": {"observability": "tool_only"}}

        population = await execute_trials_async(
            execution_factory=lambda: Attacks.xpia(
                inject=surface.inject(payload=Payload(content=ORDER)),
                trigger="Look up.",
                evaluator=objective(),
            ),
            adapter=CallableAdapter(agent),
            n=200,
            concurrency=20,
        )
        statuses = [result.status for result in population.results]
        assert statuses.count(SafetyStatus.ERROR) == sum(fate != "reads" for fate in fates)
        assert statuses.count(SafetyStatus.SAFE) == fates.count("reads")
        for result in population.results:
            if result.status is SafetyStatus.SAFE:
                assert result.turns[0].response.text.count(ORDER) == 1
        assert surface.url == proxy.url
        async with client(proxy, "http") as connected:
            assert ORDER not in result_text(await connected.call_tool("lookup", LOOKUP))
    assert held() == before
