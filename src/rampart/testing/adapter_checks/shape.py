"""Whether an adapter, its sessions and its replies are what the protocols say."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from rampart.core.adapter import AgentAdapter
from rampart.core.admission import is_routine
from rampart.core.manifest import AppManifest
from rampart.core.types import ObservabilityLevel, Request, Response, SideEffect, ToolCall, Usage
from rampart.testing.adapter_checks.opening import created, opened
from rampart.testing.conformance_outcome import fail, require
from rampart.testing.protocol_members import ADAPTER, require_members

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rampart.core.adapter import Session

_USAGE_FIELDS = tuple(Usage.__dataclass_fields__)


async def check_members(adapter: AgentAdapter) -> None:
    """The adapter and a session have every member, of the right type."""
    require_members(adapter, AgentAdapter, ADAPTER)
    manifest: object = adapter.manifest
    require_no_method(manifest, f"{_name(adapter)}.manifest", "an AppManifest")
    require(
        isinstance(manifest, AppManifest) and isinstance(manifest.name, str),
        f"{_name(adapter)}.manifest must be an AppManifest with a name, got {type(manifest).__name__}",
    )
    require(
        manifest == adapter.manifest, f"{_name(adapter)}.manifest gives another manifest each time it is read"
    )
    require_level(adapter.observability_profile, f"{_name(adapter)}.observability_profile")
    cap: object = getattr(adapter, "max_concurrent_sessions", None)
    require(
        cap is None or (isinstance(cap, int) and not isinstance(cap, bool) and cap >= 1),
        f"{_name(adapter)}.max_concurrent_sessions must be an int of 1 or more, or absent, got {cap!r}",
    )
    await created(adapter)


async def check_reply(adapter: AgentAdapter, *, prompt: str) -> None:
    """The reply to a prompt is a well-formed `Response`."""
    async with opened(adapter) as session:
        answering: object = session.send_async(Request(prompt=prompt))
        if not inspect.isawaitable(answering):
            fail(f"{_name(session)}.send_async must be async, but gave {type(answering).__name__}")
        require_response(await answering, session)
        level = getattr(session, "observability_profile", None)
        if level is not None:
            require_level(level, f"{_name(session)}.observability_profile")


async def check_several_turns(adapter: AgentAdapter, *, prompt: str) -> None:
    """One session takes several messages, and each reply is an object of its own."""
    async with opened(adapter) as session:
        replies = [await session.send_async(Request(prompt=prompt)) for _ in range(2)]
    for reply in replies:
        require_response(reply, session)
    first, second = replies
    problem = (
        f"{_name(session)}.send_async gave {{}} twice: a later turn then changes what an earlier one recorded"
    )
    require(first is not second, problem.format("the same Response"))
    require(first.tool_calls is not second.tool_calls, problem.format("the same list of tool calls"))
    require(first.side_effects is not second.side_effects, problem.format("the same list of side effects"))
    shared = {id(call) for call in first.tool_calls} & {id(call) for call in second.tool_calls}
    require(not shared, f"{_name(session)}.send_async reports the calls of earlier turns again")


def require_no_method(value: object, place: str, expected: str) -> None:
    """It is no method where a value is expected."""
    require(
        not is_routine(value),
        f"{place} is a method, expected {expected}: make it a property (put @property above it) or an "
        "attribute",
    )


def require_level(level: object, place: str) -> None:
    """It is a level."""
    require_no_method(level, place, "an ObservabilityLevel")
    require(
        isinstance(level, ObservabilityLevel),
        f"{place} must be an ObservabilityLevel, got {type(level).__name__} {level!r}",
    )


def require_response(reply: object, session: Session) -> Response:
    """It is a `Response` all of whose parts have the right types."""
    place = f"{_name(session)}.send_async"
    if not isinstance(reply, Response):
        fail(f"{place} must return a Response, got {type(reply).__name__}")
    for part, value, expected in _parts(reply):
        kind = " or ".join(item.__name__ for item in expected)
        require(
            isinstance(value, expected),
            f"{place} returned a {part} of type {type(value).__name__}, not {kind}",
        )
    for call in reply.tool_calls:
        require(call.name.strip(), f"{place} returned a tool call without a name")
        require(
            call.timestamp is None or call.timestamp.tzinfo is not None,
            f"{place} returned a call of {call.name!r} whose timestamp has no time zone",
        )
    return reply


def _parts(reply: Response) -> Iterator[tuple[str, object, tuple[type, ...]]]:
    nothing = type(None)
    yield "text", reply.text, (str,)
    yield "metadata", reply.metadata, (dict,)
    yield "usage", reply.usage, (Usage, nothing)
    if reply.usage is not None:
        for name in _USAGE_FIELDS:
            yield f"usage.{name}", getattr(reply.usage, name), (int, float, nothing)
    yield "tool_calls", reply.tool_calls, (list,)
    for index, call in enumerate(reply.tool_calls):
        place = f"tool_calls[{index}]"
        yield place, call, (ToolCall,)
        yield f"{place}.name", call.name, (str,)
        yield f"{place}.arguments", call.arguments, (dict,)
        yield f"{place}.error", call.error, (str, nothing)
        yield f"{place}.executed", call.executed, (bool, nothing)
    yield "side_effects", reply.side_effects, (list,)
    for index, effect in enumerate(reply.side_effects):
        place = f"side_effects[{index}]"
        yield place, effect, (SideEffect,)
        yield f"{place}.kind", effect.kind, (str,)
        yield f"{place}.details", effect.details, (dict,)


def _name(thing: Any) -> str:
    return type(thing).__name__
