"""How a payload is put into a tool's results, and whether it was."""

from __future__ import annotations

import copy
import inspect
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rampart.surfaces.tool_result_text import Mode, Path, poisoned

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, kw_only=True)
class Insertion:
    """Where in a result a payload goes.

    Attributes:
        count: How many results get it, None for all.
        mode: Whether it follows the text that is there or takes its place.
        at: Where in a list or dict.
        insert: A function of the user's that does it instead.
    """

    count: int | None
    mode: Mode
    at: Path | None
    insert: Callable[[Any, str], Any] | None


class PlantedResults:
    """The results of one trial, and what became of them; calls may come from several threads.

    Args:
        insertion: Where the payload goes.
        payload: Its text.

    Attributes:
        delivered: Whether a result with the payload was returned.
        problem: Why one could not get it, or may have been another trial's.
    """

    def __init__(self, insertion: Insertion, payload: str) -> None:
        self._insertion = insertion
        self._payload = payload
        self._left = insertion.count
        self._lock = threading.Lock()
        self.delivered = False
        self.problem: str | None = None

    def poisoned(self, result: Any) -> Any:
        """The result with the payload in it, or as it was if there is no room or no turn left."""
        with self._lock:
            if self._left == 0:
                return result
            if inspect.isgenerator(result) or inspect.isasyncgen(result):
                self.problem = "the tool gave its results one after another, so there was none to poison"
                return result
            try:
                changed = self._put(result)
            except Exception as error:
                self.problem = f"{error}" if isinstance(error, LookupError) else f"insert failed: {error!r}"
                return result
            if self._left is not None:
                self._left -= 1
            self.delivered = True
            return changed

    def _put(self, result: Any) -> Any:
        how = self._insertion
        if how.insert is not None:
            changed = how.insert(_copied(result), self._payload)
            if changed is None and result is not None:
                msg = "insert returned None; it has to return the result with the payload in it"
                raise LookupError(msg)
            if isinstance(result, str) and isinstance(changed, str) and changed == result:
                msg = "insert returned the result as it was, without the payload"
                raise LookupError(msg)
            return changed
        return poisoned(result, self._payload, mode=how.mode, at=how.at)


def _copied(result: Any) -> Any:
    """A copy where one can be had.

    A function that changes what it gets would poison what the tool keeps and returns to others: a cache, a
    store.
    """
    try:
        return copy.deepcopy(result)
    except Exception:
        return result
