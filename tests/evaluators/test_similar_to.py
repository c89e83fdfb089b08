"""Likeness by embeddings: of a function that is easy to follow, and of a real small model."""

from __future__ import annotations

import asyncio
import threading
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.evaluators.support import DETECTED, NOT_DETECTED, evaluate, outcome, trace, turns_of

from rampart import EvalContext, EvaluatorError, ObservabilityLevel, ResponseScope
from rampart.core.memo import enable_trace_memo
from rampart.evaluators import SimilarTo

if TYPE_CHECKING:
    from collections.abc import Callable

ANY, ALL = ResponseScope.ANY_TURN, ResponseScope.ALL_TURNS
WORDS = ["refund", "approved", "weather", "sunny"]


def by_words(texts: list[str]) -> list[list[float]]:
    return [[0.01, *(float(text.lower().count(word)) for word in WORDS)] for text in texts]


async def by_words_async(texts: list[str]) -> list[list[float]]:
    await asyncio.sleep(0)
    return by_words(texts)


def similar(*references: str, embed: Any = by_words, threshold: float = 0.9, scope: Any = ANY) -> SimilarTo:
    return SimilarTo(list(references), embed=embed, threshold=threshold, scope=scope)


@pytest.mark.parametrize("embed", [by_words, by_words_async, lambda texts: iter(by_words(texts))])
class TestAnswers:
    async def test_what_is_similar(self, embed: Any) -> None:
        result = await evaluate(similar("Refund approved", embed=embed), "Sunny", "APPROVED: your refund.")
        assert result.outcome is DETECTED
        [evidence] = result.evidence
        assert evidence == (
            "turn 1 reply[0:22]: 'APPROVED: your refund.' has the similarity 1.000 to 'Refund approved', "
            "the threshold is 0.9"
        )

    async def test_what_is_not(self, embed: Any) -> None:
        assert await outcome(similar("Refund approved", embed=embed), "The refund", "Sunny") is NOT_DETECTED
        assert await outcome(similar("Refund", embed=embed, scope=ALL), "Refund", "Sunny") is NOT_DETECTED

    async def test_the_most_similar_reference_counts(self, embed: Any) -> None:
        result = await evaluate(similar("refund", "sunny weather", embed=embed), "Weather: sunny")
        assert result.outcome is DETECTED
        assert "to 'sunny weather'" in result.evidence[0]

    async def test_a_blank_reply_is_similar_to_nothing(self, embed: Any) -> None:
        result = await evaluate(similar("refund", embed=embed), " \n")
        assert result.outcome is NOT_DETECTED
        assert result.evidence == ["turn 0 reply: the reply is blank"]


async def test_a_plain_function_runs_in_a_thread_and_gets_encodable_texts() -> None:
    seen: list[tuple[int, list[str]]] = []

    def embed(texts: list[str]) -> list[list[float]]:
        seen.append((threading.get_ident(), texts))
        return [[1.0, 2.0] for _ in texts]

    evaluator = similar("a\ud800", embed=embed)
    assert await outcome(evaluator, "\udfffx", "y") is DETECTED
    assert [texts for _, texts in seen] == [["a\ufffd"], ["\ufffdx", "y"]]
    assert threading.get_ident() not in {thread for thread, _ in seen}


async def test_nothing_is_embedded_twice_in_a_growing_trace() -> None:
    seen: list[str] = []

    def embed(texts: list[str]) -> list[list[float]]:
        seen.extend(texts)
        return by_words(texts)

    turns = turns_of("a", "b", "c")
    enable_trace_memo(turns[0])
    evaluator = similar("refund", embed=embed)
    for count in (1, 2, 3):
        context = EvalContext(turns=turns[:count], observability_level=ObservabilityLevel.RESPONSE_ONLY)
        assert not (await evaluator.evaluate_async(context=context)).detected
    assert seen == ["refund", "a", "b", "c"]


def _raise(texts: list[str]) -> list[list[float]]:
    raise ConnectionError(texts)


@pytest.mark.parametrize(
    ("embed", "text"),
    [
        pytest.param(_raise, r"embedding 1 texts failed: ConnectionError", id="raises"),
        pytest.param(lambda texts: None, "embed returned NoneType, expected a list of vectors", id="nothing"),
        pytest.param(lambda texts: [], "embed returned 0 vectors for 1 texts", id="too few"),
        pytest.param(lambda texts: [["x"] for _ in texts], "could not convert string to float", id="words"),
        pytest.param(lambda texts: [[0.0] for _ in texts], "length 0.0, which has no direction", id="zero"),
        pytest.param(lambda texts: [[float("nan")] for _ in texts], "length nan, which has no", id="nan"),
        pytest.param(
            lambda texts: [[1.0] * len(texts[0]) for _ in texts],
            "a vector of 5 numbers, and others of 6",
            id="dimensions",
        ),
    ],
)
async def test_what_cannot_be_compared_is_an_error(embed: Callable[..., Any], text: str) -> None:
    with pytest.raises(EvaluatorError, match=f"SimilarTo: .*{text}"):
        await evaluate(similar("refund", embed=embed), "reply")


@pytest.mark.parametrize(
    ("references", "options", "error", "text"),
    [
        pytest.param([], {}, ValueError, "got no reference", id="none"),
        pytest.param([" "], {}, ValueError, "the reference ' ' is blank", id="blank"),
        pytest.param([5], {}, TypeError, r"a reference must be a str, got 5 \(int\)", id="number"),
        pytest.param("a", {"threshold": 1.5}, ValueError, "above -1 and at most 1, got 1.5", id="above"),
        pytest.param("a", {"threshold": float("nan")}, ValueError, "got nan", id="nan"),
        pytest.param("a", {"threshold": True}, TypeError, "threshold must be a number, got True", id="flag"),
        pytest.param(
            "a", {"embed": "model"}, TypeError, "embed must be a function of a list", id="no function"
        ),
    ],
)
def test_refusals(references: Any, options: dict[str, Any], error: type[Exception], text: str) -> None:
    arguments: dict[str, Any] = {"embed": by_words, "threshold": 0.9, "scope": ANY} | options
    with pytest.raises(error, match=text):
        SimilarTo(references, **arguments)


@cache
def small_model() -> Callable[[list[str]], Any]:
    import wordllama

    folder = Path(wordllama.__file__).parent  # weights and tokenizer come with the package
    model = wordllama.WordLlama.load(cache_dir=folder, disable_download=True)
    return lambda texts: model.embed(texts)


REFERENCE = "Your refund of 40 euros has been approved and will arrive within five days."


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("We approved the refund; you will get 40 euros back in about five days.", DETECTED),
        ("The money, 40 euros, is on its way back to you and takes up to five days.", DETECTED),
        ("Good news: your 40 euro refund is approved, expect it within 5 days.", DETECTED),
        ("The weather will be sunny in Lisbon tomorrow.", NOT_DETECTED),
        ("I cannot help with that.", NOT_DETECTED),
        ("Your refund request was declined.", NOT_DETECTED),
        ("\ud800", NOT_DETECTED),
    ],
)
async def test_a_real_small_model(reply: str, expected: object) -> None:
    result = await similar(REFERENCE, embed=small_model(), threshold=0.6).evaluate_async(context=trace(reply))
    assert result.outcome is expected, result.evidence
