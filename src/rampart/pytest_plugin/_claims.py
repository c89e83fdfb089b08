"""Which async tests another plugin claims, and which are left to rampart."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

_OWN_MARKERS = ("harm", "trial")
_OWN_FIXTURE = "trial_config"


@dataclass(frozen=True, slots=True, kw_only=True)
class AsyncPlugin:
    """A plugin that runs async tests.

    Attributes:
        name: The distribution, as users know it.
        plugin: The name under which pytest registers it.
        mark: The mark by which a test asks for it.
        mode: The setting that hands every async test to it, on the command line or in the ini file.
        mode_values: The values of `mode` that do so.
        fixture: A fixture that makes the plugin run the tests which use it.
        fixture_attribute: What the plugin's own fixture decorator leaves on the function.
    """

    name: str
    plugin: str
    mark: str
    mode: str
    mode_values: tuple[object, ...]
    fixture: str | None = None
    fixture_attribute: str | None = None

    def is_present(self, config: pytest.Config) -> bool:
        """Whether the plugin is registered (`-p no:<plugin>` keeps it from being so)."""
        return config.pluginmanager.has_plugin(self.plugin)

    def claims(self, item: pytest.Function) -> bool:
        """Whether the plugin, if it is present, runs the test."""
        if not self.is_present(item.config):
            return False
        return (
            item.get_closest_marker(self.mark) is not None
            or (self.fixture is not None and self.fixture in item.fixturenames)
            or setting(item.config, self.mode) in self.mode_values
        )

    def declares(self, fixture_function: Callable[..., object]) -> bool:
        """Whether the function was made a fixture by the plugin's own decorator."""
        function = getattr(fixture_function, "__func__", fixture_function)
        return self.fixture_attribute is not None and bool(getattr(function, self.fixture_attribute, False))


PYTEST_ASYNCIO = AsyncPlugin(
    name="pytest-asyncio",
    plugin="asyncio",
    mark="asyncio",
    mode="asyncio_mode",
    mode_values=("auto",),
    fixture_attribute="_force_asyncio_fixture",
)
ANYIO = AsyncPlugin(
    name="anyio",
    plugin="anyio",
    mark="anyio",
    mode="anyio_mode",
    mode_values=("auto",),
    fixture="anyio_backend",
)
PYTEST_TRIO = AsyncPlugin(
    name="pytest-trio",
    plugin="trio",
    mark="trio",
    mode="trio_mode",
    mode_values=(True,),
    fixture_attribute="_force_trio_fixture",
)
ASYNC_PLUGINS = (PYTEST_ASYNCIO, ANYIO, PYTEST_TRIO)


def claimant(item: pytest.Function) -> AsyncPlugin | None:
    """The plugin that runs the test and its async fixtures, if it is not left to rampart."""
    return next((plugin for plugin in ASYNC_PLUGINS if plugin.claims(item)), None)


def declarer(fixture_function: Callable[..., object], config: pytest.Config) -> AsyncPlugin | None:
    """The plugin by whose own decorator the function was made a fixture, if it is present."""
    present = (plugin for plugin in ASYNC_PLUGINS if plugin.is_present(config))
    return next((plugin for plugin in present if plugin.declares(fixture_function)), None)


def is_ours(item: pytest.Item) -> bool:
    """Whether rampart runs the test, if it is async, and its async fixtures in any case."""
    if not isinstance(item, pytest.Function) or claimant(item) is not None:
        return False
    return _is_marked(item) or setting(item.config, "rampart_async") != "marked"


def is_async_test(item: pytest.Item) -> bool:
    """Whether the body of the test is a coroutine, that of a Hypothesis test included."""
    function: object = getattr(item, "obj", None)
    return inspect.iscoroutinefunction(function) or hypothesis_body(function) is not None


def is_async_fixture(function: object) -> bool:
    """Whether pytest itself could not call this fixture function."""
    return inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)


def is_taken(fixture_function: Callable[..., object], config: pytest.Config, *, was_async: bool) -> bool:
    """Whether another plugin sets an async fixture up.

    Args:
        fixture_function: What is left for pytest itself to call.
        config: Of the run.
        was_async: Whether it was async before the plugins replaced it for this set-up.
    """
    owner = declarer(fixture_function, config)
    if owner is PYTEST_TRIO:  # it replaces nothing, and takes its fixtures, sync ones too, later on
        return True
    if owner is not None:  # pytest-asyncio before 1.0 replaces them when it collects them
        was_async = was_async or is_async_fixture(inspect.unwrap(fixture_function))
    return was_async and not is_async_fixture(fixture_function)


def hypothesis_body(function: object) -> Callable[..., Awaitable[object]] | None:
    """The coroutine function that a test made by Hypothesis calls for each example, if there is one."""
    body = getattr(getattr(function, "hypothesis", None), "inner_test", None)
    return body if inspect.iscoroutinefunction(body) else None


def setting(config: pytest.Config, name: str) -> object:
    """An option, or else an ini value; None where no plugin has declared either."""
    value: object = config.getoption(name, default=None)
    if value is not None:
        return value
    try:
        return config.getini(name)
    except ValueError:
        return None


def _is_marked(item: pytest.Function) -> bool:
    return _OWN_FIXTURE in item.fixturenames or any(item.get_closest_marker(name) for name in _OWN_MARKERS)
