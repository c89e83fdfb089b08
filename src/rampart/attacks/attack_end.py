"""That an attack cannot or need not go on, and why."""

from __future__ import annotations


class AttackEnd(Exception):  # noqa: N818  # it is no error: attacks end
    """Ends an attack before its turns are used up.

    Args:
        reason: Why, as it completes "the attack ended:".
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
