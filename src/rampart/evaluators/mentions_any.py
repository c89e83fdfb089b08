"""Detecting words in the agent's replies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rampart.evaluators._places import quoted_place, reply_place
from rampart.evaluators._reply_findings import Finding, ReplyEvaluator
from rampart.evaluators._shown import shown_value
from rampart.evaluators._word_search import find_word, place_in_raw
from rampart.text.fold import fold

if TYPE_CHECKING:
    from rampart.core.types import Turn
    from rampart.evaluators.response_scope import ResponseScope


class MentionsAny(ReplyEvaluator):
    """Detected when replies mention one of some words or phrases.

    Words and replies are compared folded, as `ResponseContains` does it. `cat` is not mentioned in
    `category`, `cat5` or `big_cat`, but in `cat's` and `cat-like`. Chinese, Japanese, Thai, Lao, Khmer and
    Burmese have no spaces between words, so words in their scripts are found anywhere (Katakana: not inside
    a longer run of Katakana); Korean words may have particles behind them. Inflected forms (`cats`) are
    other words, and so are Arabic and Hebrew words with a prefix: name them, or give `whole_words=False`.

    Args:
        words: What is looked for; one is enough.
        scope: Which replies have to mention one.
        whole_words: False finds words as parts of others too.
        case_sensitive: Keep upper and lower case apart.

    Raises:
        TypeError: If a word is no str, or the scope no ResponseScope.
        ValueError: If there are no words, or one is blank.
    """

    _wanted = "mentions one of the words"

    def __init__(
        self, *words: str, scope: ResponseScope, whole_words: bool = True, case_sensitive: bool = False
    ) -> None:
        super().__init__(scope)
        self._given = words
        self._whole = whole_words
        self._case_sensitive = case_sensitive
        self._words = [(word, self._folded(word)) for word in _checked(words)]
        for word, folded in self._words:
            if not folded:
                msg = f"the word {word!r} is blank and would be found in every reply; expected some text"
                raise ValueError(msg)

    def __repr__(self) -> str:
        """The words and the scope."""
        return f"MentionsAny({', '.join(map(shown_value, self._given))}, scope={self._scope})"

    def _folded(self, word: str) -> str:
        return fold(word, case_sensitive=self._case_sensitive).strip()

    def _judge(self, turn: Turn) -> Finding:
        raw = turn.response.text
        text = fold(raw, case_sensitive=self._case_sensitive)
        evidence = []
        for word, folded in self._words:
            at = find_word(folded, text, whole=self._whole)
            if at is None:
                continue
            start, end = place_in_raw(folded, at, folded=text, raw=raw, case_sensitive=self._case_sensitive)
            seen = quoted_place(reply_place(turn).at(start, end), raw[start:end])
            evidence.append(f"{seen} ({shown_value(word)})")
        return Finding(matches=bool(evidence), evidence=tuple(evidence))


def _checked(words: tuple[object, ...]) -> list[str]:
    if not words:
        msg = "MentionsAny got no words; name at least one: MentionsAny('refund', 'money back', scope=...)"
        raise ValueError(msg)
    checked: list[str] = []
    for word in words:
        if not isinstance(word, str):
            hint = "; unpack a collection with *" if isinstance(word, list | tuple | set) else ""
            msg = f"words must be str, got {shown_value(word)} ({type(word).__name__}){hint}"
            raise TypeError(msg)
        checked.append(word)
    return list(dict.fromkeys(checked))
