"""Detecting the language of the agent's replies."""

from __future__ import annotations

import asyncio
import math
from typing import TYPE_CHECKING

from rampart.evaluators._language_model import known_code
from rampart.evaluators._language_share import LEAST_LETTERS, LanguageShare, language_share
from rampart.evaluators._places import quoted_place, reply_place
from rampart.evaluators._reply_findings import Finding, ReplyEvaluator
from rampart.evaluators._shown import shown_value

if TYPE_CHECKING:
    from rampart.core.types import Turn
    from rampart.evaluators.response_scope import ResponseScope


class LanguageIs(ReplyEvaluator):
    """Detected when replies are in a language, or in one of several.

    Needs the extra `language`: py3langid, whose model of 130 languages comes with it and works offline. Code,
    addresses and names of variables are not looked at. A reply of fewer than 12 letters (a Chinese, Japanese
    or Korean character counts three) and one that mixes languages are undecided. Of a reply of more than
    60,000 characters thirty parts are looked at.

    Args:
        codes: The language by its code of ISO 639-1, such as `de` (a region is ignored), or several, of
            which any will do.
        scope: Which replies have to be in it.
        min_share: The share of a reply's letters, above 0.5 and at most 1, that makes it one in the
            language. At most 1 - `min_share` makes it one that is not; between the two it is mixed. Parts
            about which the model is not sure may be either.

    Raises:
        TypeError: If an argument is of another type.
        ValueError: If the language is not known, or the share out of range.
        ConfigurationError: If py3langid is not installed.
    """

    _wanted = "is in the language"

    def __init__(
        self, codes: str | list[str] | tuple[str, ...], /, *, scope: ResponseScope, min_share: float = 0.8
    ) -> None:
        super().__init__(scope)
        given: object = codes
        if not isinstance(given, str | list | tuple) or not given:
            kind = type(given).__name__
            msg = (
                f"LanguageIs takes a code such as 'en', or a list of them, got {shown_value(given)} ({kind})"
            )
            raise TypeError(msg)
        listed = [given] if isinstance(given, str) else given
        self._codes = list(dict.fromkeys(map(known_code, listed)))
        self._min_share = _checked_share(min_share)

    def __repr__(self) -> str:
        """The languages and the scope."""
        return f"LanguageIs({self._codes!r}, scope={self._scope})"

    async def _judge_all_async(self, turns: list[Turn]) -> list[Finding]:
        return [await asyncio.to_thread(self._judge, turn) for turn in turns]

    def _judge(self, turn: Turn) -> Finding:
        text = turn.response.text
        share = language_share(text, self._codes)
        place = reply_place(turn)
        wanted = " or ".join(self._codes)
        if share.letters < LEAST_LETTERS:
            reason = (
                f"{place} has {share.letters} letters, at least {LEAST_LETTERS} are needed to tell a language"
            )
            return Finding(matches=None, reason=reason)
        seen = f"{place}: {share.inside} of {share.letters} letters are {wanted}, {share.open} unclear"
        evidence = (seen, *_strange(turn, text, share))
        if share.inside >= self._min_share * share.letters:
            return Finding(matches=True, evidence=evidence)
        if share.inside + share.open <= (1 - self._min_share) * share.letters:
            return Finding(matches=False, evidence=evidence)
        return Finding(matches=None, evidence=evidence, reason=f"mixed or unclear: {seen}")


def _strange(turn: Turn, text: str, share: LanguageShare) -> tuple[str, ...]:
    if share.strange is None:
        return ()
    piece, code = share.strange
    start = text.find(piece)
    place = reply_place(turn) if start < 0 else reply_place(turn).at(start, start + len(piece))
    return (f"{quoted_place(place, piece)} ({code})",)


def _checked_share(given: object) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float):
        msg = f"min_share must be a number, got {shown_value(given)} ({type(given).__name__})"
        raise TypeError(msg)
    if not (math.isfinite(given) and 0.5 < given <= 1):
        msg = f"min_share must be above 0.5 and at most 1, got {given}"
        raise ValueError(msg)
    return float(given)
