"""How much of a reply is in certain languages."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rampart.evaluators._language_model import NO_LANGUAGE, probabilities
from rampart.evaluators._prose import prose_pieces, sampled

if TYPE_CHECKING:
    from collections.abc import Collection

LEAST_LETTERS = 12
"""A reply of fewer letters is in no language that anybody could be sure of."""

_SURE = 0.8
_HARDLY = 0.05
_SYLLABLE = re.compile(
    r"[\u1100-\u11ff\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\U00020000-\U0003ffff]"
)
_LETTERS_OF_A_SYLLABLE = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageShare:
    """How the letters of a reply are divided; Chinese, Japanese and Korean characters count three each.

    Attributes:
        inside: Letters in the languages asked for.
        outside: Letters in others.
        open: Letters in parts about which the model is not sure.
        strange: The longest part in another language, and that language's code; None without one.
    """

    inside: int
    outside: int
    open: int
    strange: tuple[str, str] | None

    @property
    def letters(self) -> int:
        """All letters that were looked at."""
        return self.inside + self.outside + self.open


def language_share(reply: str, codes: Collection[str], /) -> LanguageShare:
    """Judge a reply sentence by sentence, what is too short or not clear alone together, at last all of it.

    A part is in the languages if their probabilities sum to 0.8 or more, and in another one if they sum to
    0.05 or less while three others have 0.8.
    """
    pieces = prose_pieces(sampled(reply))
    inside = outside = 0
    strange: tuple[int, str, str] | None = None
    rest: list[str] = []
    for piece in pieces:
        letters = _letters(piece)
        verdict = _verdict(piece, codes) if letters >= LEAST_LETTERS else ""
        if verdict == "":
            rest.append(piece)
        elif verdict in codes:
            inside += letters
        else:
            outside += letters
            if strange is None or letters > strange[0]:
                strange = letters, piece, verdict
    unclear = _letters(" ".join(rest))
    verdict = _verdict(" ".join(rest), codes) if unclear >= LEAST_LETTERS else ""
    if not verdict and inside and not outside:  # what is open may be as all else is
        verdict = _verdict(" ".join(pieces), codes)
        verdict = verdict if verdict in codes else ""
    if verdict in codes:
        inside, unclear = inside + unclear, 0
    elif verdict:
        strange = strange or (unclear, rest[0], verdict)
        outside, unclear = outside + unclear, 0
    return LanguageShare(inside=inside, outside=outside, open=unclear, strange=strange and strange[1:])


def _letters(text: str) -> int:
    return sum(map(str.isalpha, text)) + (_LETTERS_OF_A_SYLLABLE - 1) * len(_SYLLABLE.findall(text))


def _verdict(text: str, codes: Collection[str]) -> str:
    """The language of a text: one of the codes, another one, or "" where that is not sure."""
    likely = probabilities(text)
    wanted = sum(likely.pop(code, 0.0) for code in list(codes))
    if wanted >= _SURE:
        return next(iter(codes))
    likely.pop(NO_LANGUAGE, None)
    others = sorted(likely, key=lambda code: likely[code], reverse=True)
    if wanted <= _HARDLY and sum(likely[code] for code in others[:3]) >= _SURE:
        return others[0]
    return ""
