"""What of a language model's replies can serve as variants of a question."""

from __future__ import annotations

from inspect import isawaitable
from typing import TYPE_CHECKING

from rampart.probes.variant import Variant
from rampart.text.encodable import encodable
from rampart.text.fold import fold
from rampart.text.json_objects import json_objects_in

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from rampart.probes.variant import VariantKind

_LONGER_AT_MOST = 10
_LEAST_ROOM = 2_000


class VariantSieve:
    """Keeps what is valid of the replies to one request.

    Attributes:
        found: What was valid so far.
        problem: What was wrong with the last reply.
    """

    def __init__(
        self,
        prompt: str,
        *,
        kind: VariantKind,
        language: str | None,
        others: Sequence[Variant],
        keeps_meaning: Callable[[str, Variant], bool | Awaitable[bool]] | None,
    ) -> None:
        self._prompt = prompt
        self._kind = kind
        self._language = language
        self._keeps_meaning = keeps_meaning
        self._original = fold(prompt).strip()
        self._seen = {fold(one.prompt).strip() for one in others}
        self._room = max(_LEAST_ROOM, _LONGER_AT_MOST * len(prompt))
        self.found: list[Variant] = []
        self.problem = ""

    async def take_async(self, reply: str, count: int) -> None:
        """Take over what is valid, until there are `count`."""
        texts = _texts_in(reply)
        if texts is None:
            self.problem = (
                'it holds no JSON object with a list of texts as "variants"'
                if reply.strip()
                else "it was empty"
            )
            return
        problems = [await self._problem_async(text, count) for text in texts]
        told = [problem for problem in problems if problem]
        self.problem = told[0] if told else f"it holds {len(texts)} versions"

    async def _problem_async(self, text: str, count: int) -> str:
        """Keep one text if it is valid; else say what is wrong with it."""
        if len(self.found) == count:
            return ""
        folded = fold(text).strip()
        if not folded:
            return "a version is blank"
        if len(text) > self._room:
            return f"a version is longer than {self._room} characters"
        if folded == self._original:
            return "a version is the original question"
        if folded in self._seen:
            return "a version is there already"
        variant = Variant(
            prompt=encodable(text.strip()), kind=self._kind, language=self._language, generated=True
        )
        if not await self._means_the_same_async(variant):
            return "a version does not mean the same as the original"
        self._seen.add(folded)
        self.found.append(variant)
        return ""

    async def _means_the_same_async(self, variant: Variant) -> bool:
        if self._keeps_meaning is None:
            return True
        answer: object = self._keeps_meaning(self._prompt, variant)
        if isawaitable(answer):
            answer = await answer
        if not isinstance(answer, bool):
            msg = f"keeps_meaning returned {type(answer).__name__}, expected True or False"
            raise TypeError(msg)
        return answer


def _texts_in(reply: str) -> list[str] | None:
    """The texts in the last object that has them; an earlier one may be a draft."""
    for written in reversed(json_objects_in(reply)):
        texts: object = written.get("variants")
        if isinstance(texts, list) and texts and all(isinstance(text, str) for text in texts):
            return texts
    return None
