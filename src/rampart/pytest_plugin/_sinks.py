"""Handing the report to the sinks of the user's project."""

from __future__ import annotations

import threading
import warnings
from typing import TYPE_CHECKING

from rampart.core.log import log
from rampart.text.oneline import one_line
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    from rampart.core.report import ReportSink, TestRunReport


def find_sinks(config: pytest.Config, *, on_failure: Callable[[str], None]) -> list[ReportSink]:
    """What all implementations of the hook give, in call order; anything else than sinks is dropped.

    Args:
        config: Whose plugins are asked.
        on_failure: Told in one line of a hook that failed.
    """
    try:
        answers: list[object] = config.hook.pytest_rampart_sinks(config=config)
    except Exception as error:
        log.exception("pytest_rampart_sinks failed; no sink is used")
        on_failure(f"no sink was used, pytest_rampart_sinks failed: {_line(error)}")
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


def emit(report: TestRunReport, sinks: list[ReportSink], *, on_failure: Callable[[str], None]) -> None:
    """Run the sinks one after another and wait for them; a failing one is logged, and told in one line."""
    import asyncio  # noqa: PLC0415  # not needed by runs without sinks

    tasks: list[asyncio.Task[None]] = []

    async def emit_async() -> None:
        task = asyncio.current_task()
        assert task is not None  # this is the body of a task
        tasks.append(task)
        for sink in sinks:
            try:
                await sink.emit_async(report=report)
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # pytest's own outcomes are no Exceptions
                if task.cancelling():  # an interrupt of the run, not a fault of the sink
                    raise
                log.exception("sink %s failed", type(sink).__name__)
                on_failure(f"sink {type(sink).__name__} failed: {_line(error)}")

    def run() -> None:
        # With a factory the thread's own current loop is left alone.
        with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
            runner.run(emit_async())

    if asyncio._get_running_loop() is None:
        run()
        return
    # pytest was called from inside a loop, and a thread has room for one that runs.
    thread = threading.Thread(target=run, name="rampart-sinks")
    thread.start()
    try:
        thread.join()
    except BaseException:
        for task in tasks:
            task.get_loop().call_soon_threadsafe(task.cancel)
        thread.join()
        raise


def _line(error: BaseException) -> str:
    return one_line(f"{type(error).__name__}: {safe_str(error)}")


def _warn(text: str) -> None:
    try:
        warnings.warn(text, stacklevel=2)
    except Warning:  # warnings are errors here, but the session has ended and no test can be failed
        log.exception("a sink was not used")
