"""What an agent does in one turn, as its framework reports it."""

from __future__ import annotations

import threading
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from rampart.adapters.snapshot import snapshot
from rampart.core.types import Response, ToolCall, Usage
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rampart.core.types import SideEffect

_COUNTS = tuple(one.name for one in fields(Usage))


class TurnLog:
    """Takes calls, usage and text from hooks, events and messages, in any thread, until it is handed over.

    Frameworks report one call in several places: the model's message asks for it, a hook says that the tool
    begins, another one or a later message says what it returned. Each place reports what it knows, and the
    call is one entry of the log, at the place where it was first reported.

    Attributes:
        text: The agent's reply, as far as it is known.
        metadata: What goes into the metadata of the response.
        side_effects: What goes into its side effects.
    """

    def __init__(self) -> None:
        self.text = ""
        self.metadata: dict[str, Any] = {}
        self.side_effects: list[SideEffect] = []
        self._calls: list[LoggedCall] = []
        self._usage: Usage | None = None
        self._lock = threading.RLock()
        self._sealed = False

    @property
    def calls(self) -> list[LoggedCall]:
        """The calls so far."""
        with self._lock:
            return list(self._calls)

    def asked(
        self,
        name: str,
        arguments: object = None,
        *,
        id: str | None = None,  # noqa: A002  # as on ToolCall
    ) -> LoggedCall:
        """Note that the model asked for a tool; each request is a call of its own.

        Args:
            name: The tool's name.
            arguments: A mapping, or the text that the model wrote.
            id: The call's id, as the framework gives it.
        """
        call = LoggedCall(self, _tool_call(name, arguments, id))
        with self._lock:
            if not self._sealed:
                self._calls.append(call)
        return call

    def begun(
        self,
        name: str,
        arguments: object = None,
        *,
        id: str | None = None,  # noqa: A002  # as on ToolCall
    ) -> LoggedCall:
        """Note that a tool runs: the request for it that has not begun yet, or else a call of its own.

        The request is found by its id, and where one of the two has none, by name and equal arguments. What
        the tool was called with counts, should it differ from what the model asked for.
        """
        began = _tool_call(name, arguments, id)
        with self._lock:
            call = self._waiting(began)
            if call is None:
                call = self.asked(name, arguments, id=id)
            elif arguments is not None:
                call.call.arguments, call.call.raw_arguments = began.arguments, began.raw_arguments
            call.begin()
        return call

    def told(self, call: ToolCall) -> LoggedCall:
        """Note a call as the agent itself reports it, with its outcome if it has one.

        A report about an id that has no outcome yet, under the same name, adds to what was reported before.
        """
        with self._lock:
            known = self.find(call.id)
            if known is not None and not known.ended and known.call.name == call.name:
                known._end(executed=call.executed, result=call.result, error=call.error)
                known.ended = _has_outcome(call)
                return known
            entry = LoggedCall(self, call, ended=_has_outcome(call))
            if not self._sealed:
                self._calls.append(entry)
            return entry

    def find(self, id: str | None) -> LoggedCall | None:  # noqa: A002  # as on ToolCall
        """The latest call with this id that has no outcome, or else the latest one with it."""
        if id is None:
            return None
        with self._lock:
            same = [call for call in reversed(self._calls) if call.call.id == id]
            return next((call for call in same if not call.ended), same[0] if same else None)

    def count(self, usage: Usage | None) -> None:
        """Add all that one call of a model used; None adds nothing.

        What one of the calls does not know is not known of the turn.
        """
        if usage is None:
            return
        with self._lock:
            if self._sealed:
                return
            self._usage = usage if self._usage is None else added(self._usage, usage)

    @property
    def counted(self) -> bool:
        """Whether any usage was counted."""
        with self._lock:
            return self._usage is not None

    def response(self) -> Response:
        """The turn as it is now and will stay; what is reported later is left out."""
        with self._lock:
            self._sealed = True
            return Response(
                text=self.text,
                tool_calls=[call.call for call in self._calls],
                side_effects=list(self.side_effects),
                usage=self._usage,
                metadata=dict(self.metadata),
            )

    def partial(self) -> Response | None:
        """The same for a turn that failed; None if nothing was said, done or used."""
        response = self.response()
        known = response.text or response.tool_calls or response.side_effects or response.usage is not None
        return response if known else None

    def _waiting(self, began: ToolCall) -> LoggedCall | None:
        waiting = [call for call in self._calls if call.call.executed is None and not call.ended]
        same_id = [call for call in waiting if began.id is not None and call.call.id == began.id]
        if same_id:  # agents that work side by side may use one id twice
            return next((call for call in same_id if _same(call.call, began)), same_id[0])
        for call in waiting:
            if (began.id is None or call.call.id is None) and _same(call.call, began):
                return call
        return None


@dataclass(slots=True)
class LoggedCall:
    """An entry of a `TurnLog`.

    Attributes:
        log: The log that it is in.
        call: The call as it will be reported.
        ended: Whether an outcome was noted.
    """

    log: TurnLog
    call: ToolCall
    ended: bool = False

    def begin(self) -> None:
        """Note that the tool runs, from now on."""
        with self.log._lock:  # one thing in two classes
            if not self.log._sealed:
                self.call.executed = True
                self.call.timestamp = self.call.timestamp or datetime.now(UTC)

    def returned(self, result: object) -> None:
        """Note what the tool returned, so it ran; an error that is known stays."""
        self._end(result=snapshot(result), executed=True)

    def failed(self, error: BaseException | str, *, result: object = None) -> None:
        """Note that the tool ran and failed, and what the model was told instead of a result."""
        self._end(error=_error_text(error), result=snapshot(result), executed=True)

    def never_ran(self, reason: str | None = None, *, result: object = None) -> None:
        """Note that the tool did not run: it is unknown, the call is malformed or waits for approval."""
        self._end(error=reason, result=snapshot(result), executed=False)

    def unclear(self, reason: str | None = None, *, result: object = None) -> None:
        """Note an outcome that does not tell whether the tool ran."""
        self._end(error=reason, result=snapshot(result), executed=None)

    def undo_begin(self) -> None:
        """Take back that it runs: what looked like a run ended before the tool's own code."""
        with self.log._lock:
            if not self.log._sealed:
                self.call.executed = None

    def _end(self, *, executed: bool | None, result: object = None, error: str | None = None) -> None:
        with self.log._lock:
            if self.log._sealed:
                return
            call = self.call
            call.executed = executed if call.executed is None else call.executed
            call.result = result if call.result is None else call.result
            call.error = error if call.error is None else call.error
            self.ended = True


def added(first: Usage, second: Usage) -> Usage:
    """The sum of two; what one of them does not know is not known of both."""
    return Usage(**{name: _sum(getattr(first, name), getattr(second, name)) for name in _COUNTS})


def usage_of(counts: Mapping[str, object]) -> Usage | None:
    """Usage out of what a framework counts; what is no number is unknown, and None comes of nothing known."""
    known = {
        name: value
        for name, value in counts.items()
        if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
    }
    return Usage(**known) if known else None


def _sum(first: float | None, second: float | None) -> float | None:
    return None if first is None or second is None else first + second


def _tool_call(name: str, arguments: object, id: str | None) -> ToolCall:  # noqa: A002  # as on ToolCall
    given: Any = arguments if isinstance(arguments, str) else snapshot(arguments)
    return ToolCall(name=safe_str(name), arguments=given, id=None if id is None else safe_str(id))


def _has_outcome(call: ToolCall) -> bool:
    return call.result is not None or call.error is not None or call.executed is not None


def _same(one: ToolCall, other: ToolCall) -> bool:
    if one.name != other.name or one.raw_arguments != other.raw_arguments:
        return False
    try:
        return bool(one.arguments == other.arguments)
    except Exception:  # a foreign `__eq__` may raise anything
        return False


def _error_text(error: BaseException | str) -> str:
    return error if isinstance(error, str) else f"{type(error).__name__}: {safe_str(error)}"
