"""A few processes that match patterns, started as they are needed and kept."""

from __future__ import annotations

import atexit
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from rampart.evaluators._pattern_process import PatternGaveUpError, PatternProcess, ProcessDiedError

if TYPE_CHECKING:
    import re
    from concurrent.futures import Future

MATCH_LIMIT = 2.0
"""Seconds that one match is given."""

_SIZE = 8
"""Matches that run at once. More would take the processor away from each other and from the tests."""


class PatternPool:
    """Matches patterns in processes of their own; bound to no event loop and usable from any thread.

    The time that a match waits for its turn, or for a process to start, is not part of its limit.
    """

    def __init__(self) -> None:
        # One thread a running match: threads wait for processes, so the processes need no count.
        self._threads = ThreadPoolExecutor(_SIZE, thread_name_prefix="rampart-pattern")
        self._lock = threading.Lock()
        self._idle: list[PatternProcess] = []
        self._closed = False

    def submit(self, pattern: re.Pattern[str], text: str, /, *, whole: bool) -> Future[bool]:
        """Begin to find out whether `pattern` matches; the future raises what `match` raises."""
        return self._threads.submit(self.match, pattern, text, whole=whole)

    def match(self, pattern: re.Pattern[str], text: str, /, *, whole: bool) -> bool:
        """Whether `pattern` matches; waits for the answer.

        Raises:
            PatternGaveUpError: If nobody can say; the text says why.
        """
        try:
            try:
                return self._ask(self._take(), pattern, text, whole=whole)
            except ProcessDiedError:
                # It may have died while it was idle, from a cause that is over.
                return self._ask(PatternProcess(), pattern, text, whole=whole)
        except ProcessDiedError as error:
            msg = f"failed: {error}"
            raise PatternGaveUpError(msg) from error

    def close(self) -> None:
        """End all processes that are idle."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for process in idle:
            process.close()

    def forget(self) -> None:
        """Let go of processes that belong to the parent of this process."""
        for process in self._idle:
            process.forget()

    def _take(self) -> PatternProcess:
        with self._lock:
            if self._idle:
                return self._idle.pop()
        return PatternProcess()

    def _ask(self, process: PatternProcess, pattern: re.Pattern[str], text: str, *, whole: bool) -> bool:
        try:
            found = process.ask(pattern, text, whole=whole, limit=MATCH_LIMIT)
        except BaseException:
            process.close()
            raise
        self._put_back(process)
        return found

    def _put_back(self, process: PatternProcess) -> None:
        with self._lock:
            if not self._closed:
                self._idle.append(process)
                return
        process.close()


_pools: dict[int, PatternPool] = {}
"""The pool of each process, by process id: after a fork the parent's is still here, but not ours."""


def pattern_pool() -> PatternPool:
    """The pool of this process, made when it is first needed."""
    me = os.getpid()
    # Without a lock, which a fork might copy in its locked state: of two new pools one stays unused.
    return _pools.get(me) or _pools.setdefault(me, PatternPool())


@atexit.register
def _close_pool() -> None:
    pool = _pools.pop(os.getpid(), None)
    if pool is not None:
        pool.close()


def _forget_pools() -> None:
    while _pools:
        _pools.popitem()[1].forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_pools)
