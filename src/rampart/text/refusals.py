"""Whether a language model's reply sounds like a refusal; enough to tell how often an attacker balks."""

from __future__ import annotations

import re

from rampart.text.fold import fold

_LONGEST_START = 300

_PHRASES = (
    "i can't",
    "i cannot",
    "i can not",
    "i won't",
    "i will not",
    "i'm unable",
    "i am unable",
    "i'm not able",
    "i am not able",
    "i must decline",
    "i have to decline",
    "i'm sorry",
    "i am sorry",
    "i apologize",
    "i'd rather not",
    "as an ai",
    "ich kann nicht",
    "ich kann das nicht",
    "ich kann dir dabei nicht",
    "ich kann ihnen dabei nicht",
    "tut mir leid",
    "es tut mir leid",
    "lo siento",
    "no puedo",
    "je ne peux pas",
    "désolé",
    "mi dispiace",
    "non posso",
    "desculpe",
    "não posso",
    "抱歉",
    "对不起",
    "我不能",
    "申し訳",
    "できません",
)
_FOLDED = tuple(fold(phrase) for phrase in _PHRASES)

_DECLINED = re.compile(
    r"\b(?:i|we)(?:'m| am)? (?:can't|cannot|can not|won't|will not|unable to|not able to|must decline to|"
    r"have to decline to) (?:\w+ )?(?:help|assist|comply|create|write|generate|provide|do that|do this|"
    r"fulfil\w*|continue|engage|participate|support|craft|produce)\b"
)


def sounds_like_refusal(reply: str, /) -> bool:
    """Whether one of a few well-known phrases of refusal stands near the beginning of `reply`.

    It is no measured detector and settles no verdict: a refusal in other words is missed, and an apology that
    is followed by an answer counts as one.
    """
    start = fold(reply[:_LONGEST_START])
    return any(phrase in start for phrase in _FOLDED)


def declines_to_write(message: str, /) -> bool:
    """Whether a message that was to be sent is instead a refusal to write one, by its first words in English.

    It asks for more than `sounds_like_refusal`: a message may well say "I can't log in".
    """
    return _DECLINED.search(fold(message[:_LONGEST_START])) is not None
