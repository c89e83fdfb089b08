"""Which event loop an async fixture lives in, and the errors where a test runs in another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from rampart.pytest_plugin._claims import ASYNC_PLUGINS, claimant, is_async_test, is_ours

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rampart.pytest_plugin._claims import AsyncPlugin


class FixtureOwners:
    """Remembers who set up each async fixture last.

    pytest hands a wide fixture that is set up already to the next test as it is, whoever runs that one. An
    object of one loop then fails in another, far from the cause, or hangs.
    """

    def __init__(self) -> None:
        self._is_ours: dict[pytest.FixtureDef[Any], bool] = {}

    def note(self, fixturedef: pytest.FixtureDef[Any], *, ours: bool) -> None:
        """The fixture is being set up, in rampart's loop or by another plugin."""
        self._is_ours[fixturedef] = ours

    def conflict(self, item: pytest.Item) -> str | None:
        """What to tell the user where an async test asks for a fixture that lives in another loop."""
        if not self._is_ours or not isinstance(item, pytest.Function) or not is_async_test(item):
            return None
        plugin = claimant(item)
        if plugin is None and not is_ours(item):
            return None
        for name, fixturedef in _fixtures_of(item):
            if fixturedef.cached_result is None:
                continue
            fixture_is_ours = self._is_ours.get(fixturedef)
            if plugin is None and fixture_is_ours is False:
                return foreign_fixture(item, name, fixturedef.func)
            if plugin is not None and fixture_is_ours is True:
                return _our_fixture(item, name, plugin)
        return None


def foreign_fixture(item: pytest.Item, name: str, function: Callable[..., object]) -> str:
    """The error of a test of rampart that asks for an async fixture of another plugin."""
    present = [plugin for plugin in ASYNC_PLUGINS if plugin.is_present(item.config)]
    declared = [plugin for plugin in present if plugin.declares(function)]
    if declared:
        owner, mark = declared[0].name, f"add @pytest.mark.{declared[0].mark} to the test"
    else:
        marks = " or ".join(f"@pytest.mark.{plugin.mark}" for plugin in present)
        owner, mark = "another plugin", f"add the mark of that plugin to the test ({marks or 'see its docs'})"
    return (
        f"async fixture {name!r} belongs to {owner} and lives in another event loop than {item.name}, which "
        f"rampart runs; {mark}, or declare the fixture with plain @pytest.fixture"
    )


def _our_fixture(item: pytest.Item, name: str, plugin: AsyncPlugin) -> str:
    return (
        f"async fixture {name!r} was set up in rampart's event loop, for an earlier test without "
        f"@pytest.mark.{plugin.mark}, but {plugin.name} runs {item.name} in another loop; give all tests "
        f"that share the fixture that mark, or none"
    )


def _fixtures_of(item: pytest.Function) -> Iterator[tuple[str, pytest.FixtureDef[Any]]]:
    for name in item.fixturenames:
        definitions = item._fixtureinfo.name2fixturedefs.get(name)
        if definitions:
            yield name, definitions[-1]
