"""Noticing that a test has forked, and that the other process recorded something."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import mmap

_ROOM = 2048


class ForkWatch:
    """Tells a process from the one in which the run began, and lets it leave word there.

    The word is left in memory that both share, so that it arrives without a journal, and when the other
    process is killed.
    """

    def __init__(self) -> None:
        self._pid = os.getpid()
        self._shared: mmap.mmap | None = None
        if hasattr(os, "fork"):
            import mmap  # noqa: PLC0415  # elsewhere there is no use for it

            self._shared = mmap.mmap(-1, _ROOM)

    def entered_fork(self) -> bool:
        """Whether this process was forked since the last question."""
        pid, self._pid = self._pid, os.getpid()
        return pid != self._pid

    def leave_word(self, nodeid: str) -> None:
        """Tell the first process that something was recorded which it does not have."""
        if self._shared is not None and self.word is None:
            self._shared.write((nodeid or "?").encode("utf-8", "replace")[:_ROOM])

    @property
    def word(self) -> str | None:
        """The test in which another process has recorded something; None if none has."""
        if self._shared is None or self._shared[0] == 0:
            return None
        return self._shared[:].rstrip(b"\0").decode("utf-8", "replace")
