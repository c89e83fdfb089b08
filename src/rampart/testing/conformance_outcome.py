"""How a check ends when it does not pass."""

from __future__ import annotations

from typing import NoReturn


class ConformanceError(AssertionError):
    """An adapter or a surface breaks a rule; the text says which, what was seen and what to do."""


def fail(problem: str) -> NoReturn:
    """Fail the check."""
    raise ConformanceError(problem)


def require(holds: object, problem: str) -> None:
    """Fail the check with `problem` unless `holds` is true."""
    if not holds:
        fail(problem)


def not_checked(reason: str) -> NoReturn:
    """Skip the check: it cannot be made, and must not look as if it had passed."""
    import pytest  # noqa: PLC0415 - only inside a test run

    pytest.skip(reason)
