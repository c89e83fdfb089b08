"""Equality of the values that tools are called with."""

from __future__ import annotations

from collections import OrderedDict
from decimal import Decimal
from types import MappingProxyType
from typing import Any
from unittest.mock import ANY

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rampart.evaluators._equality import same_value

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        pytest.param(1, 1.0, id="int-float"),
        pytest.param(0, -0.0, id="zeros"),
        pytest.param([1, {"a": (2, 3)}], (1.0, {"a": [2, 3.0]}), id="arrays-of-any-kind"),
        pytest.param({"a": 1, "b": 2}, {"b": 2, "a": 1}, id="order-of-keys"),
        pytest.param({"a": [1]}, MappingProxyType({"a": [1]}), id="other-mappings"),
        pytest.param(OrderedDict(a=1), {"a": 1}, id="ordered-mapping"),
        pytest.param({"a": ANY}, {"a": True}, id="any-takes-a-bool"),
        pytest.param(ANY, [1], id="any-takes-a-list"),
        pytest.param(pytest.approx(0.1), 0.1 + 1e-12, id="approximately"),
        pytest.param(None, None, id="none"),
    ],
)
def test_what_is_equal(expected: object, actual: object) -> None:
    assert same_value(expected, actual)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(True, 1, id="true-and-one"),
        pytest.param(False, 0.0, id="false-and-zero"),
        pytest.param(True, Decimal(1), id="true-and-decimal"),
        pytest.param([True], [1], id="in-a-list"),
        pytest.param({"a": [{"b": False}]}, {"a": [{"b": 0}]}, id="at-depth"),
        pytest.param("100", 100, id="text-and-number"),
        pytest.param("True", True, id="text-and-bool"),
        pytest.param(None, False, id="none-and-false"),
        pytest.param(None, "", id="none-and-empty"),
        pytest.param([], {}, id="empty-list-and-dict"),
        pytest.param([1], [1, 2], id="shorter-list"),
        pytest.param({"a": None}, {}, id="none-and-absence"),
        pytest.param({"a": 1}, {"a": 1, "b": 2}, id="fewer-keys"),
        pytest.param({"a": 1}, {"b": 1}, id="other-keys"),
        pytest.param("ab", ["a", "b"], id="text-and-list"),
        pytest.param(2**53 + 1, float(2**53), id="int-that-no-float-holds"),
    ],
)
def test_what_is_not_equal(one: object, other: object) -> None:
    assert not same_value(one, other)
    assert not same_value(other, one)


@given(JSON)
def test_a_value_equals_itself(value: Any) -> None:
    assert same_value(value, value)


@given(JSON, JSON)
def test_equality_is_symmetric_and_never_looser_than_that_of_python(one: Any, other: Any) -> None:
    assert same_value(one, other) is same_value(other, one)
    if same_value(one, other):
        assert one == other
