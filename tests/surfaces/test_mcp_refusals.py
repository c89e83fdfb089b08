"""What McpSurface and its handles refuse, and what they say."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.servers.mcp_running import NOTES, held
from tests.surfaces.agents import order_payload

from rampart import (
    InfrastructureError,
    PayloadFormat,
)
from rampart.servers.mcp import McpProxy
from rampart.surfaces import McpSurface


@pytest.fixture(scope="module")
def notes() -> Iterator[McpProxy]:
    with McpProxy(target=NOTES) as proxy:
        yield proxy


@pytest.mark.parametrize(
    ("arguments", "error", "match"),
    [
        pytest.param({"tool": "x"}, TypeError, "either proxy= .* or target=", id="nothing-to-ask"),
        pytest.param(
            {"target": ["x"]}, TypeError, "exactly one of tool, resource and prompt, got none", id="no"
        ),
        pytest.param(
            {"target": ["x"], "tool": "a", "prompt": "b"}, TypeError, "got tool, prompt", id="two-places"
        ),
        pytest.param(
            {"target": ["x"], "tool": "a", "where": "prompt"},
            ValueError,
            "'prompt' is no place of a tool; use 'result' or 'description' or 'changed description'",
            id="where",
        ),
        pytest.param(
            {"target": ["x"], "prompt": "a", "where": "result"}, ValueError, "use 'prompt'", id="where-prompt"
        ),
        pytest.param(
            {"target": ["x"], "tool": "a", "mode": "insert"}, ValueError, "mode is 'append'", id="mode"
        ),
        pytest.param({"target": ["x"], "tool": "a", "at": []}, TypeError, "at is a key, or a list", id="at"),
        pytest.param(
            {"target": ["x"], "tool": "a", "at": ["a"], "where": "description"},
            ValueError,
            "at is for the structured content of a tool's result",
            id="at-description",
        ),
    ],
)
def test_arguments_that_do_not_fit(arguments: dict[str, Any], error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match):
        McpSurface(**arguments)


@pytest.mark.parametrize(
    ("place", "match"),
    [
        pytest.param(
            {"tool": "look-up"},
            r"MCP tool look-up: payload 'order' could not be planted in the result of tool 'look-up' of .*: "
            "the server has no tool 'look-up'; it has: lookup, read_note",
            id="tool",
        ),
        pytest.param({"prompt": "bye"}, "the server has no prompt 'bye'; it has: greet", id="prompt"),
    ],
)
async def test_a_place_that_the_server_lacks(notes: McpProxy, place: dict[str, str], match: str) -> None:
    surface = McpSurface(proxy=notes, **place)  # type: ignore[arg-type]  # names of places
    with pytest.raises(InfrastructureError, match=match):
        await surface.inject(payload=order_payload()).__aenter__()
    assert surface.url == notes.url


async def test_payloads_that_answers_cannot_take(notes: McpProxy, tmp_path: Any) -> None:
    artifact = tmp_path / "page.pdf"
    artifact.write_bytes(b"%PDF")
    surface = McpSurface(proxy=notes, tool="lookup")
    for payload, match in (
        (
            order_payload(format=PayloadFormat.PDF, artifact=artifact),
            "takes text, and the payload is of format pdf",
        ),
        (order_payload(content="\ud800"), "surrogates not allowed"),
    ):
        with pytest.raises(InfrastructureError, match=match):
            await surface.inject(payload=payload).__aenter__()


@pytest.mark.parametrize(
    ("proxy", "match"),
    [
        (
            lambda _: McpProxy(target=["pythn", "server.py"]),
            "'pythn'; there is no such program: is it spelled",
        ),
        (lambda path: McpProxy(target=[path]), "the first part of the command has to be a program"),
        (
            lambda path: McpProxy(target=[sys.executable], cwd=path / "gone"),
            r"there is no folder '.*gone' to run it in \(cwd\)",
        ),
        (
            lambda _: McpProxy(target="http://127.0.0.1:9/mcp"),
            "ConnectError: .*; is it running, and is the URL",
        ),
    ],
    ids=["misspelled", "no program", "no folder", "nobody listens"],
)
async def test_a_server_that_cannot_be_started(
    proxy: Callable[[Path], McpProxy], match: str, tmp_path: Path
) -> None:
    before = held()
    surface = McpSurface(proxy=proxy(tmp_path), tool="lookup")
    with pytest.raises(
        InfrastructureError, match=f"could not be planted .* cannot reach the MCP server .*{match}"
    ):
        await surface.inject(payload=order_payload()).__aenter__()
    assert held() == before
