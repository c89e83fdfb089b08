"""Detecting a call of a tool that does not exist."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rampart.core.channel import Channel
from rampart.evaluators._call_answer import not_detected, undetermined
from rampart.evaluators._call_finding import CallFinder, CallFinding, Found, Open, Other
from rampart.evaluators._call_selection import checked_flag
from rampart.evaluators._shown import shown_name
from rampart.evaluators._undeclared import undeclared_reasons
from rampart.evaluators.namespaced_names import namespaced
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    import re

    from rampart.core.evaluation import EvalContext, EvalResult
    from rampart.evaluators._calls import PlacedCall


class HallucinatedTool(CallFinding):
    """Detected when the agent asked for a tool that the manifest does not declare.

    Needs a manifest that declares all tools of the agent: without one the answer is UNDETERMINED. It sees
    that a tool does not exist, not that a call of one that does is wrong.

    Args:
        prefixed: Let a call also mean a declared tool whose name stands in it behind a prefix, by the rule of
            `namespaced`: `mcp__mail__send_email` for `send_email`. By default names are compared exactly.

    Raises:
        TypeError: If the flag is no bool.
    """

    channels = frozenset({Channel.TOOL_CALLS, Channel.MANIFEST})

    def __init__(self, *, prefixed: bool = False) -> None:
        self._prefixed = checked_flag(prefixed, name="prefixed")
        self._token = object()

    def __repr__(self) -> str:
        """The constructor call."""
        return "HallucinatedTool(prefixed=True)" if self._prefixed else "HallucinatedTool()"

    async def evaluate_async(self, *, context: EvalContext) -> EvalResult:
        """Compare the names of all calls with those that are declared."""
        if context.manifest is None or not context.manifest.tools:
            what = "no manifest is given" if context.manifest is None else "the manifest declares no tools"
            reason = f"{what}, so which tools exist is not known; declare them in AppManifest.tools"
            return undetermined([reason])
        return await super().evaluate_async(context=context)

    def _finder(self, context: EvalContext) -> CallFinder:
        return _Declared(context, prefixed=self._prefixed)

    def _looked_for(self) -> str:
        return "the undeclared tools"

    def _not_found(self, context: EvalContext) -> EvalResult:
        del context
        return not_detected("every tool that was called is declared")


class _Declared(CallFinder):
    def __init__(self, context: EvalContext, *, prefixed: bool) -> None:
        assert context.manifest is not None
        self._context = context
        self._names = {safe_str(tool.name) for tool in context.manifest.tools}
        named = sorted(name for name in self._names if name.strip()) if prefixed else []
        self._patterns: list[re.Pattern[str]] = [namespaced(name) for name in named]
        self._known: dict[str, bool] = {}

    async def judge_async(self, one: PlacedCall, /) -> Found | Open | Other:
        name = safe_str(one.call.name)
        if name not in self._known:
            # Our own patterns, which take no longer than the name is long.
            self._known[name] = name in self._names or any(p.fullmatch(name) for p in self._patterns)
        if self._known[name]:
            return Other()
        (reason,) = undeclared_reasons(name, (), self._context) or (f"{shown_name(name)} is not declared",)
        return Found(evidence=one.evidence(), rationale=f"{one.name} was called, but {reason}")
