"""What is set up when pytest starts and undone when it ends."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from rampart.core.connection import note_anew
from rampart.core.limits import configure_defaults, preserved_defaults
from rampart.core.listener import context_listener, runner_outcomes, set_process_listener
from rampart.core.log import log
from rampart.pytest_plugin import _judge_calibration, _spending, _workers
from rampart.pytest_plugin._interrupts import PLUGIN_NAME, Interrupts
from rampart.pytest_plugin._journal import RunJournal
from rampart.pytest_plugin._options import read_options
from rampart.pytest_plugin._run import Run
from rampart.pytest_plugin._signals import StopSignal
from rampart.pytest_plugin._sinks import emit, find_sinks

RUN = pytest.StashKey[Run]()
_INTERRUPTS = pytest.StashKey[Interrupts]()
_MODES_WITHOUT_RESULTS = ("collectonly", "setuponly", "setupplan")


def start(config: pytest.Config) -> None:
    """Begin a run. What is set for the whole process is put back at the end, for a run around this one.

    Raises:
        pytest.UsageError: If an option is invalid.
    """
    options = read_options(config)
    calibration = _judge_calibration.read(config)
    journal = RunJournal(
        root=config.rootpath,
        enabled=options.journal,
        keep=options.journal_keep,
        run_id=_workers.handed_run_id(config),
        worker_id=_workers.worker_id(config),
    )
    run = config.stash[RUN] = Run(options=options, journal=journal, calibration=calibration)
    stop_signal = StopSignal(on_stop=run.note_stop)
    config.stash[_INTERRUPTS] = Interrupts(run, stop_signal)
    config.pluginmanager.register(config.stash[_INTERRUPTS], PLUGIN_NAME)
    undo = ExitStack()
    config.add_cleanup(undo.close)
    undo.enter_context(preserved_defaults())
    undo.enter_context(runner_outcomes(skips=(pytest.skip.Exception,), exits=(pytest.exit.Exception,)))
    undo.callback(_spending.count_anew())
    undo.callback(note_anew())
    undo.callback(journal.close)  # of a run that never came to its end
    undo.callback(set_process_listener, set_process_listener(run.listener))
    # By value, not by token: pytest may be ended in another context than that in which it was started.
    undo.callback(context_listener.set, context_listener.get())
    context_listener.set(None)
    configure_defaults(limits=options.limits, trial_concurrency=options.trial_concurrency)
    stop_signal.install()
    undo.callback(stop_signal.restore)


def finish(session: pytest.Session) -> None:
    """End a run: report, sinks and exit status."""
    config = session.config
    run = config.stash[RUN]
    run.finish()
    run.journal.close()
    if _workers.worker_id(config) is not None:
        _workers.publish(config, run)
        return
    if not any(config.getoption(name, default=False) for name in _MODES_WITHOUT_RESULTS):
        _emit(session, run)
    if run.stop_requested and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.INTERRUPTED  # the last test has swallowed the interrupt
    if run.incomplete and session.exitstatus == pytest.ExitCode.OK:
        log.warning("the run is incomplete, forcing non-zero exit status: %s", "; ".join(run.incomplete))
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _emit(session: pytest.Session, run: Run) -> None:
    try:
        sinks = find_sinks(session.config, on_failure=run.notices.append)
        if sinks:
            emit(run.report(), sinks, on_failure=run.notices.append)
    except KeyboardInterrupt:
        session.config.stash[_INTERRUPTS].note(KeyboardInterrupt())
        session.exitstatus = pytest.ExitCode.INTERRUPTED
    except Exception:
        log.exception("the report could not be emitted")
        run.notices.append("the report could not be emitted; see the log")
