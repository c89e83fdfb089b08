"""Async fixture functions as functions that pytest can call; imported when the first one is needed."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import inspect
import logging
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from _pytest.fixtures import resolve_fixture_function  # binds fixture methods; pytest has no public way

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from _pytest.fixtures import SubRequest

    from rampart.pytest_plugin._async_thread import AnyLane

_logger = logging.getLogger(__name__)


def set_up_in_lane(
    fixturedef: pytest.FixtureDef[Any], request: SubRequest, kwargs: dict[str, object], lane: AnyLane
) -> object:
    """Set an async fixture up, and arrange for its tear-down, both in the lane."""
    __tracebackhide__ = True
    function = resolve_fixture_function(fixturedef, request)
    fixture = _AsyncFixture(name=str(request.fixturename), function=function, lane=lane)
    try:
        return fixture.set_up(kwargs)
    finally:
        # After the set-up: finalizers that its body has added run later than its own tear-down. And even
        # if it failed: an interrupt may have arrived when the generator had yielded already.
        request.addfinalizer(fixture.tear_down)


class _AsyncFixture:
    """One set-up and tear-down of an async fixture.

    Both run in one context, so that a generator can reset by its token a variable that it has set.
    """

    def __init__(self, *, name: str, function: Callable[..., Any], lane: AnyLane) -> None:
        self._name = name
        self._function = function
        self._lane = lane
        self._context = contextvars.copy_context()
        self._suspended: AsyncGenerator[object, None] | None = None
        self._tokens: list[contextvars.Token[Any]] = []

    def set_up(self, kwargs: dict[str, object]) -> object:
        __tracebackhide__ = True
        is_generator = inspect.isasyncgenfunction(self._function)
        work = self._run_to_yield if is_generator else self._function
        try:
            value: object = self._lane.run(partial(work, **kwargs), context=self._context)
        except asyncio.CancelledError as error:
            # pytest records an Exception as the outcome of a fixture; this is none.
            msg = f"the set-up of async fixture {self._name!r} was cancelled"
            raise RuntimeError(msg) from error
        self._show_variables()
        return value

    def tear_down(self) -> None:
        __tracebackhide__ = True
        try:
            if self._suspended is None:
                return
            if not self._lane.is_usable:
                # The run is being interrupted; an error here would only hide that.
                _logger.warning("async fixture %r could not be torn down", self._name)
                return
            self._lane.run(partial(self._run_to_end, self._suspended), context=self._context, cleanup=True)
        finally:
            self._suspended = None
            self._hide_variables()

    async def _run_to_yield(self, **kwargs: object) -> object:
        __tracebackhide__ = True
        generator = self._function(**kwargs)
        try:
            value: object = await anext(generator)
        except StopAsyncIteration:
            msg = f"{self._name} did not yield a value"
            raise ValueError(msg) from None
        self._suspended = generator
        return value

    async def _run_to_end(self, generator: AsyncGenerator[object, None]) -> None:
        __tracebackhide__ = True
        try:
            await anext(generator)
        except StopAsyncIteration:
            return
        await generator.aclose()
        pytest.fail(f"async fixture {self._name!r} has more than one 'yield'", pytrace=False)

    def _show_variables(self) -> None:
        """Let sync code, and all that is set up later, see the context variables which the fixture set."""
        current = contextvars.copy_context()
        for variable, value in self._context.items():
            if variable not in current or current[variable] is not value:
                self._tokens.append(variable.set(value))

    def _hide_variables(self) -> None:
        while self._tokens:
            token = self._tokens.pop()
            with contextlib.suppress(ValueError):  # set up inside of another context, which is gone by now
                token.var.reset(token)
