"""Why a coroutine was not run at all. Kept apart from the lane, whose import brings asyncio along."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from _pytest.outcomes import Failed
else:
    Failed = pytest.fail.Exception  # its public name, which type checkers do not take for a class


class LaneRefusalError(RuntimeError):
    """The event loop cannot take a coroutine now."""


class LaneBusyError(LaneRefusalError):
    """A coroutine was to be run from inside another one."""

    def __init__(self) -> None:
        super().__init__(
            "a coroutine is already running in rampart's event loop, which cannot wait for another one; "
            "ask for async fixtures by the parameters of the test, not by request.getfixturevalue() "
            "inside an async test or fixture"
        )


class LaneUnusableError(LaneRefusalError):
    """The event loop was interrupted so hard that a coroutine is stuck in it; nothing else can run."""

    def __init__(self) -> None:
        super().__init__(
            "rampart's event loop was interrupted while it was still waiting for an earlier coroutine to "
            "clean up; no other async test or fixture can run in it"
        )


class ForeignFixtureError(Failed):
    """A test asked for an async fixture that lives in another event loop."""

    # Reports name the exception; to users it is a plain `pytest.fail`.
    __module__ = Failed.__module__
    __qualname__ = Failed.__qualname__

    def __init__(self, message: str) -> None:
        super().__init__(message, pytrace=False)
