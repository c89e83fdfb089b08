"""Tests that pass although nobody looked at what they found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rampart.pytest_plugin._warnings import TrialMismatchWarning, UncheckedResultWarning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rampart.pytest_plugin._attempt import Attempt


def check_call(item: pytest.Item, attempt: Attempt) -> None:
    """Check a test whose call phase passed."""
    forgotten = attempt.not_awaited()
    if attempt.repeats:  # repetitions are judged together
        _report(item, attempt, forgotten)
        return
    unread = attempt.unread(since_last_phase=False)
    _report(item, attempt, [*forgotten, *unread, *_nothing_recorded(item, attempt)])


def check_awaited(item: pytest.Item, attempt: Attempt) -> None:
    """Check a repetition whose body passed."""
    _report(item, attempt, attempt.not_awaited())


def check_teardown(item: pytest.Item, attempt: Attempt) -> None:
    """Check what was recorded since the call, or without a call since set-up."""
    _report(item, attempt, [*attempt.not_awaited(), *attempt.unread(since_last_phase=True)])


def check_skipped(item: pytest.Item, attempt: Attempt) -> None:
    """Keep what the set-up of a skipped test found from going unnoticed: no other test is asked about it."""
    if not attempt.skipped_in_setup:
        return
    mode = attempt.run.options.unchecked
    for message in attempt.unread(since_last_phase=False):
        text = f"{item.nodeid} was skipped in set-up: {message.removeprefix('rampart: ')}"
        if mode == "fail":
            attempt.run.mark_incomplete(text)
        elif mode == "warn":
            item.warn(UncheckedResultWarning(text))


def warn_of_mismatches(item: pytest.Item, attempt: Attempt) -> None:
    """Warn of populations that are not what the marker declares."""
    trial = attempt.trial
    if trial is None:
        return
    if attempt.repeats and trial.n > 1 and any(size == trial.n for size, _ in attempt.declared.values()):
        item.warn(
            TrialMismatchWarning(
                f"{item.nodeid} is repeated {trial.n} times, and each time it runs {trial.n} trials itself, "
                f"{trial.n} x {trial.n} in all: request the fixture `trial_config`, with which the "
                "test runs once, or drop the marker"
            )
        )
    for size, threshold in attempt.declared.values():
        if (size, threshold) != (trial.n, trial.threshold):
            item.warn(
                TrialMismatchWarning(
                    f"{item.nodeid} declares n={trial.n}, threshold={trial.threshold:g} but ran a population "
                    f"of size {size} with threshold {threshold:g}"
                )
            )


def _nothing_recorded(item: pytest.Item, attempt: Attempt) -> Iterator[str]:
    if attempt.recorded_count == 0 and attempt.is_about_harm:
        yield f"Test {item.nodeid} is marked @harm but recorded no results"
    if attempt.trial is not None and attempt.trial.n > 1 and not attempt.declared:
        count = attempt.recorded_count
        seen = f"{count} single result{'' if count == 1 else 's'}" if count else "no result at all"
        yield (
            f"Test {item.nodeid} declares {attempt.trial.n} trials but recorded none; it recorded {seen}: "
            "pass trial_config.n to execute_trials_async, or drop trial_config"
        )


def _report(item: pytest.Item, attempt: Attempt, messages: list[str]) -> None:
    mode = attempt.run.options.unchecked
    if messages and mode == "fail":
        raise pytest.fail.Exception("\n".join(messages), pytrace=False)
    if mode == "warn":
        for message in messages:
            item.warn(UncheckedResultWarning(message))
