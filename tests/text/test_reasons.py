import pytest

from rampart.text.reasons import distinct_reasons, join_reasons


@pytest.mark.parametrize(
    ("reasons", "distinct"),
    [
        pytest.param([], [], id="none"),
        pytest.param(["b", "a", "b"], ["b", "a"], id="first-seen-order"),
        pytest.param([" a ", "a\n", "a"], ["a"], id="stripped-before-comparing"),
        pytest.param(["", "  ", "\n", "a"], ["a"], id="blanks-dropped"),
        pytest.param(["a", "A"], ["a", "A"], id="case-counts"),
    ],
)
def test_distinct_reasons(reasons: list[str], distinct: list[str]) -> None:
    assert distinct_reasons(reasons) == distinct
    assert distinct_reasons(iter(reasons)) == distinct


@pytest.mark.parametrize(
    ("reasons", "joined"),
    [
        pytest.param([], "", id="none"),
        pytest.param(["", " "], "", id="blank"),
        pytest.param(["a"], "a", id="one"),
        pytest.param(["a", "b"], "a; b", id="two"),
        pytest.param(["a", "b", "c"], "a; b (and 1 more)", id="three"),
        pytest.param(["a", "b", "a", "c", "d", " d"], "a; b (and 2 more)", id="only-distinct-ones-count"),
        pytest.param(["a\nb", "c"], r"a\nb; c", id="quoted"),
        pytest.param(["\x1b[31m", "a", "\x1b[0m b"], "a; b", id="nothing-left-to-show"),
        pytest.param(["x" * 501, "y"], "x" * 500 + "...; y", id="each-cut"),
    ],
)
def test_join_reasons(reasons: list[str], joined: str) -> None:
    assert join_reasons(reasons) == joined
