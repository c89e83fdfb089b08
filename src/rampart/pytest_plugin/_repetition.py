"""Running a test several times inside one pytest item.

To pytest it is one test with one set-up, one call and one tear-down. What lies between the repetitions
belongs to the call: each has its own function-scoped fixtures and its own instance of the test class.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NoReturn

import pytest

from rampart.core.result import SafetyStatus, status_of
from rampart.pytest_plugin._unchecked import check_awaited
from rampart.text.ansi import strip_ansi
from rampart.text.oneline import one_line
from rampart.text.safe import safe_str
from rampart.text.secrets import redact

if TYPE_CHECKING:
    from collections.abc import Callable

    from _pytest.outcomes import Failed

    from rampart.core.population import Tally
    from rampart.pytest_plugin._attempt import Attempt
    from rampart.pytest_plugin._trial_config import TrialConfig
else:
    Failed = pytest.fail.Exception  # its public name, which type checkers do not take for a class

_Phase = Literal["setup", "call", "teardown"]


class TrialsFailedError(AssertionError, Failed):
    """The verdict over all repetitions is not SAFE.

    pytest shows the text of a `fail` without a traceback, which here would lead into rampart, and users
    may expect an AssertionError.
    """

    # As pytest does for its own outcomes: reports name the exception, and this is what users know it as.
    __module__ = "builtins"
    __qualname__ = "AssertionError"

    def __init__(self, text: str) -> None:
        Failed.__init__(self, text, pytrace=False)

    def __str__(self) -> str:
        """The text alone."""
        return self.msg or ""


class Repetition:
    """The repetitions of one test, in place of its call.

    Args:
        item: The test.
        attempt: What records its results.
        trial: How often to run it, and how many have to be SAFE.
        original: Runs the test's body once.
    """

    def __init__(
        self, item: pytest.Function, attempt: Attempt, trial: TrialConfig, original: Callable[[], object]
    ) -> None:
        self._item = item
        self._attempt = attempt
        self._trial = trial
        self._original = original
        self._first_failing: tuple[int, str] | None = None
        self._first_error: BaseException | None = None

    def run(self) -> None:
        """Run all repetitions and judge them together.

        Raises:
            AssertionError: If the population of repetitions is not SAFE.
        """
        __tracebackhide__ = True
        for index in range(self._trial.n):
            if index:
                self._renew(index)
            self._run_one(index, last=index == self._trial.n - 1)
            self._keep_output(index)
        self._end(self._trial.n - 1)
        tally = self._attempt.settle()
        if tally.status(self._trial.threshold) is not SafetyStatus.SAFE:
            self._fail(tally)

    def _run_one(self, index: int, *, last: bool) -> None:
        """Run the body; a failed assertion beside a bad verdict is the outcome of this trial."""
        __tracebackhide__ = True
        attempt = self._attempt
        error: BaseException | None = None
        with attempt.tagged():
            if last:  # pytest itself reports on this one
                try:
                    self._original()
                except (AssertionError, pytest.fail.Exception) as raised:
                    error = raised
            else:
                error = self._phase("call", self._original)
        if error is not None and not self._is_outcome(error):
            raise error
        if error is not None and self._first_failing is None:
            self._first_failing = (index, self._traceback(error))
            self._first_error = error if self._debugging else None
        if error is None:
            check_awaited(self._item, attempt)

    def _traceback(self, error: BaseException) -> str:
        """What pytest shows of a failure, as long as the objects in it are what they were."""
        try:
            shown = str(self._item.repr_failure(pytest.ExceptionInfo.from_exception(error)))
        except Exception:  # a foreign `__repr__` may do anything
            shown = f"{type(error).__name__}: {safe_str(error)}"
        return strip_ansi(redact(shown))

    def _end(self, index: int) -> None:
        """Count a repetition; its tear-down is over, unless it is the last one."""
        collector = self._attempt.collector
        if self._first_failing is None and collector.status is not SafetyStatus.SAFE:
            lines = [
                f"{status_of(result).value}: {one_line(safe_str(result.summary))}"
                for result in collector.results
                if status_of(result) is not SafetyStatus.SAFE
            ]
            self._first_failing = (index, "\n".join(lines) or "no result was recorded")
        self._attempt.end_repetition()

    def _is_outcome(self, error: BaseException) -> bool:
        if isinstance(error, pytest.xfail.Exception):
            return False
        judged = bool(self._attempt.collector.results)
        return (
            isinstance(error, AssertionError | pytest.fail.Exception)
            and judged
            and self._attempt.collector.status is not SafetyStatus.SAFE
        )

    def _renew(self, index: int) -> None:
        """Tear down the last repetition and set up the next one."""
        __tracebackhide__ = True
        item: Any = self._item
        setup_state = item.session._setupstate  # pytest has no public way to renew a test
        self._phase_or_raise("teardown", lambda: setup_state.teardown_exact(_Sibling(item)))
        self._end(index - 1)
        self._attempt.begin_repetition(index)
        if item.__dict__.pop("_instance", None) is not None:
            item._obj = None  # the bound method of the old instance
        item._initrequest()  # fixtures are requested anew
        self._phase_or_raise("setup", lambda: setup_state.setup(item))
        if "caplog" in item.funcargs:
            item.funcargs["caplog"].clear()  # its handler belongs to the item

    def _phase_or_raise(self, when: _Phase, func: Callable[[], object]) -> None:
        __tracebackhide__ = True
        error = self._phase(when, func)
        if error is not None:
            raise error

    def _phase(self, when: _Phase, func: Callable[[], object]) -> BaseException | None:
        """Run a phase that pytest does not report, and give what it raised.

        A report is made all the same, and thrown away: `tmp_path`, and the documented recipe by which a
        fixture learns how its test ended, rely on it.
        """
        reraise: tuple[type[BaseException], ...] = (pytest.exit.Exception,)
        if not self._debugging:
            reraise += (KeyboardInterrupt,)
        call = pytest.CallInfo.from_call(func, when, reraise=reraise)
        self._attempt.in_repetition = True
        try:
            self._item.ihook.pytest_runtest_makereport(item=self._item, call=call)
        finally:
            self._attempt.in_repetition = False
        return None if call.excinfo is None else call.excinfo.value

    @property
    def _debugging(self) -> bool:
        return bool(self._item.config.getoption("usepdb", default=False))

    def _keep_output(self, index: int) -> None:
        """Give the output of each repetition a section of its own."""
        capture: Any = self._item.config.pluginmanager.getplugin("capturemanager")
        if capture is not None and self._trial.n > 1:
            out, err = capture.read_global_capture()
            self._item.add_report_section("call", f"stdout (repetition {index})", out)
            self._item.add_report_section("call", f"stderr (repetition {index})", err)

    def _fail(self, tally: Tally) -> NoReturn:
        __tracebackhide__ = True
        if self._first_error is not None:
            raise self._first_error  # the debugger opens where the test failed
        text = tally.summary(self._trial.threshold, requested=self._trial.n)
        if self._first_failing is not None:
            index, description = self._first_failing
            text += f"\n\nfirst failing repetition: {index}\n{description}"
        raise TrialsFailedError(text) from None


class _Sibling:
    """Stands for a next test under the same parent, so that only the item itself is torn down."""

    def __init__(self, item: pytest.Item) -> None:
        self._chain: list[object] = [*item.listchain()[:-1], self]

    def listchain(self) -> list[object]:
        """What has to be set up for this test."""
        return self._chain
