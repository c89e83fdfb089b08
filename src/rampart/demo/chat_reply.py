"""The reply of a chat model, in the form that OpenAI-compatible servers give it."""

from collections.abc import Mapping
from typing import Any

from rampart.text.oneline import quote


def reply_text(answer: Any) -> str:
    """Take the text out of an OpenAI-style chat completion.

    Raises:
        ValueError: If there is none in it; the text says what was there instead.
    """
    if isinstance(answer, Mapping) and "error" in answer:
        error = answer["error"]
        raise ValueError(str(error.get("message", error) if isinstance(error, Mapping) else error))
    try:
        text = answer["choices"][0]["message"]["content"]
    except (KeyError, IndexError, TypeError):
        text = None
    if not isinstance(text, str):
        raise ValueError(f"no choices[0].message.content in the reply: {quote(str(answer), limit=200)}")
    return text
