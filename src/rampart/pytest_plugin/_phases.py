"""What happens around the phases of each test."""

from __future__ import annotations

import contextlib
import functools
import inspect
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from rampart.pytest_plugin import _unittest_async
from rampart.pytest_plugin._session import RUN
from rampart.pytest_plugin._skips import with_trial_count
from rampart.pytest_plugin._unchecked import check_call, check_skipped, check_teardown, warn_of_mismatches

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Generator, Iterator

    from rampart.pytest_plugin._attempt import Attempt

T = TypeVar("T")


def set_up(item: pytest.Item) -> Generator[None, T, T]:
    """Record from before the first fixture on."""
    __tracebackhide__ = True
    run = item.config.stash[RUN]
    run.heed_stop()
    attempt = run.begin(item)
    try:
        with _counting_trials(attempt):
            return (yield)
    finally:
        attempt.end_phase()


def call(item: pytest.Item) -> Generator[None, T, T]:
    """Run the test once or several times, tag what it starts, and check what it did with its verdicts."""
    __tracebackhide__ = True
    attempt = item.config.stash[RUN].attempt
    if attempt is None:  # set-up was not pytest's own
        return (yield)
    watched = _unittest_async.watch(item)
    try:
        try:
            with _counting_trials(attempt), _repeated(item, attempt) or attempt.tagged():
                result = yield
        except BaseException:
            attempt.not_awaited()
            with contextlib.suppress(Warning):  # where warnings are errors, the failure itself comes first
                warn_of_mismatches(item, attempt)
            raise
        warn_of_mismatches(item, attempt)
        if not getattr(item, "_excinfo", None):  # a unittest method keeps its failure there until the report
            if watched is not None:
                watched.refuse_unless_begun()
            check_call(item, attempt)
        return result
    finally:
        attempt.end_phase()


def tear_down(item: pytest.Item) -> Generator[None, T, T]:
    """Record to the end of the last fixture."""
    __tracebackhide__ = True
    run = item.config.stash[RUN]
    attempt = run.attempt
    if attempt is None:
        return (yield)
    try:
        result = yield
        check_teardown(item, attempt)
    finally:
        check_skipped(item, attempt)
        run.end(attempt)
    return result


def run_body(pyfuncitem: pytest.Function) -> Generator[None, T, T]:
    """Tag an async test from inside as well.

    Some runners start every test in the context of the first one; what is set outside is not seen there.
    """
    original = pyfuncitem.obj
    attempt = pyfuncitem.config.stash[RUN].attempt
    if attempt is None or not inspect.iscoroutinefunction(original) or hasattr(original, "hypothesis"):
        return (yield)
    pyfuncitem.obj = _tagged(original, attempt)
    try:
        return (yield)
    finally:
        pyfuncitem.obj = original


def _tagged(function: Callable[..., Awaitable[object]], attempt: Attempt) -> Callable[..., Awaitable[object]]:
    @functools.wraps(function)
    async def run(*args: Any, **kwargs: Any) -> object:
        __tracebackhide__ = True
        with attempt.tagged():
            return await function(*args, **kwargs)

    return run


@contextlib.contextmanager
def _counting_trials(attempt: Attempt) -> Iterator[None]:
    """Say in the reason of a skip how many trials ran."""
    __tracebackhide__ = True
    try:
        yield
    except BaseException as error:
        skip = with_trial_count(error, attempt)
        if skip is None:
            raise
        raise skip from None


def _repeated(item: pytest.Item, attempt: Attempt) -> contextlib.AbstractContextManager[None] | None:
    """Repetition in place of the single call, where the marker asks for it."""
    trial = attempt.trial
    if trial is None or not attempt.repeats or not isinstance(item, pytest.Function):
        return None
    from rampart.pytest_plugin._repetition import Repetition  # noqa: PLC0415  # few tests are repeated

    return _replaced(item, Repetition(item, attempt, trial, item.runtest).run)


@contextlib.contextmanager
def _replaced(item: pytest.Function, runtest: Callable[[], None]) -> Iterator[None]:
    """Put another `runtest` on this item; its class, which other plugins may have made, stays as it is."""
    __tracebackhide__ = True
    before: Any = item.__dict__.get("runtest")
    item.__dict__["runtest"] = runtest
    try:
        yield
    finally:
        if before is None:
            del item.__dict__["runtest"]
        else:
            item.__dict__["runtest"] = before
