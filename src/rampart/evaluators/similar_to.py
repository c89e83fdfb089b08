"""Detecting replies that mean about the same as a text, as an embedding function of the user measures it."""

from __future__ import annotations

import asyncio
import inspect
import math
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from rampart.core.errors import EvaluatorError
from rampart.evaluators._places import quoted_place, reply_place
from rampart.evaluators._reply_findings import Finding, ReplyEvaluator
from rampart.evaluators._shown import shown_error, shown_value
from rampart.text.encodable import encodable

if TYPE_CHECKING:
    from rampart.core.types import Turn
    from rampart.evaluators.response_scope import ResponseScope

Vectors: TypeAlias = Sequence[Sequence[float]]
Embed: TypeAlias = Callable[[list[str]], Vectors] | Callable[[list[str]], Awaitable[Vectors]]

_Vector: TypeAlias = tuple[float, ...]


class SimilarTo(ReplyEvaluator):
    """Detected when replies are similar to a reference text, by the cosine of their embeddings.

    What a similarity means depends on the model: measure a threshold on replies that you have labelled.
    Embeddings are about topics more than about truth: "is approved" and "is not approved" are similar.

    Args:
        references: The text, or several of which the most similar one counts.
        embed: Gives a vector for each of a list of texts: a list, or an array, of numbers. A plain function
            runs in a thread, a coroutine function on the event loop. Lone surrogates are replaced
            beforehand. What it raises, and vectors that cannot be compared, end in an EvaluatorError.
        threshold: The least cosine that counts as similar, above -1 and at most 1.
        scope: Which replies have to be similar. A blank reply is similar to nothing.

    Raises:
        TypeError: If an argument is of another type.
        ValueError: If there is no reference, one is blank, or the threshold is out of range.
    """

    _wanted = "is similar to the reference"

    def __init__(
        self,
        references: str | list[str] | tuple[str, ...],
        /,
        *,
        embed: Embed,
        threshold: float,
        scope: ResponseScope,
    ) -> None:
        super().__init__(scope)
        self.persistence = (False, False)  # who knows whether a model answers the same tomorrow
        self._references = _checked_references(references)
        self._threshold = _checked_threshold(threshold)
        if not callable(embed):
            msg = f"embed must be a function of a list of texts, got {shown_value(embed)}"
            raise TypeError(msg)
        self._embed = embed
        self._known: list[_Vector] | None = None

    def __repr__(self) -> str:
        """The references, the threshold and the scope."""
        shown = ", ".join(map(shown_value, self._references))
        return f"SimilarTo([{shown}], threshold={self._threshold}, scope={self._scope})"

    def _judge(self, turn: Turn) -> Finding:
        raise NotImplementedError  # replies are embedded together

    async def _judge_all_async(self, turns: list[Turn]) -> list[Finding]:
        said = [turn for turn in turns if turn.response.text.strip()]
        texts = [encodable(turn.response.text) for turn in said]
        if self._known is None:
            self._known = await self._embedded_async(self._references)
        embedded = await self._embedded_async(texts) if texts else []
        vectors = iter(embedded)
        return [
            self._compared(turn, next(vectors)) if turn.response.text.strip() else _blank(turn)
            for turn in turns
        ]

    def _compared(self, turn: Turn, vector: _Vector) -> Finding:
        similarities = [_cosine(vector, reference) for reference in self._known or []]
        best = max(similarities)
        text = turn.response.text
        reference = shown_value(self._references[similarities.index(best)])
        seen = quoted_place(reply_place(turn).at(0, len(text)), text)
        evidence = (
            f"{seen} has the similarity {best:.3f} to {reference}, the threshold is {self._threshold:g}"
        )
        return Finding(matches=best >= self._threshold, evidence=(evidence,))

    async def _embedded_async(self, texts: list[str]) -> list[_Vector]:
        try:
            if inspect.iscoroutinefunction(self._embed):
                answer: object = self._embed(list(texts))
            else:
                answer = await asyncio.to_thread(self._embed, list(texts))
            if inspect.isawaitable(answer):
                answer = await answer
            return _checked_vectors(answer, count=len(texts), like=self._known)
        except Exception as error:
            msg = f"SimilarTo: embedding {len(texts)} texts failed: {shown_error(error)}"
            raise EvaluatorError(msg) from error


def _blank(turn: Turn) -> Finding:
    return Finding(matches=False, evidence=(f"{reply_place(turn)}: the reply is blank",))


def _cosine(one: _Vector, other: _Vector) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def _checked_vectors(answer: object, *, count: int, like: list[_Vector] | None) -> list[_Vector]:
    """The vectors at length 1.

    Raises:
        TypeError: If they are no vectors of numbers.
        ValueError: If their number or their dimension is another, or one has no direction.
    """
    if not isinstance(answer, Iterable):
        msg = f"embed returned {type(answer).__name__}, expected a list of vectors"
        raise TypeError(msg)
    vectors = [tuple(map(float, vector)) for vector in answer]
    if len(vectors) != count:
        msg = f"embed returned {len(vectors)} vectors for {count} texts"
        raise ValueError(msg)
    dimension = len((like or vectors)[0])
    return [_normalised(vector, dimension) for vector in vectors]


def _normalised(vector: _Vector, dimension: int) -> _Vector:
    if len(vector) != dimension:
        msg = f"embed returned a vector of {len(vector)} numbers, and others of {dimension}"
        raise ValueError(msg)
    length = math.hypot(*vector)
    if not (math.isfinite(length) and length > 0):
        msg = f"embed returned a vector of length {length}, which has no direction"
        raise ValueError(msg)
    return tuple(number / length for number in vector)


def _checked_references(given: object) -> list[str]:
    listed: list[object] = list(given) if isinstance(given, list | tuple) else [given]
    references: list[str] = []
    for one in listed:
        if not isinstance(one, str):
            msg = f"a reference must be a str, got {shown_value(one)} ({type(one).__name__})"
            raise TypeError(msg)
        if not one.strip():
            msg = f"the reference {one!r} is blank; expected some text"
            raise ValueError(msg)
        references.append(encodable(one))
    if not references:
        msg = "SimilarTo got no reference; expected a text or several"
        raise ValueError(msg)
    return references


def _checked_threshold(given: object) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float):
        msg = f"threshold must be a number, got {shown_value(given)} ({type(given).__name__})"
        raise TypeError(msg)
    if not (math.isfinite(given) and -1 < given <= 1):
        msg = f"threshold must be a cosine above -1 and at most 1, got {given}"
        raise ValueError(msg)
    return float(given)
