"""Noticing that something stopped a run before its end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rampart.pytest_plugin._run import INTERRUPTED

if TYPE_CHECKING:
    from rampart.pytest_plugin._run import Run
    from rampart.pytest_plugin._signals import StopSignal

PLUGIN_NAME = "rampart-interrupts"


class Interrupts:
    """Hooks of one run; a plugin object of its own, since pytest does not say whose run was stopped."""

    def __init__(self, run: Run, stop_signal: StopSignal) -> None:
        self._run = run
        self._stop_signal = stop_signal

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Note Ctrl-C, a stop signal or `pytest.exit`."""
        self.note(excinfo.value)

    def pytest_internalerror(self) -> None:
        """Note that pytest itself failed."""
        self._run.mark_incomplete("pytest stopped with an internal error")

    def note(self, error: BaseException) -> None:
        """Note what stopped the run; what it winds up now is not interrupted again."""
        self._stop_signal.note_interrupt()
        if isinstance(error, pytest.Session.Interrupted):  # pytest's own way to stop, as for --stepwise
            return
        if not isinstance(error, pytest.exit.Exception):
            self._run.mark_incomplete(INTERRUPTED)
        elif self._run.result_count:
            self._run.mark_incomplete(f"the run was ended by pytest.exit: {error}")
