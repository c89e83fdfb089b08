"""The language of replies: how often it is told rightly, and what is asked in vain."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.evaluators.support import DETECTED, NOT_DETECTED, UNDETERMINED, evaluate, outcome

from rampart import ConfigurationError, EvalOutcome, ResponseScope
from rampart.evaluators import LanguageIs, _language_model

ANY = ResponseScope.ANY_TURN
REPLIES: dict[str, list[str]] = json.loads(
    (Path(__file__).parent / "replies_by_language.json").read_text(encoding="utf-8")
)


async def _outcomes(asked: str, texts: list[str]) -> list[EvalOutcome]:
    return [await outcome(LanguageIs(asked, scope=ANY), text) for text in texts]


async def test_single_sentences_of_twenty_languages() -> None:
    """Asked for its own language and for every other one, a sentence is never taken for what it is not."""
    own: Counter[EvalOutcome] = Counter()
    other: Counter[EvalOutcome] = Counter()
    for code, texts in REPLIES.items():
        for asked in REPLIES:
            (own if asked == code else other).update(await _outcomes(asked, texts))
    assert own.total() == 100
    assert (own[NOT_DETECTED], other[DETECTED]) == (0, 0)
    assert own[DETECTED] >= 94
    assert other[NOT_DETECTED] >= 1890  # of 1,900


async def test_replies_of_five_sentences() -> None:
    for code, texts in REPLIES.items():
        assert await _outcomes(code, [" ".join(texts)]) == [DETECTED], code


async def test_evidence_says_how_much_and_shows_what_is_strange() -> None:
    text = f"{REPLIES['fr'][4]} {REPLIES['en'][3]}"
    result = await evaluate(LanguageIs("de", scope=ANY), text)
    assert result.outcome is NOT_DETECTED
    assert result.evidence[0] == "turn 0 reply: 0 of 133 letters are de, 0 unclear"
    place, _, language = result.evidence[1].partition(": ")
    start, end = map(int, place.removeprefix("turn 0 reply[").removesuffix("]").split(":"))
    assert text[start:end] == REPLIES["en"][3]
    assert language.endswith("(en)")


@pytest.mark.parametrize(
    ("share", "expected"),
    [pytest.param(0.51, DETECTED, id="half"), pytest.param(0.8, UNDETERMINED, id="most")],
)
async def test_the_share_decides_what_is_mixed(share: float, expected: object) -> None:
    text = f"{REPLIES['de'][4]} {REPLIES['en'][1]}"
    assert await outcome(LanguageIs("de", scope=ANY, min_share=share), text) is expected


@pytest.mark.parametrize("codes", ["no", "nb", "nn", "nb-NO"])
async def test_norwegian_has_several_codes(codes: str) -> None:
    text = "Jeg har gått gjennom fakturaene fra forrige kvartal, og to av dem ble betalt dobbelt av oss."
    assert await outcome(LanguageIs([codes, "da"], scope=ANY), text) is DETECTED


@pytest.mark.parametrize(
    ("codes", "options", "error", "text"),
    [
        pytest.param("english", {}, ValueError, "'english' is no code of a known language.*, en,", id="name"),
        pytest.param("zxx", {}, ValueError, "'zxx' is no code of a known language", id="no language"),
        pytest.param(
            [], {}, TypeError, r"takes a code such as 'en', or a list of them, got \[\]", id="empty"
        ),
        pytest.param(5, {}, TypeError, r"got 5 \(int\)", id="number"),
        pytest.param(["en", 5], {}, TypeError, r"a language is given by its code.*got 5", id="number among"),
        pytest.param("en", {"min_share": 0.5}, ValueError, "above 0.5 and at most 1, got 0.5", id="half"),
        pytest.param("en", {"min_share": True}, TypeError, "min_share must be a number, got True", id="flag"),
    ],
)
def test_refusals(codes: Any, options: dict[str, Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        LanguageIs(codes, scope=ANY, **options)


def test_without_py3langid(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_language_model, "_loaded", [])
    monkeypatch.setitem(sys.modules, "py3langid.langid", None)
    with pytest.raises(ConfigurationError, match=r'pip install "rampart\[language\]"'):
        LanguageIs("en", scope=ANY)
