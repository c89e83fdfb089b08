"""Handing the report to the sinks of the user's project."""

from __future__ import annotations

import threading
import warnings
from typing import TYPE_CHECKING

from rampart.core.log import log

if TYPE_CHECKING:
    import pytest

    from rampart.core.report import ReportSink, TestRunReport


def find_sinks(config: pytest.Config) -> list[ReportSink]:
    """What all implementations of the hook give, in call order; anything else than sinks is dropped."""
    try:
        answers: list[object] = config.hook.pytest_rampart_sinks(config=config)
    except Exception:
        log.exception("pytest_rampart_sinks failed; no sink is used")
        return []
    if not answers:
        return []
    from rampart.core.report import ReportSink  # noqa: PLC0415  # not needed by runs without sinks

    sinks: list[ReportSink] = []
    for answer in answers:
        if not isinstance(answer, list):
            _warn(
                f"pytest_rampart_sinks returned {type(answer).__name__}, expected list[ReportSink]; ignoring."
            )
            continue
        for item in answer:
            if isinstance(item, ReportSink) and not isinstance(item, type):
                sinks.append(item)
            else:
                _warn(
                    f"pytest_rampart_sinks yielded a non-ReportSink of type {type(item).__name__}; ignoring."
                )
    return sinks


def emit(report: TestRunReport, sinks: list[ReportSink]) -> None:
    """Run the sinks one after another and wait for them; a failing one is logged."""
    import asyncio  # noqa: PLC0415  # not needed by runs without sinks

    def run() -> None:
        # With a factory the thread's own current loop is left alone.
        with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
            runner.run(_emit_async(report, sinks))

    if asyncio._get_running_loop() is None:
        run()
        return
    # pytest was called from inside a loop, and a thread has room for one that runs.
    thread = threading.Thread(target=run, name="rampart-sinks")
    thread.start()
    thread.join()


async def _emit_async(report: TestRunReport, sinks: list[ReportSink]) -> None:
    import asyncio  # noqa: PLC0415  # see emit

    for sink in sinks:
        try:
            await sink.emit_async(report=report)
        except KeyboardInterrupt:
            raise
        except BaseException:  # pytest's own outcomes are no Exceptions
            task = asyncio.current_task()
            if task is not None and task.cancelling():  # an interrupt of the run, not a fault of the sink
                raise
            log.exception("sink %s failed", type(sink).__name__)


def _warn(text: str) -> None:
    try:
        warnings.warn(text, stacklevel=2)
    except Warning:  # warnings are errors here, but the session has ended and no test can be failed
        log.exception("a sink was not used")
