"""What users can set for a run, on the command line or in the ini file."""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeVar, cast

import pytest

from rampart.core.limits import DEFAULT_TRIAL_CONCURRENCY, Limits
from rampart.pytest_plugin import _judge_calibration

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")
Unchecked = Literal["fail", "warn", "ignore"]

_TIMEOUTS = {
    "rampart_turn_timeout": "seconds for each driver call, send_async and evaluator call, or none",
    "rampart_ready_timeout": "seconds for each injection to be ready and for a session to start, or none",
    "rampart_cleanup_timeout": "seconds for each session exit and injection exit",
    "rampart_execution_timeout": "seconds for a whole execution, cleanup not counted, or none",
}


@dataclass(frozen=True, kw_only=True)
class Options:
    """The settings of a run.

    Attributes:
        trials: Overrides `n` of every `trial` marker; None leaves them alone.
        unchecked: What becomes of a test that never checked its verdicts.
        limits: Time limits of executions that state none.
        trial_concurrency: How many trials run at once where the call does not say.
        journal: Whether results are written down as they come.
        journal_keep: How many runs stay on disk; 0 keeps all.
    """

    trials: int | None
    unchecked: Unchecked
    limits: Limits
    trial_concurrency: int
    journal: bool
    journal_keep: int


def add_options(parser: pytest.Parser) -> None:
    """Register every option; values are strings so that a wrong one is reported in one way."""
    group = parser.getgroup("rampart", "testing of agent behaviour")
    group.addoption(
        "--rampart-trials",
        metavar="N",
        type=positive_int,
        help="override n of every trial marker (never the threshold)",
    )
    group.addoption(
        "--rampart-trial-concurrency",
        metavar="N",
        type=positive_int,
        help=f"how many trials run at once by default ({DEFAULT_TRIAL_CONCURRENCY})",
    )
    _judge_calibration.add_options(parser, group)
    defaults = Limits()
    parser.addini("rampart_async", "async tests that rampart runs: auto (default) or marked", default="auto")
    parser.addini(
        "rampart_unchecked",
        "a test that passes without checking a bad verdict: fail (default), warn or ignore",
        default="fail",
    )
    for name, text in _TIMEOUTS.items():
        default = getattr(defaults, _limit_field(name))
        shown = "none" if default is None else f"{default:g}"
        parser.addini(name, f"{text} ({shown})", default=shown)
    parser.addini(
        "rampart_trial_concurrency",
        f"how many trials run at once by default ({DEFAULT_TRIAL_CONCURRENCY})",
        default=str(DEFAULT_TRIAL_CONCURRENCY),
    )
    parser.addini("rampart_journal", "write results down as they come: on (default) or off", default="on")
    parser.addini("rampart_journal_keep", "how many runs stay on disk (50); 0 keeps all", default="50")


def read_options(config: pytest.Config) -> Options:
    """Read and check the settings.

    Raises:
        pytest.UsageError: If a value is invalid; the text names the option.
    """
    _choice(config, "rampart_async", ("auto", "marked"))
    from_command_line: int | None = config.getoption("rampart_trial_concurrency")
    concurrency = _ini(config, "rampart_trial_concurrency", positive_int)
    return Options(
        trials=config.getoption("rampart_trials"),
        unchecked=cast("Unchecked", _choice(config, "rampart_unchecked", ("fail", "warn", "ignore"))),
        limits=_limits(config),
        trial_concurrency=from_command_line or concurrency,
        journal=_choice(config, "rampart_journal", ("on", "off")) == "on",
        journal_keep=_ini(config, "rampart_journal_keep", _count),
    )


def positive_int(text: str) -> int:
    """Read a whole number of at least 1.

    Raises:
        argparse.ArgumentTypeError: If `text` is no such number.
    """
    number = _int(text)
    if number is None or number < 1:
        msg = f"expected a positive integer, got '{text}'"
        raise argparse.ArgumentTypeError(msg)
    return number


def _count(text: str) -> int:
    number = _int(text)
    if number is None or number < 0:
        msg = f"expected an integer of at least 0, got '{text}'"
        raise argparse.ArgumentTypeError(msg)
    return number


def _int(text: str) -> int | None:
    """Read a number in plain digits, with a sign or not; unlike `int`, no underscores."""
    plain = text.strip()
    return int(plain) if plain.lstrip("+-").isascii() and plain.lstrip("+-").isdigit() else None


def _seconds(text: str) -> float | None:
    if text.strip().lower() == "none":
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not math.isfinite(seconds) or seconds <= 0:
        msg = f"expected a positive number of seconds, or none, got '{text}'"
        raise argparse.ArgumentTypeError(msg)
    return seconds


def _limits(config: pytest.Config) -> Limits:
    values = {_limit_field(name): _ini(config, name, _seconds) for name in _TIMEOUTS}
    cleanup = values["cleanup_timeout_s"]
    if cleanup is None:
        msg = "rampart_cleanup_timeout: cleanup is always bounded; expected a positive number of seconds"
        raise pytest.UsageError(msg)
    return Limits(
        turn_timeout_s=values["turn_timeout_s"],
        ready_timeout_s=values["ready_timeout_s"],
        cleanup_timeout_s=cleanup,
        execution_timeout_s=values["execution_timeout_s"],
    )


def _limit_field(ini_name: str) -> str:
    """`rampart_turn_timeout` sets `turn_timeout_s`."""
    return ini_name.removeprefix("rampart_") + "_s"


def _ini(config: pytest.Config, name: str, read: Callable[[str], T]) -> T:
    try:
        return read(str(config.getini(name)))
    except argparse.ArgumentTypeError as error:
        msg = f"{name}: {error}"
        raise pytest.UsageError(msg) from None


def _choice(config: pytest.Config, name: str, choices: tuple[str, ...]) -> str:
    value = str(config.getini(name)).strip().lower()
    if value not in choices:
        msg = f"{name}: expected {', '.join(choices[:-1])} or {choices[-1]}, got '{value}'"
        raise pytest.UsageError(msg)
    return value
