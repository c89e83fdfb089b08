"""The hooks by which rampart runs the async tests and fixtures that no other plugin claims."""

from __future__ import annotations

import functools
import inspect
import sys
import warnings
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import pytest

from rampart.pytest_plugin._async_owners import FixtureOwners, foreign_fixture
from rampart.pytest_plugin._claims import (
    PYTEST_TRIO,
    hypothesis_body,
    is_async_fixture,
    is_async_test,
    is_ours,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Generator

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
            pytest.fail(conflict, pytrace=False)

    @pytest.hookimpl(wrapper=True, tryfirst=True, specname="pytest_fixture_setup")
    def pytest_fixture_setup_outermost(
        self, fixturedef: pytest.FixtureDef[Any]
    ) -> Generator[None, object, object]:
        """Note whether the fixture is async, before other plugins turn theirs into sync ones."""
        self._was_async.append(is_async_fixture(fixturedef.func))
        try:
            return (yield)
        finally:
            self._was_async.pop()

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[Any], request: SubRequest
    ) -> Generator[None, object, object]:
        """Serve an async fixture that no other plugin has taken, innermost of all wrappers.

        Nothing is raised here. pytest records the outcome of a fixture in its own call; what fails before
        that leaves the fixture half registered, and the next test that uses it gets a bare AssertionError.
        """
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
        function = _test_function(pyfuncitem)
        if function is None or not is_ours(pyfuncitem):
            return None
        arguments = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
        body = hypothesis_body(function)
        if body is None:
            self._run(pyfuncitem, function, arguments)
        else:
            self._run_examples(function, body, arguments)
        return True

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        """Close the loop, after pytest has torn down the last fixtures in its own hook."""
        if self._lane is not None:
            self._lane.close()

    def pytest_unconfigure(self) -> None:
        """Close the loop of a session that ended in another way."""
        if self._lane is not None:
            self._lane.close()

    def _replacement(
        self, fixturedef: pytest.FixtureDef[Any], request: SubRequest
    ) -> Callable[..., object] | None:
        func = fixturedef.func
        was_async, is_async = self._was_async[-1], is_async_fixture(func)
        item = self._item
        ours = item is not None and is_ours(item)
        if item is not None and ours and PYTEST_TRIO.is_present(item.config) and PYTEST_TRIO.declares(func):
            return _refusing(item, request, func) if is_async_test(item) else None
        if ours and is_async:
            self._owners.note(fixturedef, ours=True)
            return partial(self._set_up, fixturedef, request, func)
        if was_async and not is_async:
            self._owners.note(fixturedef, ours=False)
            if item is not None and ours and is_async_test(item):
                return _refusing(item, request, func)
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

    def _run(
        self, item: pytest.Function, function: Callable[..., Awaitable[object]], arguments: dict[str, Any]
    ) -> None:
        __tracebackhide__ = True
        value = self.lane.run(partial(function, **arguments))
        if value is not None:
            warnings.warn(
                f"an async test should return None, but {item.nodeid} returned {type(value)!r}; did you mean "
                "`assert` instead of `return`?",
                pytest.PytestReturnNotNoneWarning,
                stacklevel=1,
            )

    def _run_examples(
        self,
        function: Callable[..., object],
        body: Callable[..., Awaitable[object]],
        arguments: dict[str, Any],
    ) -> None:
        """Let Hypothesis, which knows no event loop, call a sync function for each example."""
        __tracebackhide__ = True

        @functools.wraps(body)
        def run_example(*args: Any, **kwargs: Any) -> object:
            __tracebackhide__ = True
            return self.lane.run(partial(body, *args, **kwargs))

        handle = cast("Any", function).hypothesis
        handle.inner_test = run_example
        try:
            function(**arguments)
        finally:
            handle.inner_test = body


def _test_function(item: pytest.Function) -> Callable[..., Any] | None:
    """The coroutine function of an async test, or what Hypothesis made of it; None for a sync test."""
    function: Callable[..., Any] = item.obj
    if is_async_test(item):
        return function
    wrapped: object = getattr(function, "__wrapped__", None)
    if item.config.getoption("trace", default=False) and inspect.iscoroutinefunction(wrapped):
        # --trace has put a sync function around the test, which would make a coroutine and drop it.
        return _traced(wrapped)
    return None


def _traced(function: Callable[..., Awaitable[object]]) -> Callable[..., Awaitable[object]]:
    async def traced(**arguments: object) -> object:
        pytest.set_trace()
        return await function(**arguments)

    return traced


def _refusing(item: pytest.Item, request: SubRequest, func: Callable[..., object]) -> Callable[..., object]:
    message = foreign_fixture(item, str(request.fixturename), func)

    def refuse(**kwargs: object) -> object:
        __tracebackhide__ = True
        del kwargs
        pytest.fail(message, pytrace=False)

    return refuse


def _put(fixturedef: pytest.FixtureDef[Any], function: Callable[..., object]) -> None:
    fixturedef.func = function  # type: ignore[misc] # declared final, but replacing it is how plugins do this


def _a_loop_is_running() -> bool:
    asyncio = sys.modules.get("asyncio")  # without it there is no loop, and importing it takes time
    return asyncio is not None and asyncio._get_running_loop() is not None
