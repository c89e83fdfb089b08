"""The bound on how long a pattern may take."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rampart.evaluators import _pattern_cost
from rampart.evaluators._pattern_cost import is_cheap

REPLY = "I am sorry, but I can't share what the key of this account is. " * 30


@pytest.mark.parametrize(
    ("pattern", "flags"),
    [
        (r"\b(I can(?:'|\u2019)?t|I cannot|I won(?:'|\u2019)?t)\b", re.IGNORECASE),
        (r"sk-[A-Za-z0-9]{20,}", 0),
        (r"\d{3}-\d{2}-\d{4}", 0),
        (r"password.*", re.IGNORECASE),
        (r"^$", 0),
        (r"\A\Z", 0),
    ],
)
def test_patterns_of_every_day_are_matched_on_the_spot(pattern: str, flags: int) -> None:
    assert is_cheap(re.compile(pattern, flags), REPLY)


@pytest.mark.parametrize(
    "pattern",
    [r"(?P<q>['\"])x(?P=q)", r"(z)?(?<!\w)(?=x)(?>ab|a)(?(1)x|y)?", r"x*+y{2,5}?", r"(?i:a)[^b]", "(?!)"],
)
def test_all_parts_of_patterns_are_understood(pattern: str) -> None:
    assert is_cheap(re.compile(pattern), REPLY[:200])


@pytest.mark.parametrize(
    "pattern",
    [r"^(a|a)*$", r"(a+)+b", r"(.*)(.*)(.*)(.*)x", r"(\w+\s?)*!", r"(a*)*", r"(?:a?){40}b", r"(x+x+)+y"],
)
def test_patterns_that_can_take_for_ever_are_not(pattern: str) -> None:
    assert not is_cheap(re.compile(pattern), REPLY)
    assert not is_cheap(re.compile(pattern), "a" * 60, whole=True)


def test_a_long_text_may_be_too_long_for_any_pattern() -> None:
    assert not is_cheap(re.compile("[ab]x"), "y" * 10_000_000)


@pytest.mark.parametrize(
    ("pattern", "flags", "rare", "frequent"),
    [
        ("key.*", 0, "no such word " * 300, "key" * 2000),
        ("key.*", re.IGNORECASE, "no such word " * 300, "eY" * 2000),
        ("(?:qu.*)", re.IGNORECASE, "xyz " * 1000, "qU" * 2000),
        (r"\bab.*", 0, "b " * 2000, "ab" * 2000),
        ("7.*", re.IGNORECASE, "x" * 4000, "7" * 4000),
    ],
)
def test_how_often_the_beginning_of_a_pattern_occurs_is_counted(
    pattern: str, flags: int, rare: str, frequent: str
) -> None:
    compiled = re.compile(pattern, flags)

    assert is_cheap(compiled, rare)
    assert not is_cheap(compiled, frequent)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        pytest.param("s.*x", "\u017f" * 4000, id="long-s-is-an-s"),
        pytest.param("k.*x", "\u212a" * 4000, id="kelvin-is-a-k"),
        pytest.param("i.*x", "\u0130" * 4000, id="dotted-capital-is-an-i"),
        pytest.param("\u00e9.*x", "\u00c9" * 4000, id="not-ascii"),
    ],
)
def test_letters_of_more_forms_than_two_are_not_counted(pattern: str, text: str) -> None:
    assert not is_cheap(re.compile(pattern, re.IGNORECASE), text)


@pytest.mark.parametrize("pattern", ["(?i:k)ey.*", "(?:key|lock).*", "[k]?ey.*", "(?=key).*"])
def test_only_a_plain_beginning_is_counted(pattern: str) -> None:
    assert not is_cheap(re.compile(pattern), "x" * 4000)


def test_a_pattern_that_is_not_understood_is_not_cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(re, "_parser", object())

    assert not is_cheap(re.compile("abcdefghij-unseen"), "x")


def test_looking_at_a_pattern_warns_of_nothing_again() -> None:
    with pytest.warns(FutureWarning, match="Possible nested set"):
        pattern = re.compile("[[b]c")

    assert is_cheap(pattern, "x")


def test_a_bound_is_worked_out_once() -> None:
    pattern = re.compile("once only [0-9]")
    is_cheap(pattern, "x")
    before = _pattern_cost._plan.cache_info()
    is_cheap(pattern, "y")

    assert _pattern_cost._plan.cache_info().misses == before.misses


_ATOMS = st.sampled_from(
    ["a", "b", ".", "[ab]", "[^b]", r"\w", r"\b", "^", "$", "ab", "(?:a|ab)", "(?=a)", "(?!b)"]
)
_REPEATS = st.sampled_from(["", "", "*", "+", "?", "{2,4}", "*?", "*+", "{0,30}"])


def _group(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    item = st.tuples(st.sampled_from(["(%s)", "(?:%s)", "(?>%s)", "(?:%s|b)"]), inner, _REPEATS)
    return st.lists(item.map(lambda parts: (parts[0] % parts[1]) + parts[2]), min_size=1, max_size=3).map(
        "".join
    )


@given(
    st.recursive(_ATOMS, _group, max_leaves=5),
    st.sampled_from(["a", "ab", "aab", "b", "a "]),
    st.integers(0, 5000),
    st.booleans(),
)
@settings(deadline=None, max_examples=300)
def test_what_is_called_cheap_is_quick(pattern: str, unit: str, length: int, whole: bool) -> None:
    compiled = re.compile(pattern)
    text = (unit * (length // len(unit) + 1))[:length] + "#"
    if not is_cheap(compiled, text, whole=whole):
        return
    started = time.thread_time()
    _ = compiled.fullmatch(text) if whole else compiled.search(text)

    # The promise is 5 ms; the rest is for the machine that the tests run on.
    assert time.thread_time() - started < 0.1
