"""Changes of state: what counts, what is shown, and what nobody can know; more is in the controls."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.evaluators.support import DETECTED, FULL, NOT_DETECTED, UNDETERMINED, turns_of

from rampart import EvalContext, EvalResult, Response
from rampart.core.evaluator import detected_is_absorbing
from rampart.core.memo import enable_trace_memo
from rampart.evaluators import MISSING, Channel, StateChanged, StateEquals, StateUnchanged, _state_evaluator
from rampart.evaluators._path_globs import PathGlobs
from rampart.evaluators._state_changes import changes

FIVE: Any = 5
NONE = PathGlobs(None, what="path")


def context(*entries: Any, source: str = "s") -> EvalContext:
    replies = [Response(text="", metadata={"state": {source: entry}}) for entry in entries]
    return EvalContext(turns=turns_of(*replies), observability_level=FULL)


async def ask(evaluator: Any, *entries: Any) -> EvalResult:
    result: EvalResult = await evaluator.evaluate_async(context=context(*entries))
    return result


def became(before: Any, after: Any) -> dict[str, Any]:
    return {"before": before, "after": after}


class TestEvidence:
    @pytest.mark.parametrize(
        ("before", "after", "shown"),
        [
            ({"a": {"b": [1, 2]}}, {"a": {"b": [1, 3]}}, "a.b[1]: 2 became 3"),
            ({}, {"a": "x"}, "a: added 'x'"),
            ({"a": "x"}, {}, "a: removed, was 'x'"),
            (1, 2, "as a whole: 1 became 2"),
            ({"n.txt": "a\nb\nc"}, {"n.txt": "a\nB\nc"}, "n.txt: line 2: -'b' +'B'"),
            ({"n.txt": "a\n"}, {"n.txt": "a\nb\n"}, "n.txt: line 2: +'b'"),
            ({"n.txt": "a\nb"}, {"n.txt": "a\nb\n"}, "n.txt: 'a\\nb' became 'a\\nb\\n'"),
            (
                {"n.txt": "\n".join("abcdefgh")},
                {"n.txt": "x"},
                "n.txt: line 1: -'a' -'b' -'c' +'x' and 5 lines more",
            ),
            ({"a\n\x1b[31mb": 1}, {"a\n\x1b[31mb": 2}, "a\\nb: 1 became 2"),
        ],
    )
    async def test_a_change_is_readable(self, before: Any, after: Any, shown: str) -> None:
        result = await ask(StateChanged("s"), became(before, after))
        assert result.evidence[0] == f"turn 0 state 's' {shown}"

    async def test_it_is_cut(self) -> None:
        many = became({}, {f"k{n}": "x" * 10_000 for n in range(1000)})
        result = await ask(StateChanged("s"), many)
        assert len(result.evidence) == 20
        assert max(map(len, result.evidence)) < 300

    async def test_what_was_expected_is_named(self) -> None:
        result = await ask(StateEquals("s", {"a": 1, "b": 2}), {"after": {"a": 1, "c": 3}})
        assert result.evidence == [
            "turn 0 state 's' c: 3, expected nothing",
            "turn 0 state 's' b: nothing, expected 2",
        ]


class TestPaths:
    @pytest.mark.parametrize(
        ("glob", "path", "covered"),
        [
            ("a", "a", True),
            ("a", "a.b", True),
            ("a", "a[0]", True),
            ("a", "a/b", True),
            ("a", "ab", False),
            ("a.b", "a", False),
            ("notes/", "notes/x.txt", True),
            ("notes/*.txt", "notes/a/b.txt", True),
            ("notes/*.txt", "notes/b.txtx", False),
            ("*.at", "a[3].at", True),
            ("*.at", "a.attic", False),
            ("*.at", "a.attic.at", True),
            ("*", "anything", True),
            ("a*b*c", "a-b-b-c", True),
            ("a*b*c", "a-c-b", False),
            ("a[0]", "a[0].b", True),
            ("a[0]", "a[00]", False),
        ],
    )
    def test_cover(self, glob: str, path: str, covered: bool) -> None:
        assert PathGlobs(glob, what="path").cover(path) is covered

    def test_many_stars_take_no_time(self) -> None:
        started = time.perf_counter()
        assert not PathGlobs("*a" * 50 + "!", what="path").cover("a" * 100_000)
        assert time.perf_counter() - started < 1


class TestExpect:
    CANCELLED = became({"o": {"status": "open"}}, {"o": {"status": "cancelled"}})

    async def test_a_function(self) -> None:
        assert (await ask(StateChanged("s", expect=lambda v: v.startswith("can")), self.CANCELLED)).detected
        assert not (await ask(StateChanged("s", expect=lambda v: v == "open"), self.CANCELLED)).detected

    async def test_a_function_that_raises_has_not_answered(self) -> None:
        result = await ask(StateChanged("s", expect=lambda v: v["x"]), self.CANCELLED)
        assert result.outcome is UNDETERMINED
        assert "o.status: 'open' became 'cancelled': expect raised TypeError" in result.rationale

    async def test_what_is_gone(self) -> None:
        assert (await ask(StateChanged("s", expect=MISSING), became({"a": 1}, {}))).detected
        assert not (await ask(StateChanged("s", expect=MISSING), self.CANCELLED)).detected


class TestWhatIsNotKnown:
    async def test_each_reason_is_given_once(self) -> None:
        result = await ask(StateUnchanged("s"), became(1, 1), {"error": "no snapshot: OSError"}, {"after": 1})
        assert result.outcome is UNDETERMINED
        assert result.undetermined_operands == [
            "state 's' is not known on turns 1, 2: no snapshot: OSError",
        ]

    async def test_the_sources_there_are_are_named(self) -> None:
        trace = context(became(1, 1), source="orders")
        result = await StateChanged("order").evaluate_async(context=trace)
        assert "turn 0: the turn holds no snapshots of it, only of orders" in result.rationale

    async def test_where_snapshots_come_from_is_said(self) -> None:
        trace = EvalContext(turns=turns_of("hello"), observability_level=FULL)
        result = await StateChanged("s").evaluate_async(context=trace)
        assert "rampart.adapters.with_state takes them" in result.rationale

    @pytest.mark.parametrize("entry", [None, 5, "x", []])
    async def test_what_is_no_snapshot(self, entry: Any) -> None:
        assert (await ask(StateChanged("s"), entry)).outcome is UNDETERMINED
        assert (await ask(StateEquals("s", 1), entry)).outcome is UNDETERMINED


class Unequal:
    """What no comparison survives."""

    def __eq__(self, other: object) -> bool:
        msg = "no comparison"
        raise RuntimeError(msg)


def around_itself() -> dict[str, Any]:
    held: dict[str, Any] = {}
    held["a"] = [held]
    return held


class TestWhatCannotBeCompared:
    @pytest.mark.parametrize(
        "evaluator", [StateChanged("s"), StateUnchanged("s"), StateEquals("s", {"a": 1})]
    )
    @pytest.mark.parametrize(
        ("entry", "why"),
        [
            pytest.param(became({}, around_itself()), "a[0] holds what it stands in", id="holds itself"),
            pytest.param(became({"a": 1}, {"a": Unequal()}), "RuntimeError: no comparison", id="raises"),
        ],
    )
    async def test_is_undetermined(self, evaluator: Any, entry: Any, why: str) -> None:
        result = await ask(evaluator, entry)
        assert result.outcome is UNDETERMINED
        assert "turn 0 state 's' cannot be compared" in result.rationale
        assert why in result.rationale

    async def test_a_part_that_stands_in_two_places_is_fine(self) -> None:
        part = {"x": 1}
        result = await ask(
            StateEquals("s", {"a": {"x": 1}, "b": {"x": 1}}), became({}, {"a": part, "b": part})
        )
        assert result.outcome is DETECTED


class TestMisuse:
    @pytest.mark.parametrize(
        ("make", "error", "text"),
        [
            (lambda: StateChanged(FIVE), TypeError, "source must be the name of a state, got 5"),
            (lambda: StateChanged(" "), ValueError, "source is ' ', expected the name under which"),
            (
                lambda: StateChanged("s", path=FIVE),
                TypeError,
                r"path must be a path or several, got 5 \(int\)",
            ),
            (lambda: StateUnchanged("s", ignore=""), ValueError, "ignore is blank; expected a path such as"),
            (lambda: StateUnchanged("s", ignore=[]), ValueError, "ignore is empty; leave it out"),
            (lambda: StateEquals("s", lambda s: s), TypeError, "StateChanged takes one as expect"),
        ],
    )
    def test_is_refused(self, make: Any, error: type[Exception], text: str) -> None:
        with pytest.raises(error, match=text):
            make()

    def test_a_coroutine_function_is_refused(self) -> None:
        async def wait(value: object) -> None: ...

        with pytest.raises(TypeError, match="expect is a coroutine function"):
            StateChanged("s", expect=wait)


def test_declarations() -> None:
    assert StateChanged("s").channels == {Channel.STATE}
    assert detected_is_absorbing(StateChanged("s"))
    assert detected_is_absorbing(~StateUnchanged("s"))
    assert not detected_is_absorbing(StateUnchanged("s"))
    assert not detected_is_absorbing(StateEquals("s", 1))
    assert repr(StateChanged("s", path="a", expect=1)) == "StateChanged('s', path=['a'], expect=1)"


async def test_turns_are_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[Any] = []

    def counting(before: Any, after: Any, **options: Any) -> Any:
        looked.append(after)
        return changes(before, after, **options)

    monkeypatch.setattr(_state_evaluator, "changes", counting)
    full = context(became({"n": 0}, {"n": 0}), *({"after": {"n": 0}} for _ in range(4)))
    enable_trace_memo(full.turns[0])
    evaluator = StateUnchanged("s")
    for count in range(1, 6):
        part = EvalContext(turns=full.turns[:count], observability_level=FULL)
        assert (await evaluator.evaluate_async(context=part)).outcome is DETECTED
    assert len(looked) == 5
    full.turns[2].response.metadata["state"]["s"] = {"after": {"n": 1}}
    assert (await evaluator.evaluate_async(context=full)).outcome is NOT_DETECTED


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(JSON, JSON)
def test_a_state_differs_from_another_and_not_from_itself(one: Any, other: Any) -> None:
    assert list(changes(one, one, path=NONE, ignore=NONE)) == []
    there = list(changes(one, other, path=NONE, ignore=NONE))
    back = list(changes(other, one, path=NONE, ignore=NONE))
    assert sorted((repr(c.path), repr(c.before), repr(c.after)) for c in there) == sorted(
        (repr(c.path), repr(c.after), repr(c.before)) for c in back
    )
    if one != other and repr(one) != repr(other):
        assert there


@pytest.mark.parametrize("size", [1000, 5000])
async def test_states_nested_deep(size: int) -> None:
    def deep(bottom: Any) -> Any:
        value = bottom
        for _ in range(size):
            value = [value]
        return value

    assert (await ask(StateChanged("s"), became(deep(1), deep(2)))).outcome is DETECTED
    assert (await ask(StateEquals("s", deep(1)), {"after": deep(1)})).outcome is DETECTED


async def test_large_states() -> None:
    before = {str(n): {"text": "x" * 50, "n": n} for n in range(20_000)}
    after = {**before, "7": {"text": "x" * 50, "n": 8}}
    result = await ask(StateChanged("s", ignore="*.text"), became(before, after))
    assert result.evidence == ["turn 0 state 's' 7.n: 7 became 8"]
