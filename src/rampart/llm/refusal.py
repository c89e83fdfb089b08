"""What a service says when it refuses a call."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from rampart.text.oneline import quote

_SHOWN = 300
_TITLE = re.compile("<title", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """An error body, understood as far as it goes.

    Attributes:
        text: What it says, on one line, without secrets.
        code: Its code, such as `rate_limit_exceeded`; empty where there is none.
    """

    text: str
    code: str = ""


def refusal_of(body: str) -> Refusal:
    """Read an error body: JSON in one of the forms in use, a page, or plain text."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return Refusal(text=_plain(body))
    error = value.get("error", value) if isinstance(value, dict) else value
    if not isinstance(error, dict):
        return Refusal(text=quote(error if isinstance(error, str) else body, limit=_SHOWN))
    message = next((error[key] for key in ("message", "detail") if error.get(key)), body)
    shown = message if isinstance(message, str) else json.dumps(message, ensure_ascii=False)
    return Refusal(text=quote(shown, limit=_SHOWN), code=_code(error))


def _code(error: dict[str, Any]) -> str:
    """The most telling code; Azure puts one of its own around that of the model."""
    inner = error.get("innererror")
    codes = [inner.get("code") if isinstance(inner, dict) else None, error.get("code"), error.get("type")]
    return next((str(code) for code in codes if code is not None and code != ""), "")


def _plain(body: str) -> str:
    if not body.strip():
        return "no text"
    if body.lstrip().startswith("<"):
        title = quote(_title(body), limit=100)
        return f"an HTML page titled '{title}'" if title else "an HTML page"
    return quote(body.strip(), limit=_SHOWN)


def _title(page: str) -> str:
    """The title of a page, which may be any text: each step looks at it once, and no key is cut in two."""
    begun = _TITLE.search(page)
    if begun is None:
        return ""
    return page[begun.end() :].partition(">")[2].partition("<")[0].strip()
