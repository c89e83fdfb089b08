"""Packages whose names are imported at their first use."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from rampart.core.lazy import lazy_exports

PACKAGE = "lazily_made_for_a_test"
HOMES = {"JSONDecoder": "json.decoder", "Fraction": "fractions", "Gone": "json.decoder"}


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    module = ModuleType(PACKAGE)
    monkeypatch.setitem(sys.modules, PACKAGE, module)
    functions = dict(zip(["__getattr__", "__dir__"], lazy_exports(PACKAGE, HOMES), strict=True))
    vars(module).update(functions)
    return module


def test_a_name_comes_from_its_home(package: ModuleType) -> None:
    from fractions import Fraction

    assert package.Fraction is Fraction


def test_a_name_is_looked_up_once(package: ModuleType) -> None:
    assert "Fraction" not in vars(package)
    first = package.Fraction
    assert vars(package)["Fraction"] is first


def test_dir_lists_names_before_and_after_their_first_use(package: ModuleType) -> None:
    before = dir(package)
    assert package.Fraction
    assert set(HOMES) <= set(before)
    assert dir(package) == before == sorted(before)


def test_an_unknown_name(package: ModuleType) -> None:
    with pytest.raises(AttributeError, match=f"^module '{PACKAGE}' has no attribute 'Nope'$"):
        package.Nope  # noqa: B018  # the point of the test


def test_a_name_that_its_home_lacks(package: ModuleType) -> None:
    with pytest.raises(AttributeError, match=r"module 'json\.decoder' has no attribute 'Gone'"):
        package.Gone  # noqa: B018  # the point of the test
