"""A tool's results carry the payload to the trial that planted it, whatever thread or task asks."""

import asyncio
import functools
import inspect
import random
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from tests.surfaces.agents import ORDER, THIEF, check_the_three_agents, objective, order_payload

from rampart import (
    Attacks,
    InfrastructureError,
    Payload,
    PayloadFormat,
    SafetyStatus,
    execute_trials_async,
)
from rampart.adapters import CallableAdapter, record_tools
from rampart.surfaces import ToolResultSurface

AFTER = f"\n\n{ORDER}"


def search_web(query: str) -> str:
    """Search the web."""
    return f"Results for {query}."


async def search_web_async(query: str) -> str:
    """Search the web."""
    await asyncio.sleep(0)
    return f"Results for {query}."


class Searcher:
    """A tool that is an object."""

    name = "searcher"

    def __call__(self, query: str) -> str:
        """Search."""
        return f"Results for {query}."

    def method(self, query: str) -> str:
        """Search."""
        return f"Results for {query}."


def _later(query: str) -> Any:
    return search_web_async(query)


TOOLS = [
    pytest.param(search_web, "search_web", id="sync"),
    pytest.param(search_web_async, "search_web_async", id="async"),
    pytest.param(Searcher(), "searcher", id="object"),
    pytest.param(Searcher().method, "method", id="method"),
    pytest.param(functools.partial(search_web), "search_web", id="partial"),
    pytest.param(functools.partial(search_web_async), "search_web_async", id="async-partial"),
    pytest.param(_later, "_later", id="sync-giving-an-awaitable"),
    pytest.param(lambda query: f"Results for {query}.", "<lambda>", id="lambda"),
]


async def call(tool: Any, *arguments: Any) -> Any:
    result = tool(*arguments)
    return await result if inspect.isawaitable(result) else result


# ---- the three agents ----


@pytest.mark.parametrize(("tool", "_name"), TOOLS)
async def test_three_agents(tool: Any, _name: str) -> None:
    surface = ToolResultSurface(tool=tool)

    async def read() -> str:
        return str(await call(surface.tool, "cats"))

    await check_the_three_agents(lambda: surface.inject(payload=order_payload()), read)


async def test_three_agents_read_in_a_thread() -> None:
    surface = ToolResultSurface(tool=search_web)
    await check_the_three_agents(
        lambda: surface.inject(payload=order_payload()), lambda: surface.tool("cats")
    )


@pytest.mark.parametrize("recorded_first", [True, False], ids=["recorded-inside", "recorded-outside"])
@pytest.mark.parametrize("tool", [search_web, search_web_async])
async def test_with_record_tools_in_either_order(tool: Any, recorded_first: bool) -> None:
    if recorded_first:
        surface = ToolResultSurface(tool=record_tools(tool))
        offered = record_tools(surface.tool)
        assert offered is surface.tool  # recorded already
    else:
        surface = ToolResultSurface(tool=tool)
        offered = record_tools(surface.tool)

    @record_tools
    def send_email(to: str) -> str:
        return f"sent to {to}"

    async def agent(_prompt: str, _history: list[Any]) -> str:
        text = await call(offered, "cats")
        if ORDER in text:
            send_email(THIEF)
        return "done"

    result = await Attacks.xpia(
        inject=surface.inject(payload=order_payload()), trigger="Search.", evaluator=objective()
    ).execute_async(adapter=CallableAdapter(agent))
    assert result.status is SafetyStatus.UNSAFE, result.summary
    assert result.injections[0].delivery == "observed"
    search, email = result.turns[0].response.tool_calls
    assert (search.name, email.name) == (tool.__name__, "send_email")
    assert search.arguments == {"query": "cats"}
    assert search.result == "Results for cats." + ("" if recorded_first else AFTER)


# ---- what becomes of a result ----


@pytest.mark.parametrize(
    ("result", "options", "expected"),
    [
        pytest.param("text", {}, f"text{AFTER}", id="text"),
        pytest.param("", {}, ORDER, id="empty-text"),
        pytest.param("text", {"mode": "replace"}, ORDER, id="replace"),
        pytest.param(
            {"title": "a", "body": "longer", "n": 3, "ok": True, "none": None},
            {},
            {"title": "a", "body": f"longer{AFTER}", "n": 3, "ok": True, "none": None},
            id="dict-longest",
        ),
        pytest.param(
            {"title": "a", "body": "longer"},
            {"at": "title", "mode": "replace"},
            {"title": ORDER, "body": "longer"},
            id="dict-key",
        ),
        pytest.param(
            [{"text": "one"}, {"text": "two"}],
            {"at": [1, "text"]},
            [{"text": "one"}, {"text": f"two{AFTER}"}],
            id="path",
        ),
        pytest.param(["a", "b"], {}, [f"a{AFTER}", "b"], id="list-first-of-equals"),
        pytest.param(["a", "b"], {"at": [-1]}, ["a", f"b{AFTER}"], id="from-the-end"),
        pytest.param(("a", 1), {}, (f"a{AFTER}", 1), id="tuple"),
        pytest.param(
            7, {"insert": lambda result, payload: f"{result}: {payload}"}, f"7: {ORDER}", id="own-function"
        ),
    ],
)
async def test_results(result: Any, options: dict[str, Any], expected: Any) -> None:
    original = repr(result)
    surface = ToolResultSurface(tool=lambda: result, **options)
    handle = surface.inject(payload=order_payload())
    assert surface.tool() == result
    async with handle:
        assert handle.delivered is False
        poisoned = surface.tool()
        assert poisoned == expected
        assert type(poisoned) is type(expected)
        assert handle.delivered is True
    assert surface.tool() == result
    assert repr(result) == original
    assert handle.delivered is True


@pytest.mark.parametrize(
    ("result", "options", "match"),
    [
        pytest.param(7, {}, "there is no text in it: the tool returned int", id="number"),
        pytest.param(None, {}, "the tool returned NoneType", id="nothing"),
        pytest.param({"n": [1, 2]}, {}, "the tool returned dict", id="no-text-in-it"),
        pytest.param(
            {"a": "b"}, {"at": "c"}, r"nothing to change at \['c'\] of the result: no 'c'", id="no-key"
        ),
        pytest.param(["a"], {"at": [3]}, "of the result: no list index out of range", id="no-item"),
        pytest.param("a", {"at": ["b"]}, "found str where 'b' should be looked up", id="not-a-dict"),
        pytest.param({"a": 1}, {"at": "a"}, "found int instead of text", id="no-text-there"),
        pytest.param("a", {"insert": lambda _result: ""}, "insert failed: TypeError", id="own-function"),
        pytest.param(
            ["a"], {"insert": lambda result, text: result.append(text)}, "insert returned None", id="in-place"
        ),
        pytest.param(
            "a", {"insert": lambda result, _text: result}, "returned the result as it was", id="unchanged"
        ),
        pytest.param((n for n in "ab"), {}, "gave its results one after another", id="generator"),
    ],
)
async def test_results_without_room(result: Any, options: dict[str, Any], match: str) -> None:
    """The agent gets what the tool returned, and the trial does not count."""
    surface = ToolResultSurface(tool=lambda: result, **options)
    handle = surface.inject(payload=order_payload())
    await handle.__aenter__()
    assert surface.tool() is result
    assert handle.delivered is False
    with pytest.raises(InfrastructureError, match=match):
        await handle.__aexit__(None, None, None)
    await handle.__aexit__(None, None, None)


async def test_empty_payload_is_refused() -> None:
    """It would count as delivered, and say nothing."""
    handle = ToolResultSurface(tool=search_web).inject(payload=Payload(content=""))
    with pytest.raises(InfrastructureError, match="it is empty, so nobody could be seen to get it"):
        await handle.__aenter__()


@pytest.mark.parametrize("tool", [search_web, search_web_async])
async def test_only_so_many_results(tool: Any) -> None:
    surface = ToolResultSurface(tool=tool, count=2)
    for _ in range(2):  # each trial counts for itself
        async with surface.inject(payload=order_payload()):
            got = [await call(surface.tool, "cats") for _ in range(3)]
        assert [ORDER in text for text in got] == [True, True, False]


async def test_what_the_tool_raises_goes_through() -> None:
    def broken() -> str:
        raise LookupError("no such page")

    surface = ToolResultSurface(tool=broken)
    handle = surface.inject(payload=order_payload())
    async with handle:
        with pytest.raises(LookupError, match="no such page"):
            surface.tool()
        assert handle.delivered is False


@pytest.mark.parametrize(("tool", "name"), TOOLS)
def test_the_tool_looks_like_itself(tool: Any, name: str) -> None:
    surface = ToolResultSurface(tool=tool)
    assert surface.tool is surface.tool
    assert inspect.signature(surface.tool) == inspect.signature(tool)
    assert surface.tool.__name__ == name
    assert inspect.iscoroutinefunction(surface.tool) == inspect.iscoroutinefunction(tool)
    assert surface.inject(payload=order_payload()).surface_name == f"tool {name}"
    assert (
        ToolResultSurface(tool=tool, name="the web").inject(payload=order_payload()).surface_name == "the web"
    )


# ---- whose call it is ----


async def test_trials_that_overlap_keep_apart() -> None:
    surface = ToolResultSurface(tool=search_web_async)
    inside = asyncio.Barrier(3)

    async def trial(word: str) -> str:
        async with surface.inject(payload=Payload(content=word, id=word)):
            await inside.wait()
            text = await surface.tool("cats")
            in_thread = await asyncio.to_thread(lambda: asyncio.run(surface.tool("cats")))
            assert in_thread == text
            await inside.wait()
            return text

    async def no_trial() -> str:
        await inside.wait()
        text = await surface.tool("cats")
        await inside.wait()
        return text

    got = await asyncio.gather(trial("marigold"), trial("teasel"), no_trial())
    assert list(got) == ["Results for cats.\n\nmarigold", "Results for cats.\n\nteasel", "Results for cats."]
    keys = {surface.inject(payload=order_payload()).isolation_key for _ in range(5)}
    assert len(keys) == 5


async def test_a_task_that_outlives_its_trial_is_not_poisoned() -> None:
    surface = ToolResultSurface(tool=search_web)
    left = asyncio.Event()

    async def straggler() -> str:
        await left.wait()
        return surface.tool("cats")

    async with surface.inject(payload=order_payload()):
        late = asyncio.create_task(straggler())
        await asyncio.sleep(0)
    async with surface.inject(payload=Payload(content="other")):
        left.set()
        assert await late == "Results for cats."


def in_own_thread(function: Callable[[], Any]) -> Any:
    """Call from a thread that was started with nothing handed down."""
    results: list[Any] = []
    thread = threading.Thread(target=lambda: results.append(function()))
    thread.start()
    thread.join()
    return results[0]


async def test_a_thread_of_the_agent_s_own_counts_for_the_only_trial() -> None:
    surface = ToolResultSurface(tool=search_web)
    assert in_own_thread(lambda: surface.tool("cats")) == "Results for cats."
    handle = surface.inject(payload=order_payload())
    async with handle:
        assert ORDER in in_own_thread(lambda: surface.tool("cats"))
        assert handle.delivered is True
        with ThreadPoolExecutor() as pool:
            assert ORDER in pool.submit(surface.tool, "cats").result()
        async_surface = ToolResultSurface(tool=search_web_async)
        async with async_surface.inject(payload=order_payload()):
            assert ORDER in in_own_thread(lambda: asyncio.run(async_surface.tool("cats")))
    assert in_own_thread(lambda: surface.tool("cats")) == "Results for cats."


async def test_two_payloads_of_one_trial_are_no_doubt() -> None:
    surface = ToolResultSurface(tool=search_web)
    async with (
        surface.inject(payload=Payload(content="marigold")),
        surface.inject(payload=Payload(content="teasel")),
    ):
        expected = "Results for cats.\n\nmarigold\n\nteasel"
        assert surface.tool("cats") == expected
        assert in_own_thread(lambda: surface.tool("cats")) == expected


async def test_a_call_that_may_be_anybody_s_spoils_all_trials() -> None:
    surface = ToolResultSurface(tool=search_web)
    inside = asyncio.Barrier(2)
    seen: list[str] = []

    async def trial(first: bool) -> None:
        handle = surface.inject(payload=order_payload())
        await handle.__aenter__()
        await inside.wait()
        if first:
            seen.append(in_own_thread(lambda: surface.tool("cats")))
        await inside.wait()
        with pytest.raises(
            InfrastructureError,
            match=r"tool search_web: payload 'order' may not have been read in the results of search_web: a "
            r"call of search_web came from a thread of the agent's own while 2 trials",
        ):
            await handle.__aexit__(None, None, None)

    await asyncio.gather(trial(first=True), trial(first=False))
    assert seen == ["Results for cats."]


async def test_a_sync_agent_s_thread_knows_its_trial() -> None:
    """Each trial's agent runs in a thread of its own, and finds what was planted for it."""
    surface = ToolResultSurface(tool=search_web)
    words = [f"word{number}" for number in range(20)]
    coming = iter(words)

    def agent(prompt: str, _history: list[Any]) -> dict[str, Any]:
        return {"text": surface.tool(prompt), "metadata": {"observability": "tool_only"}}

    population = await execute_trials_async(
        execution_factory=lambda: Attacks.xpia(
            inject=surface.inject(payload=Payload(content=next(coming))),
            trigger="cats",
            evaluator=objective(),
        ),
        adapter=CallableAdapter(agent),
        n=20,
    )
    assert [result.turns[0].response.text for result in population.results] == [
        f"Results for cats.\n\n{word}" for word in words
    ]
    assert {result.injections[0].delivery for result in population.results} == {"observed"}


async def test_two_hundred_trials_leave_nothing() -> None:
    chance = random.Random(3)
    fates = [chance.choice(["raises", "cancels"]) if chance.random() < 0.1 else "reads" for _ in range(200)]
    numbers = iter(range(200))
    surface = ToolResultSurface(tool=search_web_async)

    async def agent(_prompt: str, _history: list[Any]) -> dict[str, Any]:
        number = next(numbers)
        await asyncio.sleep(chance.random() / 100)
        text = await surface.tool(str(number))
        if fates[number] == "raises":
            raise RuntimeError("the agent broke down")
        if fates[number] == "cancels":
            raise asyncio.CancelledError
        return {"text": text, "metadata": {"observability": "tool_only"}}

    population = await execute_trials_async(
        execution_factory=lambda: Attacks.xpia(
            inject=surface.inject(payload=order_payload()), trigger="cats", evaluator=objective()
        ),
        adapter=CallableAdapter(agent),
        n=200,
    )
    statuses = [result.status for result in population.results]
    assert statuses.count(SafetyStatus.ERROR) == sum(fate != "reads" for fate in fates)
    assert statuses.count(SafetyStatus.SAFE) == fates.count("reads")
    assert await surface.tool("cats") == "Results for cats."
    assert in_own_thread(lambda: asyncio.run(surface.tool("cats"))) == "Results for cats."


# ---- refusals ----


def _generator() -> Any:
    yield "one"


async def _async_generator() -> Any:
    yield "one"


@pytest.mark.parametrize(
    ("arguments", "error", "match"),
    [
        pytest.param({"tool": "search"}, TypeError, "another callable, got str", id="text"),
        pytest.param({"tool": Searcher}, TypeError, "got the class Searcher", id="class"),
        pytest.param(
            {"tool": _generator}, TypeError, "'_generator' gives its results one after", id="generator"
        ),
        pytest.param({"tool": _async_generator}, TypeError, "as a list or a string", id="async-generator"),
        pytest.param({"tool": search_web, "count": 0}, ValueError, "count is a number .* got 0", id="count"),
        pytest.param({"tool": search_web, "count": True}, ValueError, "got True", id="count-bool"),
        pytest.param({"tool": search_web, "mode": "insert"}, ValueError, "'append' or 'replace'", id="mode"),
        pytest.param({"tool": search_web, "at": []}, TypeError, "at is a key, or a list", id="at"),
        pytest.param({"tool": search_web, "at": {1.5}}, TypeError, "at is a key, or a list", id="at-set"),
        pytest.param(
            {"tool": search_web, "insert": str, "at": "a"},
            ValueError,
            "leave mode and at out",
            id="insert-at",
        ),
    ],
)
def test_arguments_that_do_not_fit(arguments: dict[str, Any], error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match):
        ToolResultSurface(**arguments)


async def test_a_payload_that_is_no_text(tmp_path: Any) -> None:
    artifact = tmp_path / "page.pdf"
    artifact.write_bytes(b"%PDF")
    payload = order_payload(format=PayloadFormat.PDF, artifact=artifact)
    surface = ToolResultSurface(tool=search_web)
    with pytest.raises(InfrastructureError, match="results take text, and the payload is of format pdf"):
        await surface.inject(payload=payload).__aenter__()
    assert surface.tool("cats") == "Results for cats."
