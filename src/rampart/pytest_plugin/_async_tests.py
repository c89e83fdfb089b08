"""The hooks by which rampart runs the async tests and fixtures that no other plugin claims."""

from __future__ import annotations

import contextlib
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from rampart.pytest_plugin._async_call import run_test, runnable_test
from rampart.pytest_plugin._async_errors import ForeignFixtureError, LaneRefusalError
from rampart.pytest_plugin._async_owners import FixtureOwners
from rampart.pytest_plugin._claims import is_async_fixture, is_async_test, is_ours, is_taken

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from _pytest.fixtures import SubRequest

    from rampart.pytest_plugin._async_thread import AnyLane

PLUGIN_NAME = "rampart-async"


def lane_for(config: pytest.Config) -> AnyLane:
    """The lane of a test run, made at the first call.

    Raises:
        RuntimeError: If the plugin is not registered.
    """
    plugin = config.pluginmanager.get_plugin(PLUGIN_NAME)
    if not isinstance(plugin, AsyncTests):
        msg = f"the pytest plugin {PLUGIN_NAME} is not registered; run pytest without `-p no:rampart`"
        raise RuntimeError(msg)
    return plugin.lane


class AsyncTests:
    """Runs async tests and sets up async fixtures, in one event loop for the whole run.

    asyncio is imported with the first of them: other runs need not pay for it.
    """

    def __init__(self, config: pytest.Config) -> None:
        del config
        self._item: pytest.Item | None = None
        self._owners = FixtureOwners()
        self._was_async: list[bool] = []
        self._lane: AnyLane | None = None
        # Decided once: inside of an async test a loop is running too, and such a call has to be refused.
        self._in_thread = _a_loop_is_running()

    @property
    def lane(self) -> AnyLane:
        """The lane, made at the first use."""
        if self._lane is None:
            from rampart.pytest_plugin._async_thread import open_lane  # noqa: PLC0415 - imports asyncio

            self._lane = open_lane(in_thread=self._in_thread)
            if self._item is not None:
                # Finalizers run in reverse: this one after those of all async fixtures, and yet before the
                # run is reported, which is then told of what unfinished tasks did in the end. Where pytest
                # has nothing set up, the session's own end will do.
                with contextlib.suppress(AssertionError, KeyError):
                    self._item.session.addfinalizer(self._close)
        return self._lane

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Note which test asks for fixtures: the node of a wide fixture's request is not the test."""
        outer, self._item = self._item, item
        try:
            return (yield)
        finally:
            self._item = outer

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Refuse a test that would get an object of another event loop."""
        conflict = self._owners.conflict(item)
        if conflict:
            raise ForeignFixtureError(conflict)

    @pytest.hookimpl(wrapper=True, tryfirst=True, specname="pytest_fixture_setup")
    def pytest_fixture_setup_outermost(
        self, fixturedef: pytest.FixtureDef[Any], request: SubRequest
    ) -> Generator[None, object, object]:
        """Note whether the fixture is async, before other plugins turn theirs into sync ones.

        A fixture that was refused, by pytest or by rampart, was not set up, and the next test has another
        claim to it. Yet pytest keeps some refusals as the outcome of the fixture, for as long as its scope
        lasts, while after others it does not clear up, so that the next test gets a bare AssertionError.
        """
        __tracebackhide__ = True
        self._was_async.append(is_async_fixture(fixturedef.func))
        try:
            return (yield)
        except BaseException as error:
            untouched = self._was_async[-1] and fixturedef.cached_result is None
            if untouched or isinstance(error, LaneRefusalError | ForeignFixtureError):
                _forget(fixturedef, request, error)
            raise
        finally:
            self._was_async.pop()

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[Any], request: SubRequest
    ) -> Generator[None, object, object]:
        """Serve an async fixture that no other plugin has taken, innermost of all wrappers.

        Nothing is raised here: pytest records only what its own call of the fixture function raises.
        """
        __tracebackhide__ = True
        func = fixturedef.func
        replacement = self._replacement(fixturedef, request)
        if replacement is None:
            return (yield)
        _put(fixturedef, replacement)
        try:
            return (yield)
        finally:
            _put(fixturedef, func)

    @pytest.hookimpl
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> object | None:
        """Run an async test. Not `trylast`: that would come after pytest's own refusal."""
        __tracebackhide__ = True
        function = runnable_test(pyfuncitem)
        if function is None or not is_ours(pyfuncitem):
            return None
        run_test(pyfuncitem, function, self.lane)
        return True

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        """Close the loop, if tearing down the session has not done it."""
        self._close()

    def pytest_unconfigure(self) -> None:
        """Close the loop of a session that ended in another way."""
        self._close()

    def _close(self) -> None:
        lane, self._lane = self._lane, None  # when the last test is run again, so is the session set up
        if lane is not None:
            lane.close()

    def _replacement(
        self, fixturedef: pytest.FixtureDef[Any], request: SubRequest
    ) -> Callable[..., object] | None:
        item, func = self._item, fixturedef.func
        if item is None:
            return None
        ours = is_ours(item)
        if is_taken(func, item.config, was_async=self._was_async[-1]):
            self._owners.note_foreign(fixturedef, item)
            if ours and is_async_test(item):
                return _refusing(self._owners.refusal(item, str(request.fixturename), fixturedef))
        elif ours and is_async_fixture(func):
            self._owners.note_ours(fixturedef)
            return partial(self._set_up, fixturedef, request, func)
        return None

    def _set_up(
        self,
        fixturedef: pytest.FixtureDef[Any],
        request: SubRequest,
        func: Callable[..., object],
        /,
        **kwargs: object,
    ) -> object:
        __tracebackhide__ = True
        from rampart.pytest_plugin._async_fixtures import set_up_in_lane  # noqa: PLC0415 - imports asyncio

        _put(fixturedef, func)  # it is bound to the test's instance from there
        return set_up_in_lane(fixturedef, request, kwargs, self.lane)


def _refusing(message: str) -> Callable[..., object]:
    def refuse(**kwargs: object) -> object:
        __tracebackhide__ = True
        del kwargs
        raise ForeignFixtureError(message)

    return refuse


def _forget(fixturedef: pytest.FixtureDef[Any], request: SubRequest, error: BaseException) -> None:
    """Bring a fixture that was not set up back into the state before."""
    if fixturedef.cached_result is None:  # it would be taken for cleared up already
        fixturedef.cached_result = (None, fixturedef.cache_key(request), (error, error.__traceback__))
    fixturedef.finish(request)


def _put(fixturedef: pytest.FixtureDef[Any], function: Callable[..., object]) -> None:
    fixturedef.func = function  # type: ignore[misc] # declared final, but replacing it is how plugins do this


def _a_loop_is_running() -> bool:
    asyncio = sys.modules.get("asyncio")  # without it there is no loop, and importing it takes time
    return asyncio is not None and asyncio._get_running_loop() is not None
