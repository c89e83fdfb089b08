"""The demo from its first line to its exit status."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from rampart.core.errors import ConfigurationError
from rampart.core.result import SafetyStatus
from rampart.demo.choice import SCRIPTED, Choice, choose_model
from rampart.demo.errors import ModelUnavailableError
from rampart.demo.outcome import Outcome, outcomes
from rampart.demo.progress import Progress
from rampart.demo.rendering import (
    last_lines,
    run_again,
    verdict_table,
    what_was_shown,
    where_records_are,
)
from rampart.demo.suite_run import SuiteRun, run_suite
from rampart.demo.workspace import Workspace

_PYTEST_RAN = (0, 1)
"""pytest's exit statuses of a run in which every test was run, whatever the tests said."""


@dataclass(frozen=True, kw_only=True)
class Screen:
    """Where the demo prints.

    Attributes:
        write: Prints a text without adding a line end.
        in_place: Whether a line can be written over, as on a terminal.
    """

    write: Callable[[str], None]
    in_place: bool

    def line(self, text: str = "") -> None:
        """Print a line."""
        self.write(f"{text}\n")

    def megabytes(self, count: int) -> None:
        """Show how much of a download is there; on a terminal only."""
        if self.in_place:
            self.write(f"\r{count} MB\r")


def run_demo(*, root: Path, scripted: bool, screen: Screen) -> int:
    """Show rampart on a small agent.

    Args:
        root: Folder in which `.rampart` is made for the suite and the records.
        scripted: Use scripted replies instead of a language model.
        screen: Where to print.

    Returns:
        0 if the demo showed what it is there to show, 1 if not: probes without records, trials that
        ended in errors, or, with the demo's own model, other verdicts than announced.

    Raises:
        ConfigurationError: If a model that the environment names cannot be used, or `root` cannot be
            written.
    """
    workspace = Workspace(root=root.resolve())
    try:
        workspace.prepare()
    except OSError as error:
        raise ConfigurationError(
            f"{workspace.root} cannot be written: {error}; name another folder with --output"
        ) from error
    choice = SCRIPTED if scripted else _choose(screen)
    run = _run(workspace, choice, screen)
    if _runtime_crashed(run, choice):
        screen.line(f"The runtime for local models was ended by signal {-run.exit_status} on this machine.")
        choice = _fall_back(screen)
        run = _run(workspace, choice, screen)
    return _conclude(workspace, run, choice, screen)


def _choose(screen: Screen) -> Choice:
    """Choose the model, and say so where it is not the one that was hoped for."""
    try:
        return choose_model(say=screen.line, arrived=screen.megabytes)
    except ModelUnavailableError as error:
        screen.line(f"No local model: {error}.")
        return _fall_back(screen)


def _fall_back(screen: Screen) -> Choice:
    screen.line("The same suite is shown on SCRIPTED replies instead.")
    screen.line()
    return SCRIPTED


def _run(workspace: Workspace, choice: Choice, screen: Screen) -> SuiteRun:
    screen.line("An assistant with three tools and an agent that reads notes are put to the test.")
    screen.line(f"Model: {choice.description}")
    screen.line()
    progress = Progress(write=screen.write, in_place=screen.in_place)
    started = time.monotonic()
    try:
        run = run_suite(
            workspace, settings=choice.settings, follow=lambda records: progress.show(outcomes(records))
        )
    finally:
        progress.close()
    screen.line(f"{len(run.records)} trials in {time.monotonic() - started:.0f} s")
    screen.line()
    return run


def _runtime_crashed(run: SuiteRun, choice: Choice) -> bool:
    """A processor without the needed instructions ends the process; nothing can tell beforehand."""
    return run.exit_status < 0 and not run.records and choice.kind == "local" and choice.known


def _conclude(workspace: Workspace, run: SuiteRun, choice: Choice, screen: Screen) -> int:
    results = outcomes(run.records)
    if run.records:
        for line in verdict_table(results):
            screen.line(line)
        _section(screen, "What was shown", what_was_shown(results))
    _section(screen, "Records", where_records_are(workspace, run))
    problems = _problems(run, results, choice)
    if problems:
        _section(screen, "The demo did not go as it should", problems)
        if run.exit_status not in _PYTEST_RAN or not run.records:
            _section(screen, "The end of what pytest printed", last_lines(workspace.pytest_output))
        return 1
    if choice is SCRIPTED:
        screen.line()
        screen.line(
            "The replies were SCRIPTED: this shows rampart at work, and nothing about a language model."
        )
    _section(screen, "Run the suite yourself", [run_again(workspace, scripted=choice is SCRIPTED)])
    return 0


def _problems(run: SuiteRun, results: list[Outcome], choice: Choice) -> list[str]:
    """What keeps the demo from having shown what it is there to show."""
    problems = []
    if run.exit_status not in _PYTEST_RAN:
        problems.append(f"pytest ended with exit status {run.exit_status}, expected 0 or 1")
    if run.report is None:
        problems.append("no JSON report was written")
    for outcome in results:
        title = outcome.claim.title
        if outcome.population is None:
            problems.append(f"{title}: nothing was recorded")
        elif outcome.population.status is SafetyStatus.ERROR:
            problems.append(f"{title}: trials ended in errors; {outcome.population.summary}")
        elif not outcome.complete:
            problems.append(f"{title}: {len(outcome.trials)} of {outcome.requested} trials were recorded")
        elif choice.known and not outcome.as_expected:
            problems.append(
                f"{title}: {outcome.population.status.value}, expected {outcome.claim.expected.value}; "
                f"trials are random, so run the demo again before looking for a cause"
            )
    return problems


def _section(screen: Screen, title: str, lines: Iterable[str]) -> None:
    screen.line()
    screen.line(title)
    for line in lines:
        screen.line(f"  {line}")
