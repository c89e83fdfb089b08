"""A lock that a forked process does not find taken."""

from __future__ import annotations

import os
import threading


class ForkSafeLock:
    """A lock to be used with `with`; free again in a process that was forked.

    The thread that held it at that moment does not exist there, and would never give it back. Meant for the
    lifetime of the process: one is never forgotten.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._renew)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def _renew(self) -> None:
        self._lock = threading.Lock()
