"""What language models consumed during a run, for its report."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

METADATA_KEY = "usage"


def count_anew() -> Callable[[], None]:
    """Begin to count, and give what makes a run around this one count on where it stopped."""
    spending = _counting()
    if spending is None:  # nothing has been consumed by anybody
        return lambda: None
    before = spending.run_spending()
    spending.count_run_on(spending.Spending())
    return lambda: spending.count_run_on(before)


def add_usage(metadata: dict[str, Any]) -> None:
    """Put what was consumed into the metadata of a report, by role; nothing where nothing is known."""
    spending = _counting()
    accounts = {} if spending is None else spending.run_spending().accounts()
    if accounts:
        metadata[METADATA_KEY] = {
            role: {**vars(account.usage), "silent_calls": account.silent_calls}
            for role, account in accounts.items()
        }


def _counting() -> ModuleType | None:
    """The module that counts, where anything has been executed: a run without rampart does not pay for it."""
    return sys.modules.get("rampart.core.spending")
