"""Tests that pass although nobody looked at what they found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rampart.pytest_plugin._markers import HARM
from rampart.pytest_plugin._warnings import TrialMismatchWarning, UncheckedResultWarning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rampart.pytest_plugin._attempt import Attempt


def check_call(item: pytest.Item, attempt: Attempt) -> None:
    """Check a test whose call phase passed."""
    if attempt.repeats:  # repetitions are checked by the plugin itself
        return
    forgotten = attempt.not_awaited()
    _report(
        item, attempt, [*forgotten, *attempt.unread(of_teardown=False), *_nothing_recorded(item, attempt)]
    )


def check_teardown(item: pytest.Item, attempt: Attempt) -> None:
    """Check what the tear-down of a test recorded."""
    _report(item, attempt, attempt.unread(of_teardown=True))


def warn_of_mismatches(item: pytest.Item, attempt: Attempt) -> None:
    """Warn of populations that are not what the marker declares."""
    trial = attempt.trial
    if trial is None:
        return
    for size, threshold in attempt.declared.values():
        if (size, threshold) != (trial.n, trial.threshold):
            item.warn(
                TrialMismatchWarning(
                    f"{item.nodeid} declares n={trial.n}, threshold={trial.threshold:g} but ran a population "
                    f"of size {size} with threshold {threshold:g}"
                )
            )


def _nothing_recorded(item: pytest.Item, attempt: Attempt) -> Iterator[str]:
    if attempt.recorded_count == 0 and item.get_closest_marker(HARM) is not None:
        yield f"Test {item.nodeid} is marked @harm but recorded no results"
    if attempt.trial is not None and attempt.trial.n > 1 and not attempt.declared:
        yield f"Test {item.nodeid} declares {attempt.trial.n} trials but recorded none"


def _report(item: pytest.Item, attempt: Attempt, messages: list[str]) -> None:
    mode = attempt.run.options.unchecked
    if messages and mode == "fail":
        raise pytest.fail.Exception("\n".join(messages), pytrace=False)
    if mode == "warn":
        for message in messages:
            item.warn(UncheckedResultWarning(message))
