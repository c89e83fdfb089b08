"""Ending a run on SIGTERM as Ctrl-C ends it: with cleanup, journal and sinks."""

from __future__ import annotations

import signal
import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType


_GRACE_S = 0.5
"""Signals that come closer together than this count as one: some senders send two."""


class StopSignal:
    """Turns SIGTERM into an interrupt, until pytest has seen one; then it is ignored.

    Args:
        on_stop: Called with each signal, before anything else.
    """

    def __init__(self, *, on_stop: Callable[[], None]) -> None:
        self._on_stop = on_stop
        self._winding_up = False
        self._last: float | None = None
        self._installed = False

    def install(self) -> None:
        """Take over SIGTERM, unless somebody else has, or this is not the main thread."""
        if threading.current_thread() is not threading.main_thread():
            return
        if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            signal.signal(signal.SIGTERM, self._handle)
            self._installed = True

    def note_interrupt(self) -> None:
        """The run is being wound up; do not interrupt that."""
        self._winding_up = True

    def restore(self) -> None:
        """Give SIGTERM back, unless somebody else has taken it over since."""
        if self._installed and signal.getsignal(signal.SIGTERM) == self._handle:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
        self._installed = False

    def _handle(self, _number: int, frame: FrameType | None) -> None:
        self._on_stop()
        now = time.monotonic()
        if self._winding_up or (self._last is not None and now - self._last < _GRACE_S):
            return
        self._last = now
        # Not raise_signal(SIGINT): where SIGINT is ignored, as in a background job, that does nothing.
        # asyncio's own handler, on the other hand, cancels its task properly.
        interrupt = signal.getsignal(signal.SIGINT)
        if callable(interrupt):
            interrupt(signal.SIGINT, frame)
        else:
            raise KeyboardInterrupt
