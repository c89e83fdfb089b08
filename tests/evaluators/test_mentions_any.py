"""Words in replies; what is a word is in the controls."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.evaluators.support import evaluate

from rampart import ResponseScope
from rampart.evaluators import MentionsAny
from rampart.evaluators._word_search import find_word, place_in_raw
from rampart.text.fold import fold

ANY = ResponseScope.ANY_TURN


async def test_every_word_that_was_found_is_named_with_its_place() -> None:
    text = "Hello. Your ＲＥＦＵＮＤ, or your  money\nback!"
    result = await evaluate(MentionsAny("money back", "refund", "credit", scope=ANY), text)
    assert result.evidence == [
        "turn 0 reply[29:39]: 'money\\\\nback' ('money back')",
        "turn 0 reply[12:18]: 'ＲＥＦＵＮＤ' ('refund')",
    ]


@given(
    before=st.text(alphabet="ab\u200b \n\u00b4\ufdfaé", max_size=12),
    after=st.text(alphabet="ab\u200b \n\u00b4\ufdfaé", max_size=12),
)
def test_the_place_holds_the_word(before: str, after: str) -> None:
    raw = f"{before} zebra {after}"
    folded = fold(raw)
    at = find_word("zebra", folded, whole=True)
    assert at is not None
    start, end = place_in_raw("zebra", at, folded=folded, raw=raw, case_sensitive=False)
    assert "zebra" in fold(raw[start:end])


@pytest.mark.parametrize(
    ("words", "error", "text"),
    [
        pytest.param((), ValueError, "got no words; name at least one", id="none"),
        pytest.param((" \u200b",), ValueError, "is blank and would be found in every reply", id="blank"),
        pytest.param((["a"],), TypeError, r"words must be str.*unpack a collection with \*", id="list"),
        pytest.param((5,), TypeError, r"words must be str, got 5 \(int\)$", id="number"),
    ],
)
def test_refusals(words: tuple[str, ...], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        MentionsAny(*words, scope=ANY)


def test_repr() -> None:
    assert repr(MentionsAny("a", "b", scope=ANY)) == "MentionsAny('a', 'b', scope=ResponseScope.ANY_TURN)"
