"""Places inside a record, named only when there is something to say about them."""

from __future__ import annotations

import json
from types import EllipsisType
from typing import TypeAlias

Part: TypeAlias = str | int | EllipsisType
"""A field or key, an index, or `...` for a key that must not be shown."""

Path: TypeAlias = "tuple[Path | None, Part]"
"""A place as its parent and the last step: cheap to make, rendered by `render` when needed."""

_SHOWN_OF_A_KEY = 80


def render(parent: Path | None, part: Part) -> str:
    """The place below `parent`, such as `result.turns[0].response.metadata["a b"]`."""
    parts = [_step(part)]
    while parent is not None:
        parent, part = parent
        parts.append(_step(part))
    return "".join(reversed(parts)).removeprefix(".")


def depth(path: Path | None) -> int:
    """How many steps lead to `path`."""
    steps = 0
    while path is not None:
        steps += 1
        path = path[0]
    return steps


def _step(part: Part) -> str:
    if part is ...:
        return "[...]"
    if isinstance(part, int):
        return f"[{part}]"
    shown = part if len(part) <= _SHOWN_OF_A_KEY else part[:_SHOWN_OF_A_KEY] + "..."
    return f".{shown}" if shown.isidentifier() else f"[{json.dumps(shown, ensure_ascii=False)}]"
