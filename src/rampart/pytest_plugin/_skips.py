"""Saying in the reason of a skip how many trials ran before it."""

from __future__ import annotations

import copy
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from rampart.pytest_plugin._attempt import Attempt


def with_trial_count(error: BaseException, attempt: Attempt) -> BaseException | None:
    """The skip `error` with ` (<k> of <n> trials ran)` added to its reason; None for anything else.

    It is a new exception: pytest keeps that of a wider fixture and raises it for every test that asks.
    """
    if attempt.trial is None:
        return None
    suffix = f" ({attempt.trials_ran} of {attempt.trial.n} trials ran)"
    if isinstance(error, pytest.skip.Exception):
        skip = copy.copy(error)
        skip.msg = f"{error.msg or ''}{suffix}".lstrip()
        skip.args = (skip.msg,)
        return skip.with_traceback(error.__traceback__)
    unittest = sys.modules.get("unittest")
    if unittest is not None and isinstance(error, unittest.SkipTest):
        return pytest.skip.Exception(f"{error}{suffix}".lstrip()).with_traceback(error.__traceback__)
    return None
