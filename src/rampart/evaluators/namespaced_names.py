"""A tool's name under the prefixes that agent frameworks put before it."""

from __future__ import annotations

import re

_PREFIX = r"(?:.+(?:__|[./-]))?"


def namespaced(tool_name: str, /) -> re.Pattern[str]:
    """The pattern for `tool_name`, alone or after a prefix that ends in `__`, `.`, `/` or `-`.

    For `send_email` these are `send_email`, `mcp__mail__send_email`, `mail.send_email`,
    `mail/send_email` and `mail-send_email`; `resend_email` is another tool.

    Raises:
        TypeError: If the name is no str.
        ValueError: If the name is empty or blank.
    """
    given: object = tool_name
    if not isinstance(given, str):
        msg = f"tool_name is of type {type(given).__name__}, expected a str"
        raise TypeError(msg)
    if not given.strip():
        msg = f"tool_name is {given!r}, expected the name of a tool; a blank one names none"
        raise ValueError(msg)
    return re.compile(_PREFIX + re.escape(given), re.DOTALL)
