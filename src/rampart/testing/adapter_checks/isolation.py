"""Whether sessions share anything, one after another or at the same time."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

from rampart.core.types import Request
from rampart.testing.adapter_checks.opening import opened
from rampart.testing.conformance_outcome import not_checked, require
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from rampart.core.adapter import AgentAdapter, Session
    from rampart.core.types import Response

T = TypeVar("T")

WORDS = ("marigold", "quartzite", "sandpiper", "bergamot")
"""What sessions are told; unlikely in a reply that was not told."""


async def check_sessions_are_distinct(adapter: AgentAdapter, *, prompt: str) -> None:
    """Each session is another object, and using one after another works."""
    first, second = opened(adapter), opened(adapter)
    for opening in (first, second):
        async with opening as session:
            await session.send_async(Request(prompt=prompt))
    require(
        first.session is not second.session,
        f"{type(adapter).__name__}.create_session_async gave the same session twice; make a new one",
    )


async def check_a_new_session_forgets(
    adapter: AgentAdapter, *, memory_prompts: tuple[str, str] | None
) -> None:
    """What one session was told is unknown to the next."""
    tell, ask = _memory(memory_prompts)
    word = WORDS[0]
    async with opened(adapter) as session:
        await _say(session, tell.replace("{word}", word))
        _require_knows(await _say(session, ask), word)
    async with opened(adapter) as session:
        reply = await _say(session, ask)
    require(
        word not in reply,
        f"a new session knows {word!r}, which an earlier one was told: they share state. It said {reply!r}",
    )


async def check_concurrent_sessions_do_not_mix(
    adapter: AgentAdapter, *, memory_prompts: tuple[str, str] | None
) -> None:
    """What sessions that are open at the same time are told stays in each of them."""
    tell, ask = _memory(memory_prompts)

    async def converse(session: Session, word: str, everybody: Callable[[], Awaitable[object]]) -> str:
        await _say(session, tell.replace("{word}", word))
        await everybody()
        return await _say(session, ask)

    for word, reply in (await _together(adapter, converse)).items():
        _require_knows(reply, word)
        foreign = [other for other in WORDS if other != word and other in reply]
        require(
            not foreign,
            f"the session that was told {word!r} knows {foreign}, which sessions beside it were told",
        )


async def check_tool_calls_stay_with_their_session(adapter: AgentAdapter, *, tool_prompt: str | None) -> None:
    """Sessions that use tools at the same time report their own calls, and all of them."""
    if tool_prompt is None or "{word}" not in tool_prompt:
        not_checked("set tool_prompt to a message with {word} in it that ends up in a tool's arguments")

    async def converse(session: Session, word: str, everybody: Callable[[], Awaitable[object]]) -> Response:
        await everybody()
        return await session.send_async(Request(prompt=tool_prompt.replace("{word}", word)))

    replies = await _together(adapter, converse)
    if not any(reply.tool_calls for reply in replies.values()):
        not_checked("no session reported a tool call")
    for word, reply in replies.items():
        given = [safe_str(call.raw_arguments or call.arguments) for call in reply.tool_calls]
        shown = " ".join(given).lower()
        require(
            word in shown,
            f"the session that was to use a tool on {word!r} reports no such call, although others report "
            f"theirs: it was lost, or reported by another session. It reports {shown!r}",
        )
        foreign = [other for other in WORDS if other != word and other in shown]
        require(
            not foreign, f"the session about {word!r} reports tool calls of sessions beside it: {foreign}"
        )


async def _together(
    adapter: AgentAdapter,
    converse: Callable[[Session, str, Callable[[], Awaitable[object]]], Awaitable[T]],
) -> dict[str, T]:
    """Have a conversation about each word, all of them in sessions that are open at the same time."""
    cap = getattr(adapter, "max_concurrent_sessions", None)
    words = WORDS[:cap]
    if len(words) < 2:
        not_checked("the adapter allows only one session at a time")
    everybody_is_in = asyncio.Barrier(len(words))

    async def trial(word: str) -> T:
        async with opened(adapter) as session:
            await everybody_is_in.wait()
            return await converse(session, word, everybody_is_in.wait)

    trials = [asyncio.create_task(trial(word)) for word in words]
    try:
        await asyncio.wait(trials, return_when=asyncio.FIRST_EXCEPTION)
    finally:
        for task in trials:
            task.cancel()  # those that still wait for one that failed
        await asyncio.wait(trials)
    failed = [task for task in trials if not task.cancelled() and task.exception() is not None]
    return {word: task.result() for word, task in zip(words, failed or trials, strict=False)}


def _memory(prompts: tuple[str, str] | None) -> tuple[str, str]:
    if prompts is None:
        not_checked("set memory_prompts to a message that tells the agent a {word} and one that asks for it")
    tell, ask = prompts
    require("{word}" in tell, f"the first of memory_prompts must contain {{word}}, got {tell!r}")
    return tell, ask


async def _say(session: Session, prompt: str) -> str:
    return (await session.send_async(Request(prompt=prompt))).text.lower()


def _require_knows(reply: str, word: str) -> None:
    require(
        word in reply,
        f"a session that was told {word!r} does not know it itself, so nothing is learned about others: "
        f"choose other memory_prompts, or none if the agent has no memory. It said {reply!r}",
    )
