"""Calling an async test in the lane."""

from __future__ import annotations

import functools
import inspect
import warnings
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import pytest

from rampart.pytest_plugin._claims import hypothesis_body, is_async_test

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from rampart.pytest_plugin._async_thread import AnyLane


def runnable_test(item: pytest.Function) -> Callable[..., Any] | None:
    """The coroutine function of an async test, or what Hypothesis made of it; None for a sync test."""
    function: Callable[..., Any] = item.obj
    if is_async_test(item):
        return function
    wrapped: object = getattr(function, "__wrapped__", None)
    if item.config.getoption("trace", default=False) and inspect.iscoroutinefunction(wrapped):
        # --trace has put a sync function around the test, which would make a coroutine and drop it.
        return _traced(wrapped)
    return None


def run_test(item: pytest.Function, function: Callable[..., Any], lane: AnyLane) -> None:
    """Call the test with its fixtures and wait for it.

    Args:
        item: The test.
        function: What `runnable_test` gave for it.
        lane: Where its coroutine runs.
    """
    __tracebackhide__ = True
    arguments = {name: item.funcargs[name] for name in item._fixtureinfo.argnames}
    body = hypothesis_body(function)
    if body is not None:
        _run_examples(function, body, arguments, lane)
        return
    value: object = lane.run(partial(function, **arguments))
    if value is not None:
        warnings.warn(
            f"an async test should return None, but {item.nodeid} returned {type(value)!r}; did you mean "
            "`assert` instead of `return`?",
            getattr(pytest, "PytestReturnNotNoneWarning", pytest.PytestWarning),  # pytest 8.4.0 lacks it
            stacklevel=1,
        )


def _run_examples(
    function: Callable[..., object],
    body: Callable[..., Awaitable[object]],
    arguments: dict[str, Any],
    lane: AnyLane,
) -> None:
    """Let Hypothesis, which knows no event loop, call a sync function for each example."""
    __tracebackhide__ = True

    @functools.wraps(body)
    def run_example(*args: Any, **kwargs: Any) -> object:
        __tracebackhide__ = True
        return lane.run(partial(body, *args, **kwargs))

    handle = cast("Any", function).hypothesis
    handle.inner_test = run_example
    try:
        function(**arguments)
    finally:
        handle.inner_test = body


def _traced(function: Callable[..., Awaitable[object]]) -> Callable[..., Awaitable[object]]:
    async def traced(**arguments: object) -> object:
        pytest.set_trace()
        return await function(**arguments)

    return traced
