"""Shown output against real output."""

import pytest
from tests.docs.lines import missing_line

_REAL = "collected 3 items\n\ntest_a.py ..F   [100%]\n1 failed, 2 passed in 0.12s\n"


@pytest.mark.parametrize(
    ("expected", "missing"),
    [
        pytest.param("collected 3 items", None, id="whole-line"),
        pytest.param("1 failed", None, id="part-of-a-line"),
        pytest.param("collected 3 items\n\n1 failed, 2 passed in ...s", None, id="figures-left-out"),
        pytest.param("collected   3 items\n...\n1 failed", None, id="lines-left-out"),
        pytest.param("2 failed", "2 failed", id="not-there"),
        pytest.param("1 failed\ncollected 3 items", "collected 3 items", id="other-order"),
        pytest.param("collected 3 items\ncollected 3 items", "collected 3 items", id="twice"),
        pytest.param("2 passed in ...m", "2 passed in ...m", id="around-an-ellipsis"),
        pytest.param("collected . items", "collected . items", id="no-pattern-language"),
    ],
)
def test_missing_line(expected: str, missing: str | None) -> None:
    assert missing_line(expected, _REAL) == missing
