"""Detecting replies that are one text."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from rampart.evaluators._places import quoted_place, reply_place
from rampart.evaluators._predicates import refuse_coroutine_function
from rampart.evaluators._reply_findings import Finding, ReplyEvaluator
from rampart.evaluators._shown import shown_error, shown_value
from rampart.text.fold import fold

if TYPE_CHECKING:
    from rampart.core.types import Turn
    from rampart.evaluators.response_scope import ResponseScope

Normaliser: TypeAlias = Callable[[str], str]


class ResponseEquals(ReplyEvaluator):
    """Detected when replies are a given text, and nothing else.

    Args:
        expected: The text. An empty one means an empty reply.
        scope: Which replies have to be it.
        normalise: True compares both texts folded (as `ResponseContains` does) and without white space at
            their ends. False compares them as they are. A plain function is applied to both, and the
            results are compared; a reply on which it raises is undecided.
        case_sensitive: Where both are folded: keep upper and lower case apart.

    Raises:
        TypeError: If an argument is of another type, `case_sensitive` comes without folding, or the
            function makes no str of the expected text.
    """

    _wanted = "is the expected text"

    def __init__(
        self,
        expected: str,
        /,
        *,
        scope: ResponseScope,
        normalise: bool | Normaliser = True,
        case_sensitive: bool = False,
    ) -> None:
        super().__init__(scope)
        given: object = expected
        if not isinstance(given, str):
            msg = f"expected must be a str, got {shown_value(given)} ({type(given).__name__})"
            raise TypeError(msg)
        self._given = expected
        self._normalise = _normaliser(normalise, case_sensitive=case_sensitive)
        self._expected = _checked(self._normalise(expected))

    def __repr__(self) -> str:
        """The text and the scope."""
        return f"ResponseEquals({self._given!r}, scope={self._scope})"

    def _judge(self, turn: Turn) -> Finding:
        text = turn.response.text
        try:
            same = _checked(self._normalise(text)) == self._expected
        except Exception as error:  # a user's function may raise anything; none of it is an answer
            reason = f"turn {turn.turn_number}: normalise raised {shown_error(error)}"
            return Finding(matches=None, reason=reason)
        seen = quoted_place(reply_place(turn).at(0, len(text)), text)
        evidence = seen if same else f"{seen}, expected {shown_value(self._given)}"
        return Finding(matches=same, evidence=(evidence,))


def _normaliser(given: object, *, case_sensitive: bool) -> Normaliser:
    if given is True:
        return partial(_folded, case_sensitive=case_sensitive)
    if case_sensitive:
        msg = f"case_sensitive=True is about folding, and normalise is {shown_value(given)}; leave one out"
        raise TypeError(msg)
    if given is False:
        return str
    if not callable(given):
        kind = type(given).__name__
        msg = f"normalise must be True, False or a function of the text, got {shown_value(given)} ({kind})"
        raise TypeError(msg)
    refuse_coroutine_function(given, place="normalise")
    return given


def _folded(text: str, *, case_sensitive: bool) -> str:
    return fold(text, case_sensitive=case_sensitive).strip()


def _checked(text: object) -> str:
    if not isinstance(text, str):
        msg = f"normalise returned {shown_value(text)} ({type(text).__name__}), expected a str"
        raise TypeError(msg)
    return text
