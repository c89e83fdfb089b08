"""The traffic of one session with models: calls from the replies, what became of them from later requests."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from rampart.core.types import ToolCall, Usage
from rampart.servers.llm_wire.call_matching import matches
from rampart.servers.llm_wire.exchange import Exchange
from rampart.servers.llm_wire.items import Answered, Asked
from rampart.servers.llm_wire.outcome import outcome_of
from rampart.servers.llm_wire.plain import mapping, parsed
from rampart.servers.llm_wire.wire_formats import format_of, may_hide_calls, retrieved_id
from rampart.text.oneline import quote

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rampart.servers.llm_wire.items import OfferedTool
    from rampart.servers.llm_wire.outcome import Outcome

MAX_REQUEST_BYTES = 64 * 1024 * 1024
_LONGEST = 100


@dataclass(kw_only=True)
class TrafficSeen:
    """What was seen since the last time.

    Attributes:
        calls: The calls, in the order in which they were asked for.
        usage: What the models used; None if no model was asked.
        exchanges: How many requests to models were made, those that failed included.
        missing: Why calls may have been missed.
        failure: The last request, if there was no reply to it.
        late: What became of calls that were reported earlier, by their ids.
    """

    calls: list[ToolCall] = field(default_factory=list)
    usage: Usage | None = None
    exchanges: int = 0
    missing: list[str] = field(default_factory=list)
    failure: Exchange | None = None
    late: dict[str, Any] = field(default_factory=dict)


class LlmTraffic:
    """Keeps what a session's requests and replies say; threads may use it at once.

    Attributes:
        offered: All tools that models were offered, by name.
        provider_tools: The names of tools that providers ran.
    """

    def __init__(self) -> None:
        self.offered: dict[str, OfferedTool] = {}
        self.provider_tools: set[str] = set()
        self._may_offer_more = False
        self._calls: list[_Call] = []
        self._ids: Counter[str] = Counter()
        self._exchanges: list[Exchange] = []
        self._open: dict[Exchange, list[_Call]] = {}
        self._seen = TrafficSeen()
        self._retrieved: set[str] = set()
        self._lock = threading.RLock()

    def begin(self, method: str, path: str, body: bytes) -> Exchange | None:
        """A request is about to be sent.

        Returns:
            What takes the reply; None if it is no request to a model.
        """
        wire_format = format_of(method, path)
        document = parsed(body) if body and len(body) <= MAX_REQUEST_BYTES else None
        with self._lock:
            if wire_format is None:
                if may_hide_calls(method, path, mapping(document)):
                    self._miss(
                        f"a request to {quote(path, _LONGEST)} may have to do with calls, and is not read"
                    )
                return None
            if method == "POST" and not isinstance(document, dict):
                self._miss(f"a request to {quote(path, _LONGEST)} is no JSON object that is read")
            self._sync()
            try:
                self._take_request(wire_format.read_request(mapping(document)))
            except Exception as error:  # the agent's request is sent, whatever is in it
                self._miss(f"a request to {quote(path, _LONGEST)} cannot be read: {type(error).__name__}")
            exchange = Exchange(wire_format, lock=self._lock, on_end=self._ended, path=quote(path, _LONGEST))
            exchange.ignored = retrieved_id(method, path) in self._retrieved
            self._exchanges.append(exchange)
            self._open[exchange] = []
            self._seen.exchanges += 1
            return exchange

    @property
    def is_busy(self) -> bool:
        """Whether replies are still coming."""
        return bool(self._open)

    def take(self) -> TrafficSeen:
        """What was seen since the last time; a call whose answer is not there has none."""
        with self._lock:
            self._sync()
            seen, self._seen = self._seen, TrafficSeen()
            for exchange in self._open:
                if exchange.succeeded and not (exchange.ignored or exchange.counted):
                    seen.usage = _added(seen.usage, Usage(requests=1))
                    exchange.counted = True
            for call in self._calls:
                if not call.taken:
                    call.taken = True
                    seen.calls.append(call.report())
            self._calls = [call for call in self._calls if call.outcome is None]
            last = self._exchanges[-1] if self._exchanges else None
            seen.failure = last if last is not None and last.over and last.error else None
            self._exchanges.clear()
            return seen

    def _take_request(self, request: Any) -> None:
        for tool in request.tools:
            self.offered[tool.name] = tool
        self._may_offer_more = self._may_offer_more or request.may_offer_more
        self._answer(request.items)

    def _answer(self, items: Iterable[object]) -> None:
        waiting = [call for call in self._calls if call.outcome is None]
        if not waiting:
            return
        for call, answered in matches(waiting, items, was_used=lambda one: self._ids[one] > 1):
            self._settle(call, answered)

    def _settle(self, call: _Call, answered: Answered) -> None:
        asked = call.asked
        known = self._may_offer_more or asked.known or asked.by_provider or asked.name in self.offered
        call.outcome = outcome_of(asked, answered, offered=known)
        if call.taken and asked.id is not None:
            self._seen.late[asked.id] = call.outcome.result

    def _sync(self) -> None:
        """Take what has come of replies that are not over; agents need not read them to their end."""
        for exchange in list(self._open):
            self._read(exchange)

    def _read(self, exchange: Exchange) -> None:
        if exchange.ignored:
            return
        reply = exchange.reply()
        known = self._open[exchange]
        asked = [item for item in reply.items if isinstance(item, Asked)]
        for call, item in zip(known, asked, strict=False):
            call.asked = item
        known += [self._ask(item) for item in asked[len(known) :]]
        self._answer(reply.items)
        for tool in exchange.loaded_tools:
            self.offered[tool.name] = tool

    def _ask(self, asked: Asked) -> _Call:
        if asked.id is not None:
            self._ids[asked.id] += 1
        if asked.by_provider:
            self.provider_tools.add(asked.name)
        for call in self._calls:
            if asked.replaces is not None and call.asked.id == asked.replaces and not call.taken:
                call.asked = asked
                return call
        call = _Call(asked=asked)
        self._calls.append(call)
        return call

    def _ended(self, exchange: Exchange) -> None:
        with self._lock:
            reply = exchange.reply()
            self._read(exchange)
            del self._open[exchange]
            if exchange.unreadable:
                self._miss(exchange.unreadable)
            if (
                exchange.ignored
                or exchange.counted
                or reply.pending
                or not (exchange.succeeded or reply.usage)
            ):
                return
            if reply.id is not None and exchange.wire_format.name == "responses":
                self._retrieved.add(reply.id)
            used = reply.usage if exchange.usage_known else None
            self._seen.usage = _added(self._seen.usage, used or Usage(requests=1))

    def _miss(self, why: str) -> None:
        if why not in self._seen.missing:
            self._seen.missing.append(why)


@dataclass(kw_only=True, eq=False)
class _Call:
    """A call of the session; `asked` changes while the reply that asks for it is still coming."""

    asked: Asked
    outcome: Outcome | None = None
    taken: bool = False
    at: datetime = field(default_factory=lambda: datetime.now(UTC))

    def report(self) -> ToolCall:
        outcome = self.outcome
        return ToolCall(
            name=self.asked.name,
            arguments=self.asked.arguments,
            id=self.asked.id,
            result=None if outcome is None else outcome.result,
            error=None if outcome is None else outcome.error,
            executed=None if outcome is None else outcome.executed,
            timestamp=self.at,
        )


def _added(first: Usage | None, second: Usage) -> Usage:
    """The sum; what one of them does not know is not known of both."""
    if first is None:
        return second
    sums: dict[str, Any] = {}
    for one in fields(Usage):
        pair = (getattr(first, one.name), getattr(second, one.name))
        sums[one.name] = None if None in pair else sum(pair)
    return Usage(**sums)
