"""Noticing that an evaluator looks for a tool which the application does not declare."""

from __future__ import annotations

import warnings
from functools import lru_cache
from typing import TYPE_CHECKING

from rampart.core.memo import trace_memo
from rampart.evaluators._shown import shown_name
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    import re

    from rampart.core.evaluation import EvalContext

_NEAREST = 3


def undeclared_reason(name: str | re.Pattern[str], context: EvalContext) -> str | None:
    """Why nothing may have been found: the manifest declares tools, and `name` is none of them."""
    manifest = context.manifest
    if manifest is None or not manifest.tools or not isinstance(name, str) or manifest.declares_tool(name):
        return None
    return _reason(name, tuple(safe_str(tool.name) for tool in manifest.tools))


def warn_undeclared(reason: str, *, context: EvalContext, token: object) -> None:
    """Warn once an evaluation; once a trace where a stop condition is asked after every turn."""
    memo = trace_memo(context.turns)
    if memo is not None:
        key = token, "undeclared"
        if key in memo:
            return
        memo[key] = True
    warnings.warn(reason, UserWarning, stacklevel=2)


@lru_cache(maxsize=64)
def _reason(name: str, declared: tuple[str, ...]) -> str:
    from difflib import get_close_matches  # noqa: PLC0415  # needed only here, and it is slow to import

    # No cut-off: a framework's prefixes make a renamed tool look quite unlike its old name.
    nearest = get_close_matches(name, declared, n=_NEAREST, cutoff=0.0)
    more = len(declared) - len(nearest)
    listed = ", ".join(map(shown_name, nearest)) + (f" (and {more} more)" if more > 0 else "")
    return f"tool {shown_name(name)} is not declared; declared: {listed}"
