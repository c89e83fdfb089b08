"""What a gateway knows of one session: its traffic, and the conversations that the script remembers."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from rampart.servers.llm_wire.items import Answered, Said
from rampart.servers.llm_wire.traffic import LlmTraffic

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager

    from rampart.servers.llm_wire.items import Item

_MOST_REMEMBERED = 500


class GatewaySession:
    """One session, or all that goes over the address that everybody shares.

    Args:
        token: What its path has; empty for the shared address.

    Attributes:
        token: Likewise.
        traffic: What was asked and answered.
        over: Set when the session ends, so that delayed replies end too.
        requests: How many requests came in.
    """

    def __init__(self, token: str) -> None:
        self.token = token
        self.traffic = LlmTraffic()
        self.over = threading.Event()
        self.requests = 0
        self._busy = 0
        self._remembered: OrderedDict[str, list[Item]] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def is_busy(self) -> bool:
        """Whether a request is being answered."""
        return self._busy > 0 or self.traffic.is_busy

    def number(self) -> int:
        """The number of the request that came in now."""
        with self._lock:
            self.requests += 1
            return self.requests - 1

    def answering(self) -> AbstractContextManager[object]:
        """The time in which a request is being answered."""
        return _Busy(self)

    def recall(self, name: str) -> list[Item] | None:
        """The conversation that ended with a reply, or that goes by a name."""
        with self._lock:
            known = self._remembered.get(name)
            return None if known is None else list(known)

    def remember(self, names: Sequence[str], items: list[Item]) -> None:
        """Keep a conversation; the oldest ones are forgotten."""
        with self._lock:
            for name in names:
                self._remembered[name] = items
                self._remembered.move_to_end(name)
            while len(self._remembered) > _MOST_REMEMBERED:
                self._remembered.popitem(last=False)


class _Busy:
    def __init__(self, session: GatewaySession) -> None:
        self._session = session

    def __enter__(self) -> None:
        with self._session._lock:
            self._session._busy += 1

    def __exit__(self, *_: object) -> None:
        with self._session._lock:
            self._session._busy -= 1


def prompts_in(items: Sequence[Item]) -> tuple[str, ...]:
    """The user's messages."""
    return tuple(item.text for item in items if isinstance(item, Said) and item.role == "user")


def results_in(items: Sequence[Item]) -> tuple[Any, ...]:
    """What the tools called since the last of them returned."""
    return tuple(_results_backwards(items))[::-1]


def _results_backwards(items: Sequence[Item]) -> Iterator[Any]:
    for item in reversed(items):
        if isinstance(item, Said) and item.role == "user":
            return
        if isinstance(item, Answered):
            yield item.content
