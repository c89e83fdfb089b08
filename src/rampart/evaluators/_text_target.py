"""What a reply is searched for: a text, a pattern, or whatever a function says."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple, Protocol, TypeAlias

from rampart.core.own_thread import in_own_thread_async
from rampart.evaluators._pattern_match import matches_everything, search_async, search_now
from rampart.evaluators._pattern_process import PatternGaveUpError
from rampart.evaluators._predicates import refuse_coroutine_function, truth_of
from rampart.evaluators._shown import shown_error
from rampart.text.fold import fold as fold_text

Target: TypeAlias = str | re.Pattern[str] | Callable[[str], object]
Answer: TypeAlias = bool | str
"""Whether a reply matches, or why nobody can say."""

_LONGEST_KEPT = 50_000
"""Characters of a reply whose folded form is remembered for a while."""


class TextTarget(Protocol):
    """Something that a reply is searched for."""

    def look(self, text: str, /) -> Answer | None:
        """Answer at once; None where finding out may take long."""
        ...

    async def look_async(self, text: str, /) -> Answer:
        """Answer without holding up the event loop; asked only where `look` gave None."""
        ...


def text_target(given: Target, /, *, case_sensitive: bool, fold: bool, confusables: bool) -> TextTarget:
    """Make a target of what a user gave.

    Raises:
        TypeError: If it is no str, no compiled pattern for str and no plain function.
        ValueError: If it would match every reply: a text that is blank, a pattern that matches anything.
    """
    if isinstance(given, str):
        if not fold:
            return _RawText(given)
        return _FoldedText(given, case_sensitive=case_sensitive, confusables=confusables)
    if isinstance(given, re.Pattern):
        return _PatternTarget(given)
    if callable(given):
        return _FunctionTarget(given)
    msg = f"target is of type {type(given).__name__}, expected a str, a compiled pattern or a function"
    raise TypeError(msg)


class _AtOnce(ABC):
    """A target that never needs long."""

    __slots__ = ()

    @abstractmethod
    def look(self, text: str, /) -> Answer: ...

    async def look_async(self, text: str, /) -> Answer:
        return self.look(text)


class _RawText(_AtOnce):
    __slots__ = ("_needle",)

    def __init__(self, given: str) -> None:
        _refuse_blank(given, given)
        self._needle = given

    def look(self, text: str, /) -> Answer:
        return self._needle in text


class _Folding(NamedTuple):
    case_sensitive: bool
    confusables: bool

    def __call__(self, text: str, /) -> str:
        return fold_text(text, case_sensitive=self.case_sensitive, confusables=self.confusables)


@lru_cache(maxsize=32)
def _folded_once(folding: _Folding, text: str) -> str:
    """Fold a reply that a list of phrases, each an evaluator of its own, is looked for in."""
    return folding(text)


class _FoldedText:
    __slots__ = ("_folding", "_needle")

    def __init__(self, given: str, *, case_sensitive: bool, confusables: bool) -> None:
        self._folding = _Folding(case_sensitive, confusables)
        self._needle = self._folding(given)
        _refuse_blank(self._needle, given)

    def look(self, text: str, /) -> Answer | None:
        if len(text) <= _LONGEST_KEPT:
            return self._needle in _folded_once(self._folding, text)
        return self._needle in self._folding(text) if text.isascii() else None

    async def look_async(self, text: str, /) -> Answer:
        return await in_own_thread_async(lambda: self._needle in self._folding(text), name="rampart folding")


class _PatternTarget:
    __slots__ = ("_pattern",)

    def __init__(self, given: re.Pattern[str]) -> None:
        text: object = given.pattern
        if not isinstance(text, str):
            msg = f"target is a pattern for {type(text).__name__}, expected one for str: replies are text"
            raise TypeError(msg)
        if matches_everything(given):
            msg = f"target is the pattern {text!r}, which matches every reply, also an empty one"
            raise ValueError(msg)
        self._pattern = given

    def look(self, text: str, /) -> Answer | None:
        return search_now(self._pattern, text)

    async def look_async(self, text: str, /) -> Answer:
        try:
            return await search_async(self._pattern, text)
        except PatternGaveUpError as error:
            return f"matching the pattern {error}"


class _FunctionTarget(_AtOnce):
    __slots__ = ("_function",)

    def __init__(self, given: Callable[[str], object]) -> None:
        refuse_coroutine_function(given, place="target")
        self._function = given

    def look(self, text: str, /) -> Answer:
        try:
            return truth_of(self._function(text))
        except Exception as error:  # a user's function may raise anything; none of it is an answer
            return f"the target raised {shown_error(error)}"


def _refuse_blank(needle: str, given: str) -> None:
    if not needle.strip():
        msg = f"target is {given!r}, which is blank and would match every reply; expected some text"
        raise ValueError(msg)
