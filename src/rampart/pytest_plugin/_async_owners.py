"""Which event loop an async fixture lives in, and the errors where a test runs in another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from rampart.pytest_plugin._claims import ASYNC_PLUGINS, claimant, declarer, is_async_test, is_ours

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rampart.pytest_plugin._claims import AsyncPlugin


class FixtureOwners:
    """Remembers who set up each async fixture last.

    pytest hands a wide fixture that is set up already to the next test as it is, whoever runs that one. An
    object of one loop then fails in another, far from the cause, or hangs.
    """

    def __init__(self) -> None:
        self._foreign: dict[pytest.FixtureDef[Any], AsyncPlugin | None] = {}
        self._ours: set[pytest.FixtureDef[Any]] = set()

    def note_ours(self, fixturedef: pytest.FixtureDef[Any]) -> None:
        """The fixture is being set up in rampart's loop."""
        self._foreign.pop(fixturedef, None)
        self._ours.add(fixturedef)

    def note_foreign(self, fixturedef: pytest.FixtureDef[Any], item: pytest.Item) -> None:
        """The fixture is being set up by another plugin; `item` is the test that asks for it."""
        self._ours.discard(fixturedef)
        plugin = declarer(fixturedef.func, item.config)
        if plugin is None and isinstance(item, pytest.Function):
            plugin = claimant(item)
        self._foreign[fixturedef] = plugin

    def conflict(self, item: pytest.Item) -> str | None:
        """What to tell the user where an async test asks for a fixture that lives in another loop."""
        if not isinstance(item, pytest.Function) or not is_async_test(item):
            return None
        plugin = claimant(item)
        if plugin is None and not is_ours(item):
            return None
        for name, fixturedef in _fixtures_of(item):
            if fixturedef.cached_result is None:
                continue
            if plugin is None and fixturedef in self._foreign:
                return self.refusal(item, name, fixturedef)
            if plugin is not None and fixturedef in self._ours:
                return _our_fixture(item, name, plugin)
        return None

    def refusal(self, item: pytest.Item, name: str, fixturedef: pytest.FixtureDef[Any]) -> str:
        """The error of a test of rampart that asks for an async fixture of another plugin."""
        owner = self._foreign[fixturedef]
        if owner is None:
            present = [plugin.mark for plugin in ASYNC_PLUGINS if plugin.is_present(item.config)]
            example = f", such as @pytest.mark.{present[0]}," if present else ""
            whose, mark = "another plugin", f"the mark of that plugin{example}"
        else:
            whose, mark = owner.name, f"@pytest.mark.{owner.mark}"
        text = (
            f"async fixture {name!r} belongs to {whose} and lives in another event loop than {item.name}, "
            f"which rampart runs; add {mark} to the test"
        )
        if declarer(fixturedef.func, item.config) is not None:
            text += ", or declare the fixture with plain @pytest.fixture"
        return text


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
