"""The expectation that an argument is not there."""

from __future__ import annotations

from typing import Final


class Missing:
    """The type of `MISSING`; there is one object of it."""

    __slots__ = ()

    def __repr__(self) -> str:
        """The name under which it is exported."""
        return "MISSING"

    def __reduce__(self) -> str:
        """Copies and pickles are the one object again."""
        return "MISSING"


MISSING: Final = Missing()
"""As the expected value of an argument or detail: there must be none of that name. None is a value."""
