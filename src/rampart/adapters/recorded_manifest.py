"""The manifest of an agent whose tools are recorded, for users who declare none themselves.

An evaluator that looks for a tool which is not declared says so, which finds a misspelt name and a tool
whose recording was forgotten. That is right only where all tools are known, so this declares all that
are, or none.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rampart.adapters.tool_reach import reached_tools
from rampart.core.manifest import AppManifest

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rampart.core.manifest import ToolDeclaration
    from rampart.core.types import ToolCall


class RecordedManifest:
    """One manifest for all sessions of an adapter.

    It is one object that grows: what was read at the start of a trace is complete when the trace is
    judged, since the session has made its tools by then.

    Args:
        name: The application's name.
        roots: The functions from which recorded tools are looked for.
        with_tools: Whether to declare tools at all.
    """

    def __init__(self, *, name: str, roots: tuple[object, ...], with_tools: bool) -> None:
        self._manifest = AppManifest(name=name)
        self._roots = roots
        self._declares = with_tools
        self._searched = False
        self._knows_objects = False

    def read(self) -> AppManifest:
        """The manifest; the first call looks for tools."""
        if self._declares and not self._searched:
            self._search(self._roots)
        return self._manifest

    def learn_object(self, made: object) -> None:
        """Look for tools in what the session factory made; the first object stands for all."""
        if self._declares and not self._knows_objects:
            self._knows_objects = True
            self._search((*self._roots, made))

    def learn(self, *, recorded: Iterable[ToolDeclaration], calls: Iterable[ToolCall]) -> None:
        """Add what a session recorded; a call that ran and was not foreseen says that more is missing."""
        if not self._declares:
            return
        for tool in recorded:
            self._declare(tool)
        for call in calls:
            if call.executed is not False and not self.read().declares_tool(call.name):
                self._give_up()
                return

    def _search(self, roots: tuple[object, ...]) -> None:
        self._searched = True
        found = reached_tools(*roots)
        if found is None:
            self._give_up()
            return
        for spy in found:
            self._declare(spy.declaration)

    def _declare(self, tool: ToolDeclaration) -> None:
        known = self._manifest.get_tool(tool.name)
        if known is None:
            self._manifest.tools.append(replace(tool, parameters=dict(tool.parameters)))
        elif known.parameters != tool.parameters:
            known.parameters = {}  # two tools of one name: nobody knows which one is called

    def _give_up(self) -> None:
        self._declares = False
        self._manifest.tools.clear()
