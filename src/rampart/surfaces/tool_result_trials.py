"""Which trial a call of a tool belongs to."""

from __future__ import annotations

import asyncio
import threading
from contextvars import Context, ContextVar, copy_context
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rampart.surfaces.tool_result_insertion import PlantedResults

_OURS = "rampart_"
"""What the names of our own context variables begin with: each execution has some."""
_NOTHING = object()

_entered: ContextVar[Mapping[int, tuple[PlantedResults, ...]]] = ContextVar("rampart_tool_results")


class Trials:
    """The trials that have planted something in one tool's results.

    Args:
        tool: The tool's name, for messages.
    """

    def __init__(self, tool: str) -> None:
        self._tool = tool
        self._active: dict[PlantedResults, _Entered] = {}
        self._lock = threading.Lock()

    def enter(self, planted: PlantedResults) -> None:
        """Let calls that come from this context on belong to `planted`."""
        here = self._here()
        with self._lock:
            trial = self._active[here[0]].trial if here else planted
            self._active[planted] = _Entered(asyncio.get_running_loop(), trial, copy_context())
        _entered.set({**_entered.get({}), id(self): (*here, planted)})

    def leave(self, planted: PlantedResults) -> None:
        """Let none belong to it any more, whatever context it comes from."""
        with self._lock:
            self._active.pop(planted, None)
        here = dict(_entered.get({}))
        here[id(self)] = self._here()
        if not here[id(self)]:
            del here[id(self)]
        _entered.set(here)

    def begin(self) -> TrialCall:
        """A call begins: find out whose it is."""
        mine = self._here()
        if mine or not self._active or self._knows_its_context():
            return TrialCall(mine)
        with self._lock:
            active = dict(self._active)
        trials = {entered.trial for entered in active.values()}
        if len(trials) <= 1:
            return TrialCall(tuple(active))
        for planted in active:
            planted.problem = (
                f"a call of {self._tool} came from a thread of the agent's own while {len(trials)} trials "
                "had planted something, so nobody can tell whose it was; start threads by "
                "asyncio.to_thread, or run the trials with concurrency=1"
            )
        return TrialCall(())

    def _here(self) -> tuple[PlantedResults, ...]:
        """What was planted in this context and is still there."""
        return tuple(one for one in _entered.get({}).get(id(self), ()) if one in self._active)

    def _knows_its_context(self) -> bool:
        """Whether the caller would know of a trial if it belonged to one.

        A thread that the agent starts by itself has a context in which nothing is, or only what the thread
        itself has set, as `decimal` and tracers do. One that was handed down is told by variables of ours, or
        by what it has in common with the contexts of the trials.
        """
        with self._lock:
            active = list(self._active.values())
        for variable, value in copy_context().items():
            if variable.name.startswith(_OURS):
                return True
            if any(entered.context.get(variable, _NOTHING) is value for entered in active):
                return True
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return False
        return any(entered.loop is loop for entered in active)


@dataclass(frozen=True)
class _Entered:
    loop: asyncio.AbstractEventLoop
    trial: PlantedResults
    """The first that its trial planted here."""
    context: Context
    """What was set where it was planted."""


class TrialCall:
    """A call in progress.

    Args:
        planted: What its result gets.
    """

    __slots__ = ("_planted",)

    def __init__(self, planted: tuple[PlantedResults, ...]) -> None:
        self._planted = planted

    def returned(self, result: Any) -> Any:
        """The result that the agent gets."""
        for planted in self._planted:
            result = planted.poisoned(result)
        return result
