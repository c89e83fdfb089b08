"""The hooks through which pytest and rampart meet; what they do is in the modules beside this one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from rampart.pytest_plugin import _hookspecs, _phases, _session, _terminal, _workers
from rampart.pytest_plugin._async_tests import PLUGIN_NAME, AsyncTests
from rampart.pytest_plugin._marker_check import refuse_collected, refuse_late
from rampart.pytest_plugin._markers import effective_trial, register_markers
from rampart.pytest_plugin._options import add_options

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from rampart.pytest_plugin._trial_config import TrialConfig
    from rampart.servers.exfiltration_sink import ExfiltrationSink

T = TypeVar("T")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    add_options(parser)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Add the hook through which projects give sinks."""
    pluginmanager.add_hookspecs(_hookspecs)


def pytest_configure(config: pytest.Config) -> None:
    """Start a run."""
    register_markers(config)
    _session.start(config)
    config.pluginmanager.register(AsyncTests(config), PLUGIN_NAME)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Refuse files with malformed markers."""
    report = yield
    if refuse_collected(report):
        collector.config.stash[_session.RUN].refused = True
    return report


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Refuse malformed markers that were added after collection, and run nothing beside refused files."""
    refuse_late(items)
    if config.stash[_session.RUN].refused and _workers.worker_id(config) is not None:
        items.clear()  # workers of pytest-xdist would not stop because of the collection errors


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, T, T]:
    """Begin recording."""
    return (yield from _phases.set_up(item))


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, T, T]:
    """Repeat the test where its marker asks for it, and check what it did with its verdicts."""
    return (yield from _phases.call(item))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, T, T]:
    """End recording."""
    return (yield from _phases.tear_down(item))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, T, T]:
    """Tag what an async test starts."""
    return (yield from _phases.run_body(pyfuncitem))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show with a failing test what the agent said and did."""
    report = yield
    _terminal.add_section(item, report)
    return report


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> Generator[None, T, T]:
    """Report on the run: after the last fixtures and tasks ended, and before pytest sums up."""
    try:
        return (yield)
    finally:
        _session.finish(session)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Show what the run found."""
    _terminal.show_summary(terminalreporter, config.stash[_session.RUN])


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a worker of pytest-xdist which run it belongs to."""
    _workers.hand_out_run_id(node, node.config.stash[_session.RUN])


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    """Take note of what a worker of pytest-xdist did."""
    _workers.note_worker_end(node, error, node.config.stash[_session.RUN])


@pytest.fixture
def trial_config(request: pytest.FixtureRequest) -> TrialConfig:
    """How often the test is to be tried, and how many tries have to be SAFE.

    With this fixture the test runs its trials itself, through `execute_trials_async`; without it, the
    whole test is repeated.
    """
    run = request.config.stash[_session.RUN]
    trial = effective_trial(request.node, override=run.options.trials)
    if trial is None:
        pytest.fail(f"trial_config requires @pytest.mark.trial on {request.node.nodeid}", pytrace=False)
    return trial


@pytest.fixture
def exfiltration_sink() -> Iterator[ExfiltrationSink]:
    """Where agents may be lured to send things: HTTP and SMTP listeners on this machine that record all.

    What arrives reaches the turns of the execution whose agent sent it, as side effects. What no execution
    was told of fails the test at its end, unless the test has looked at it.
    """
    from rampart.pytest_plugin._exfiltration_sink import sink_of_one_test  # noqa: PLC0415  # few need servers

    yield from sink_of_one_test()
