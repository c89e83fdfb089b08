"""Ending a run on SIGTERM as Ctrl-C ends it: with cleanup, journal and sinks."""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType


class StopSignal:
    """Turns the first SIGTERM into an interrupt; later ones are ignored while the run is wound up."""

    def __init__(self) -> None:
        self._interrupted = False
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
        self._interrupted = True

    def restore(self) -> None:
        """Give SIGTERM back, unless somebody else has taken it over since."""
        if self._installed and signal.getsignal(signal.SIGTERM) == self._handle:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
        self._installed = False

    def _handle(self, _number: int, frame: FrameType | None) -> None:
        if self._interrupted:
            return
        self._interrupted = True
        # Not raise_signal(SIGINT): where SIGINT is ignored, as in a background job, that does nothing.
        # asyncio's own handler, on the other hand, cancels its task properly.
        interrupt = signal.getsignal(signal.SIGINT)
        if callable(interrupt):
            interrupt(signal.SIGINT, frame)
        else:
            raise KeyboardInterrupt
