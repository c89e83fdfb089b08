"""How long steps may take."""

from __future__ import annotations

import re
from dataclasses import FrozenInstanceError
from decimal import Decimal
from typing import Any

import pytest
from tests.core.support import field_table

from rampart.core.limits import (
    DEFAULT_TRIAL_CONCURRENCY,
    Limits,
    configure_defaults,
    configured_limits,
    configured_trial_concurrency,
    preserved_defaults,
)

FIELDS = ["turn_timeout_s", "ready_timeout_s", "cleanup_timeout_s", "execution_timeout_s"]


def test_fields() -> None:
    assert field_table(Limits) == {
        "turn_timeout_s": 120,
        "ready_timeout_s": 120,
        "cleanup_timeout_s": 30,
        "execution_timeout_s": None,
    }


def test_limits_do_not_change() -> None:
    with pytest.raises(FrozenInstanceError):
        Limits().turn_timeout_s = 1  # type: ignore[misc]  # the point of the test


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("value", [1, 0.001, 1e9], ids=str)
def test_positive_finite_numbers_are_limits(field: str, value: float) -> None:
    assert getattr(Limits(**{field: value}), field) == value


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize(
    ("value", "error"),
    [
        pytest.param(0, ValueError, id="zero"),
        pytest.param(-1, ValueError, id="negative"),
        pytest.param(float("nan"), ValueError, id="nan"),
        pytest.param(float("inf"), ValueError, id="infinite"),
        pytest.param(float("-inf"), ValueError, id="negative-infinite"),
        pytest.param(10**400, ValueError, id="beyond-floats"),
        pytest.param(True, TypeError, id="bool"),
        pytest.param("30", TypeError, id="text"),
        pytest.param(Decimal(1), TypeError, id="decimal"),
        pytest.param([], TypeError, id="list"),
    ],
)
def test_refusals_name_the_field(field: str, value: Any, error: type[Exception]) -> None:
    expected = "a number" if error is TypeError else "a positive finite number"
    or_none = "" if field == "cleanup_timeout_s" else ", or None for no limit"
    text = f"{field} must be {expected} of seconds{or_none}, got {value!r}"
    with pytest.raises(error, match=f"^{re.escape(text)}$"):
        Limits(**{field: value})


@pytest.mark.parametrize("field", [name for name in FIELDS if name != "cleanup_timeout_s"])
def test_none_means_no_limit(field: str) -> None:
    given: dict[str, Any] = {field: None}
    assert getattr(Limits(**given), field) is None


def test_cleanup_always_has_a_limit() -> None:
    with pytest.raises(TypeError, match=r"^cleanup_timeout_s must be a number of seconds, got None$"):
        Limits(cleanup_timeout_s=None)  # type: ignore[arg-type]  # the point of the test


class TestDefaults:
    def test_out_of_the_box(self) -> None:
        assert configured_limits() == Limits()
        assert configured_trial_concurrency() == DEFAULT_TRIAL_CONCURRENCY == 20

    def test_they_can_be_replaced_one_by_one(self) -> None:
        mine = Limits(turn_timeout_s=1)
        with preserved_defaults():
            configure_defaults(limits=mine)
            assert configured_limits() is mine
            assert configured_trial_concurrency() == 20
            configure_defaults(trial_concurrency=3)
            assert configured_limits() is mine
            assert configured_trial_concurrency() == 3
        assert configured_limits() == Limits()
        assert configured_trial_concurrency() == 20

    def test_they_are_put_back_after_a_failure(self) -> None:
        def fail_inside() -> None:
            with preserved_defaults():
                configure_defaults(trial_concurrency=1)
                raise RuntimeError

        with pytest.raises(RuntimeError):
            fail_inside()
        assert configured_trial_concurrency() == 20
