"""Reasons given by evaluators and adapters, listed once each."""

from collections.abc import Iterable

from rampart.text.oneline import quote

_SHOWN = 2


def distinct_reasons(reasons: Iterable[str], /) -> list[str]:
    """Strip each reason, drop blank ones, and keep the rest once each, in the order first seen."""
    return list(dict.fromkeys(stripped for reason in reasons if (stripped := reason.strip())))


def join_reasons(reasons: Iterable[str], /) -> str:
    """Put distinct reasons on one line: the first two, quoted and joined by `; `, then ` (and K more)`.

    Empty without reasons.
    """
    # Asked again after quoting: a reason made of nothing but terminal sequences is blank too.
    quoted = [shown for reason in distinct_reasons(reasons) if (shown := quote(reason).strip())]
    joined = "; ".join(quoted[:_SHOWN])
    hidden = len(quoted) - _SHOWN
    return f"{joined} (and {hidden} more)" if hidden > 0 else joined
