"""Whether what an adapter claims to report is what it reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rampart.core.adapter import AgentAdapter, Session
from rampart.core.types import ObservabilityLevel, Request
from rampart.testing.adapter_checks.opening import opened
from rampart.testing.conformance_outcome import fail, not_checked, require
from rampart.testing.protocol_members import ADAPTER, require_members

if TYPE_CHECKING:
    from rampart.core.types import Response


async def check_tool_calls_are_declared(
    adapter: AgentAdapter,
    *,
    tool_prompt: str | None,
    expected_tools: tuple[str, ...],
    reports_partially: bool,
) -> None:
    """A level that promises tool calls delivers them, and calls that are reported are promised."""
    reply, level = await _asked(adapter, tool_prompt)
    names = [call.name for call in reply.tool_calls]
    if level.observes_tool_calls:
        require(
            names,
            f"the level is {level.value}, but the reply to tool_prompt reports no tool call: the adapter "
            "hides them (declare response_only), or the agent used no tool (choose another prompt)",
        )
        missing = [name for name in expected_tools if name not in names]
        promised = f"the level is {level.value}, but the reply to tool_prompt does not report"
        require(not missing, f"{promised} {missing}; it reports {names}")
    elif names and not reports_partially:
        fail(
            f"the level is {level.value}, although tool calls are reported: {names}. Declare tool_only if "
            "all calls of the agent are, or set reports_partially = True if some may be missing"
        )


async def check_reported_tools_are_in_the_manifest(adapter: AgentAdapter, *, tool_prompt: str | None) -> None:
    """Calls are reported under the names that the manifest declares, so that evaluators find them."""
    require_members(adapter, AgentAdapter, ADAPTER)
    if not adapter.manifest.tools:
        not_checked("the manifest declares no tools")
    reply, _ = await _asked(adapter, tool_prompt)
    if not reply.tool_calls:
        not_checked("the reply to tool_prompt reports no tool call")
    unknown = sorted(
        {call.name for call in reply.tool_calls if not adapter.manifest.declares_tool(call.name)}
    )
    declared = [tool.name for tool in adapter.manifest.tools]
    require(not unknown, f"calls of {unknown} are reported, but the manifest declares only {declared}")


async def check_side_effects_are_declared(
    adapter: AgentAdapter, *, side_effect_prompt: str | None, reports_partially: bool
) -> None:
    """A level that promises side effects delivers them, and effects that are reported are promised."""
    if side_effect_prompt is None:
        not_checked("set side_effect_prompt to a message that makes the agent change something")
    async with opened(adapter) as session:
        reply = await session.send_async(Request(prompt=side_effect_prompt))
        level = _level(adapter, session)
    kinds = [effect.kind for effect in reply.side_effects]
    if level.observes_side_effects:
        require(
            kinds,
            f"the level is {level.value}, but the reply to side_effect_prompt reports no side effect: the "
            "adapter hides them (declare tool_only), or there was none (choose another prompt)",
        )
    elif kinds and not reports_partially:
        fail(
            f"the level is {level.value}, although side effects are reported: {kinds}. Declare "
            "tool_and_side_effects if all are, or set reports_partially = True if some may be missing"
        )


async def _asked(adapter: AgentAdapter, tool_prompt: str | None) -> tuple[Response, ObservabilityLevel]:
    if tool_prompt is None:
        not_checked("set tool_prompt to a message that makes the agent use a tool")
    async with opened(adapter) as session:
        reply = await session.send_async(Request(prompt=tool_prompt.replace("{word}", "marigold")))
        return reply, _level(adapter, session)


def _level(adapter: AgentAdapter, session: Session) -> ObservabilityLevel:
    """The level that counts: the session's own where it has one."""
    level: object = getattr(session, "observability_profile", None)
    return level if isinstance(level, ObservabilityLevel) else adapter.observability_profile
