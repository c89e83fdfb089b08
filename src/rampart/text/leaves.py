"""What went wrong inside of an exception group, whose own text only counts it."""

from __future__ import annotations

from rampart.text.oneline import quote
from rampart.text.safe import safe_str

_SHOWN = 3


def leaves(error: BaseException, /) -> list[BaseException]:
    """The errors that a group holds, however deep; of any other error that error alone."""
    if isinstance(error, BaseExceptionGroup):
        return [leaf for one in error.exceptions for leaf in leaves(one)]
    return [error]


def leaf_lines(error: BaseException, /) -> str:
    """Type and text of an error on one line; of a group those of the first three that it holds.

    The same text is not said twice: groups of tasks often hold one cause many times.
    """
    lines = dict.fromkeys(
        f"{type(one).__name__}: {quote(safe_str(one)) or '(no message)'}" for one in leaves(error)
    )
    more = f"; and {len(lines) - _SHOWN} more" if len(lines) > _SHOWN else ""
    return "; ".join(list(lines)[:_SHOWN]) + more
