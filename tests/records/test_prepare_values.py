"""What preparing makes of values that JSON does not know."""

from __future__ import annotations

import datetime as dt
import decimal
import enum
import math
import pathlib
import uuid
from collections import OrderedDict, defaultdict
from typing import Any, NamedTuple

import pytest
from tests.records.preparing import (
    Colour,
    Level,
    losses_of,
    prepared_value,
)
from tests.records.support import result_of

from rampart.core.types import (
    ObservabilityLevel,
)


class OldColour(str, enum.Enum):  # noqa: UP042 - the older form is what this is about
    BLUE = "blue"


class Point(NamedTuple):
    x: int
    y: int


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param((1, (2,)), [1, [2]], id="tuples"),
        pytest.param(Point(1, 2), [1, 2], id="named-tuple"),
        pytest.param([Colour.RED, OldColour.BLUE], ["red", "blue"], id="string-enums"),
        pytest.param({Colour.RED: 1}, {"red": 1}, id="string-enum-as-key"),
        pytest.param(Level.HIGH, 3, id="int-enum"),
        pytest.param(OrderedDict(a=1), {"a": 1}, id="ordered-dict"),
        pytest.param(defaultdict(list, a=[1]), {"a": [1]}, id="default-dict"),
        pytest.param(-0.0, -0.0, id="negative-zero"),
        pytest.param(2**70, 2**70, id="big-int"),
        pytest.param("🙂", "🙂", id="surrogate-pair"),
        pytest.param([{}, [], ""], [{}, [], ""], id="empty"),
        pytest.param([[[]]] * 2, [[[]], [[]]], id="the-same-list-twice-is-no-cycle"),
    ],
)
def test_no_loss(value: Any, expected: Any) -> None:
    found, losses = prepared_value(value)
    assert (found, losses) == (expected, [])
    assert type(found) in {dict, list, str, int, float}


class Unprintable:
    def __repr__(self) -> str:
        raise RuntimeError("no")


class Endless:
    def __repr__(self) -> str:
        return repr(self)


class Long:
    def __repr__(self) -> str:
        return "x" * 1000


class BadDate(dt.date):
    def isoformat(self) -> str:
        raise RuntimeError("no")


UNPRINTABLE = "<unprintable value>"
NAIVE = "2026-11-30T10:00:00"
ZONE = dt.timezone(dt.timedelta(hours=5, minutes=30))
UUID = uuid.UUID("12345678-1234-5678-1234-567812345678")


@pytest.mark.parametrize(
    ("value", "expected", "reason"),
    [
        pytest.param(math.nan, None, "non_finite", id="nan"),
        pytest.param(-math.inf, None, "non_finite", id="infinity"),
        pytest.param(10**400, None, "non_finite", id="int-beyond-every-float"),
        pytest.param(
            dt.datetime(2026, 11, 30, 10, tzinfo=ZONE), "2026-11-30T10:00:00+05:30", "not_json", id="aware"
        ),
        pytest.param(dt.datetime.fromisoformat(NAIVE), NAIVE, "not_json", id="naive"),
        pytest.param(dt.date(2026, 11, 30), "2026-11-30", "not_json", id="date"),
        pytest.param(pathlib.PurePosixPath("/tmp/x"), "/tmp/x", "not_json", id="path"),
        pytest.param(UUID, str(UUID), "not_json", id="uuid"),
        pytest.param(decimal.Decimal("1.10"), "1.10", "not_json", id="decimal"),
        pytest.param(BadDate(2026, 1, 1), UNPRINTABLE, "not_json", id="date-that-fails"),
        pytest.param(b"\xff", "b'\\xff'", "not_json", id="bytes"),
        pytest.param({1}, "{1}", "not_json", id="set"),
        pytest.param(1j, "1j", "not_json", id="complex"),
        pytest.param(Long(), "x" * 200, "not_json", id="long"),
        pytest.param(Unprintable(), UNPRINTABLE, "not_json", id="unprintable"),
        pytest.param(Endless(), UNPRINTABLE, "not_json", id="endless"),
        pytest.param("half \ud835 char", "half \ufffd char", "surrogate", id="surrogate"),
        pytest.param(ObservabilityLevel.TOOL_ONLY, repr(ObservabilityLevel.TOOL_ONLY), "not_json", id="enum"),
    ],
)
def test_one_value_changes(value: Any, expected: Any, reason: str) -> None:
    assert prepared_value(value) == (expected, [("", reason)])
    assert prepared_value([0, value]) == ([0, expected], [("[1]", reason)])
    assert prepared_value({"a b": value}) == ({"a b": expected}, [('["a b"]', reason)])


def test_keys_become_strings_and_stay_apart() -> None:
    found, losses = prepared_value({1: "a", "1": "b", (1,): "c", b"k": "d", None: "e", "None": "f"})
    # A string key keeps its name.
    assert found == {"1 (2)": "a", "1": "b", "(1,)": "c", "b'k'": "d", "None (2)": "e", "None": "f"}
    assert losses == [
        ('["1 (2)"]', "non_string_key"),
        ('["(1,)"]', "non_string_key"),
        ("[\"b'k'\"]", "non_string_key"),
        ('["None (2)"]', "non_string_key"),
    ]


def test_taken_names_are_counted_up() -> None:
    class Same:
        def __str__(self) -> str:
            return "same"

    found, losses = prepared_value({Same(): 1, Same(): 2, "same (2)": 3, Same(): 4})
    assert found == {"same": 1, "same (3)": 2, "same (2)": 3, "same (4)": 4}
    assert [reason for _, reason in losses] == ["non_string_key"] * 3


def test_an_unprintable_key_is_named_so() -> None:
    class Silent(Unprintable):
        __str__ = Unprintable.__repr__

    assert prepared_value({Silent(): 1})[0] == {UNPRINTABLE: 1}


def test_a_surrogate_in_a_key_is_replaced_and_noted() -> None:
    pairs = [("k\udc00", 1), ("k\ufffd", 2)]  # the linter takes both for the same key
    found, losses = prepared_value(dict(pairs))
    assert found == {"k\ufffd (2)": 1, "k\ufffd": 2}
    assert losses == [('["k\ufffd (2)"]', "surrogate")]


def test_a_cycle_ends_where_it_closes() -> None:
    loop: dict[str, Any] = {"a": 1}
    loop["self"] = [loop]
    found, losses = prepared_value(loop)
    assert found == {"a": 1, "self": ["{'a': 1, 'self': [{...}]}"]}
    assert losses == [(".self[0]", "cycle")]


def nested(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels - 1):
        value = [value]
    return value


def test_nesting_is_kept_to_32() -> None:
    # The metadata itself is the first level.
    assert prepared_value(nested(31)) == (nested(31), [])
    found, losses = prepared_value(nested(32))
    assert losses == [("[0]" * 31, "depth")]
    assert repr(found) == "[" * 31 + "'[]'" + "]" * 31


def test_very_deep_values_are_no_problem() -> None:
    found, losses = prepared_value(nested(5_000))
    assert [reason for _, reason in losses] == ["depth"]
    while isinstance(found, list):
        (found,) = found
    assert found == UNPRINTABLE or found.startswith("[[[")


def test_the_first_hundred_losses_are_listed_and_the_rest_counted() -> None:
    losses = losses_of(result_of(metadata={"v": [math.nan] * 150}))
    assert losses[:2] == [("result.metadata.v[0]", "non_finite"), ("result.metadata.v[1]", "non_finite")]
    assert len(losses) == 101
    assert losses[100] == ("", "and 50 more")
    assert len(losses_of(result_of(metadata={"v": [math.nan] * 100}))) == 100


def test_long_keys_do_not_make_long_paths() -> None:
    ((path, _),) = losses_of(result_of(metadata={"k" * 10_000: math.nan}))
    assert path == f'result.metadata["{"k" * 80}..."]'
