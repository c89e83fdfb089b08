"""Which session a tool call belongs to.

Each session has a `ToolLog`. A context variable carries it into everything that the session starts:
tasks, `asyncio.to_thread`, anyio's threads. Threads that the agent starts on its own carry nothing;
their calls are told apart by the session for which the tool was made, or by having begun while the only
session that was open was answering. What remains is recorded nowhere, and every open session stops
claiming that it reports all calls, since one of them may be missing a call.
"""

from __future__ import annotations

import asyncio
import threading
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import TYPE_CHECKING
from weakref import WeakSet, ref

from rampart.adapters.thread_origin import ThreadOrigins
from rampart.adapters.tool_warnings import warn_of_late_call, warn_of_unattributed_call

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rampart.core.manifest import ToolDeclaration
    from rampart.core.types import ToolCall

_lock = threading.RLock()  # a finaliser that calls a tool may run while it is held
_open_logs: WeakSet[ToolLog] = WeakSet()  # weak: a session that nobody left must not count for ever
_current: ContextVar[ToolLog | None] = ContextVar("rampart_tool_log", default=None)
_thread = threading.local()
_origins: ThreadOrigins[ToolLog] = ThreadOrigins()


class LoggedCall:
    """A call that was begun; its outcome is noted until the turn it belongs to is handed over."""

    __slots__ = ("_sealed", "call")

    def __init__(self, call: ToolCall) -> None:
        self.call = call
        self._sealed = False

    def end(self, *, result: object = None, error: str | None = None, executed: bool = True) -> None:
        """Note how the call ended, unless its turn has been handed over already."""
        with _lock:
            if not self._sealed:
                self.call.result = result
                self.call.error = error
                self.call.executed = executed

    def seal(self) -> ToolCall:
        """The call as it is now and will stay; called under the lock."""
        self._sealed = True
        return self.call


class ToolLog:
    """The calls of recorded tools that one session made and has not handed over yet.

    `CallableAdapter` looks after it. A session of an adapter of one's own opens it when it is entered,
    runs the agent inside `recording()`, puts what `take()` gives into the response, and closes it when
    it is left; while `reports_all` is False its level is RESPONSE_ONLY.

    Args:
        owner: What the session belongs to, for warnings.

    Attributes:
        complete: False once a call was made that may be this session's and could not be attributed.
        knows_tools: Whether a tool was recorded for this session, or called in it.
        recorded_tools: What is known of the tools that were recorded for this session.
        binds_tools: Whether tools that are recorded now, in its context, belong to this session alone.
    """

    def __init__(self, owner: str = "the agent") -> None:
        self.owner = owner
        self.complete = True
        self.knows_tools = False
        self.recorded_tools: list[ToolDeclaration] = []
        self.binds_tools = False
        self._calls: list[LoggedCall] = []
        self._warned = False
        self._answering = 0
        self._opener: ref[asyncio.Task[object]] | None = None

    @property
    def is_open(self) -> bool:
        """Whether calls can still be recorded."""
        return self in _open_logs

    @property
    def has_pending(self) -> bool:
        """Whether calls were made that no turn has reported."""
        return bool(self._calls)

    @property
    def reports_all(self) -> bool:
        """Whether every call that may be this session's is part of a turn."""
        return self.complete and not self.has_pending

    def open(self) -> None:
        """Begin to take calls."""
        task = _running_task()
        with _lock:
            self._opener = None if task is None else ref(task)
            _open_logs.add(self)
            _origins.forget()

    def close(self) -> None:
        """Take no more calls; doing so again changes nothing."""
        alive = threading.enumerate()
        with _lock:
            if self not in _open_logs:
                return
            _open_logs.discard(self)
            _origins.forget()
            left = _only_open_log()
            if left is not None and left._answering:
                _origins.begin(left, alive)

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Attribute what is called in the body, and in whatever it starts, to this log."""
        alive = threading.enumerate()
        with _lock:
            self._answering += 1
            if self._answering == 1 and _only_open_log() is self:
                _origins.begin(self, alive)
        token = _current.set(self)
        try:
            yield
        finally:
            _current.reset(token)
            alive = threading.enumerate()
            with _lock:
                self._answering -= 1
                if not self._answering:
                    _origins.end(self, alive)

    def was_opened_in(self, task: asyncio.Task[object] | None) -> bool:
        """Whether `task` opened this log; what it does outside of `recording()` is not the agent's work."""
        return task is not None and self._opener is not None and self._opener() is task

    def own_thread(self) -> None:
        """Declare that the running thread works for this session alone, for as long as it lives."""
        _thread.log = self

    def learn_tool(self, tool: ToolDeclaration) -> None:
        """Note that a tool was recorded for this session."""
        with _lock:
            self.knows_tools = True
            self.recorded_tools.append(tool)

    def add(self, call: ToolCall) -> LoggedCall:
        """Record a call that begins now."""
        entry = LoggedCall(call)
        with _lock:
            self._calls.append(entry)
            self.knows_tools = True
        return entry

    def take(self) -> list[ToolCall]:
        """Hand over the calls made so far, in the order in which they were made."""
        with _lock:
            taken, self._calls = self._calls, []
            return [entry.seal() for entry in taken]

    def peek(self) -> list[ToolCall]:
        """Copies of the calls made and not handed over."""
        with _lock:
            return [replace(entry.call) for entry in self._calls]

    def warn_of_late_call(self, tool: str) -> None:
        """Say once that a call came too late to be in any turn of this session."""
        with _lock:
            self.complete = False
            warned, self._warned = self._warned, True
        if not warned:
            warn_of_late_call(tool, owner=self.owner)


def _only_open_log() -> ToolLog | None:
    logs = list(_open_logs)
    return logs[0] if len(logs) == 1 else None


def _running_task() -> asyncio.Task[object] | None:
    try:
        return asyncio.current_task()
    except RuntimeError:  # no event loop runs in this thread
        return None


def current_log() -> ToolLog | None:
    """The log of the session in whose context this runs, if it is open."""
    log = _current.get()
    return log if log is not None and log.is_open else None


def log_of_call(tool: str, *, bound_to: ToolLog | None, made_for: ToolLog | None) -> ToolLog | None:
    """The log that a call of `tool`, made here and now, belongs to.

    Args:
        tool: The tool's name, for warnings.
        bound_to: The log to which the user bound the tool; nothing else counts then.
        made_for: The log to which the tool belongs because it was recorded for its session.

    Returns:
        None if the call belongs to no open session. Where it may belong to an open one and
        nobody can tell, all that are open become incomplete and a warning is issued.
    """
    if bound_to is not None:
        if bound_to.is_open:
            return bound_to
        bound_to.warn_of_late_call(tool)
        return None
    here, thread, task = _current.get(), threading.current_thread(), _running_task()
    sure = here is not None and getattr(_thread, "log", None) is here
    known = [log for log in (here, made_for) if log is not None]
    with _lock:
        if sure and here in _open_logs:
            return here
        living = {log for log in known if log in _open_logs}
        if len(living) == 1:
            (log,) = living
            if log is here or not log.was_opened_in(task):
                return log
        only = None if known else _only_open_log()
        if only is not None and _origins.began_in(only, thread):
            return only
        late = here if sure else None
        if not _open_logs and known:
            late = known[0]
        affected = [] if late is not None else [log for log in _open_logs if log.complete]
        for log in affected:
            log.complete = False
        count = len(_open_logs)
    if late is not None:
        late.warn_of_late_call(tool)
    elif affected:
        warn_of_unattributed_call(tool, sessions=count)
    return None
