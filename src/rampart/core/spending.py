"""What language models consumed, and on whose account: the agent under test, judges, attackers, drivers.

Every call of a `ChatModel` on rampart's own account goes through `ask_async`. It adds what the call consumed
to the execution that runs, whose result tells it by role, and to the whole run.
"""

from __future__ import annotations

import math
import threading
from contextvars import ContextVar
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from rampart.core.errors import ChatModelError
from rampart.core.types import Usage

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rampart.core.llm import ChatMessage, ChatModel, Completion

_FIELDS = tuple(field.name for field in fields(Usage))


class UsageRole(StrEnum):
    """On whose account a language model was used."""

    TARGET = "target"
    JUDGE = "judge"
    ATTACKER = "attacker"
    DRIVER = "driver"


@dataclass(frozen=True, kw_only=True)
class Account:
    """What was consumed with one role.

    Attributes:
        usage: The sum over the calls that told what they consumed.
        silent_calls: Calls that told nothing.
    """

    usage: Usage
    silent_calls: int


class Spending:
    """A sum of usages by role; safe to share between threads.

    What one call does not tell makes the sum of that figure unknown, which is None: a sum without it would
    be too low.
    """

    __slots__ = ("_by_role", "_failed", "_lock", "_silent")

    def __init__(self) -> None:
        self._by_role: dict[str, Usage] = {}
        self._silent: dict[str, int] = {}
        self._failed: dict[str, int] = {}
        self._lock = threading.Lock()

    def add(self, role: str, usage: Usage | None) -> None:
        """Count what one call consumed; None where nothing is known of it."""
        role = str(role)  # a plain one, also of a member of UsageRole
        with self._lock:
            if usage is None:
                self._silent[role] = self._silent.get(role, 0) + 1
                return
            before = self._by_role.get(role)
            self._by_role[role] = total_usage([usage] if before is None else [before, usage])

    def add_failed(self, role: str, *, requests: int) -> None:
        """Count requests that came to nothing; what they took besides is not part of the sums."""
        with self._lock:
            self._failed[str(role)] = self._failed.get(str(role), 0) + requests

    def by_role(self) -> dict[str, Usage]:
        """The sums, without roles that did not tell of each call what it consumed."""
        with self._lock:
            return {role: usage for role, usage in self._sums().items() if role not in self._silent}

    def total(self) -> Usage:
        """The sum over all roles; a figure is None if a single call did not tell it."""
        with self._lock:
            silent = [Usage()] if self._silent else []
            return total_usage([*self._sums().values(), *silent])

    def accounts(self) -> dict[str, Account]:
        """What is known of each role of which anything is known, and of how many calls nothing is."""
        with self._lock:
            return {
                role: Account(usage=usage, silent_calls=self._silent.get(role, 0))
                for role, usage in self._sums().items()
            }

    def _sums(self) -> dict[str, Usage]:
        sums = dict(self._by_role)
        for role, count in self._failed.items():
            usage = sums.get(role, Usage(requests=0))
            sums[role] = usage if usage.requests is None else replace(usage, requests=usage.requests + count)
        return sums


def total_usage(usages: Iterable[Usage]) -> Usage:
    """The sum, field by field; a field is None if one of the usages does not know it, or there is none.

    What cannot be an amount, such as a text, NaN or a number below 0, is not known either.
    """
    first, *others = list(usages) or [Usage()]
    sums = {name: _amount(getattr(first, name)) for name in _FIELDS}
    for usage in others:
        for name, value in sums.items():
            more = _amount(getattr(usage, name))
            sums[name] = None if value is None or more is None else value + more
    return Usage(**sums)


def _amount(figure: object) -> int | float | None:
    if isinstance(figure, bool) or not isinstance(figure, int | float):
        return None
    return figure if figure >= 0 and math.isfinite(figure) else None


def usage_by_role(many: Iterable[Mapping[str, Usage]]) -> dict[str, Usage]:
    """The sums over several accounts, in the order in which the roles first occur."""
    together: dict[str, list[Usage]] = {}
    for one in many:
        for role, usage in one.items():
            together.setdefault(role, []).append(usage)
    return {role: total_usage(usages) for role, usages in together.items()}


_of_execution: ContextVar[Spending | None] = ContextVar("rampart_spending", default=None)


class _Process:
    run = Spending()


def run_spending() -> Spending:
    """What the process consumed, in executions and outside of them, since the run began."""
    return _Process.run


def count_run_on(spending: Spending) -> None:
    """Count what the process consumes from now on in `spending`."""
    _Process.run = spending


def spend_on(spending: Spending) -> None:
    """Count what the current task and those it starts consume on this account too."""
    _of_execution.set(spending)


def record_usage(role: str, usage: Usage | None) -> None:
    """Count what one call consumed; None where nothing is known of it."""
    for spending in _accounts():
        spending.add(role, usage)


def _accounts() -> list[Spending]:
    """Where the current task's consumption is counted."""
    spending = _of_execution.get()
    return [_Process.run] if spending is None else [_Process.run, spending]


async def ask_async(
    model: ChatModel,
    *,
    role: UsageRole,
    messages: list[ChatMessage],
    response_schema: dict[str, Any] | None = None,
) -> Completion:
    """Let `model` answer, and count what that consumed.

    Args:
        model: The language model; what it returns is handed on as it is.
        role: On whose account.
        messages: The conversation so far, oldest first.
        response_schema: JSON Schema that the reply should follow.

    Raises:
        ChatModelError: If the model could not be reached or refused the call.
    """
    try:
        completion = await model.complete_async(messages=messages, response_schema=response_schema)
    except ChatModelError as error:  # it was asked all the same
        for spending in _accounts():
            spending.add_failed(role, requests=1 if error.requests is None else error.requests)
        raise
    usage: object = getattr(completion, "usage", None)  # a model of the user's may return anything
    told = usage if isinstance(usage, Usage) else Usage()
    record_usage(role, replace(told, requests=1) if _amount(told.requests) is None else told)
    return completion
