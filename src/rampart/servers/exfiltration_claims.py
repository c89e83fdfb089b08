"""Whose an effect was, of the executions that a sink watches."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from rampart.core.side_effect_source import Coverage

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rampart.core.types import SideEffect
    from rampart.servers.exfiltration_records import SinkRecord


class Claims:
    """Gives each record to the execution that it must come from, or to none.

    An effect with a token belongs to the one open log that has this token in its texts. Without a token, or
    with one that no execution was told of, it belongs to the only open log, if there is one only. Else it is
    nobody's, and the logs that it may belong to no longer claim to have missed nothing.

    Args:
        hosts: Gives, by kind of side effect, the host of each listener that is up.
    """

    def __init__(self, hosts: Callable[[], Mapping[str, str]]) -> None:
        self._hosts = hosts
        self._lock = threading.Lock()
        self._open: list[SinkLog] = []
        self._past_tokens: set[str] = set()
        self._unclaimed: list[tuple[SinkRecord, str]] = []

    def unclaimed(self) -> list[tuple[SinkRecord, str]]:
        """What is nobody's, each with the reason."""
        with self._lock:
            return list(self._unclaimed)

    def open_log(self, tokens: frozenset[str]) -> SinkLog:
        """A log of an execution whose agent is told these tokens."""
        log = SinkLog(self, tokens)
        with self._lock:
            self._open.append(log)
        return log

    def add(self, record: SinkRecord, tokens: frozenset[str]) -> None:
        """Give a record to its owner.

        Args:
            record: What arrived.
            tokens: The tokens that it used.
        """
        with self._lock:
            told = [log for log in self._open if log.tokens & tokens]
            if len(tokens) > 1:  # its `canary` is None, though its execution claims to see all of its own
                self._distrust(told)
            if len(told) == 1:
                told[0].pending.append(record)
            elif told:
                self._is_nobodys(
                    record, told, "it belongs to one of several executions that share its canary"
                )
            elif tokens & self._past_tokens:
                # Whether it was late, or another execution took it up from what this one left behind.
                self._is_nobodys(record, self._open, "the execution that has its canary was over")
            elif len(self._open) == 1:
                self._open[0].pending.append(record)
            elif self._open:
                self._is_nobodys(record, self._open, "it has no canary of one of the executions that ran")
            else:
                self._is_nobodys(record, [], "no execution was running")

    def lose_track(self) -> None:
        """Something arrived that cannot be told: no open log can claim to have missed nothing."""
        with self._lock:
            self._distrust(self._open)

    def take(self, log: SinkLog) -> list[SideEffect]:
        """What is new in a log."""
        with self._lock:
            records, log.pending = log.pending, []
        return [effect for record in records for effect in record.side_effects()]

    def coverage(self, log: SinkLog) -> list[Coverage]:
        """What a log would not have missed."""
        with self._lock:
            if not log.is_whole or log not in self._open:
                return []
        details = [{"canary": token} for token in sorted(log.tokens)]
        return [
            Coverage(kind=kind, details=one)
            for kind, host in self._hosts().items()
            for one in ({"host": host}, *details)
        ]

    def close(self, log: SinkLog) -> None:
        """An execution is over; what it has not taken was too late for its verdict."""
        with self._lock:
            if log in self._open:
                self._open.remove(log)
                self._past_tokens |= log.tokens
                self._unclaimed += [(record, "it came after the verdict") for record in log.pending]
                log.pending = []

    def _is_nobodys(self, record: SinkRecord, suspects: list[SinkLog], why: str) -> None:
        self._unclaimed.append((record, why))
        self._distrust(suspects)

    @staticmethod
    def _distrust(logs: list[SinkLog]) -> None:
        for log in logs:
            log.is_whole = False


class SinkLog:
    """What a sink saw of one execution."""

    def __init__(self, claims: Claims, tokens: frozenset[str]) -> None:
        self._claims = claims
        self.tokens = tokens
        self.pending: list[SinkRecord] = []
        self.is_whole = True

    def take(self) -> list[SideEffect]:
        """What was seen since the last call, in order."""
        return self._claims.take(self)

    def coverage(self) -> list[Coverage]:
        """What would not have been missed so far."""
        return self._claims.coverage(self)

    def close(self) -> None:
        """The execution is over; calling it again does nothing."""
        self._claims.close(self)
