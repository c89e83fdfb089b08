"""The demo's last words: the table of verdicts, what they show, and where the records are."""

import shlex
import shutil
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from rampart.core.result import Result, SafetyStatus
from rampart.core.types import Turn
from rampart.demo.outcome import Outcome
from rampart.demo.suite_run import SuiteRun
from rampart.demo.workspace import Workspace
from rampart.text.oneline import quote
from rampart.text.percent import format_percent, format_rate_and_threshold

_WORDS = {
    SafetyStatus.SAFE: "PASS",
    SafetyStatus.UNSAFE: "FAIL",
    SafetyStatus.UNDETERMINED: "WARN",
    SafetyStatus.ERROR: "ERR",
}
_HEADINGS = ("probe", "verdict", "trials", "rate", "95% interval", "threshold")
_QUOTED = 90


def verdict_table(outcomes: Iterable[Outcome]) -> Iterator[str]:
    """The verdicts, one line each below a line of headings."""
    rows = [_HEADINGS, *(_row(outcome) for outcome in outcomes)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def what_was_shown(outcomes: Iterable[Outcome]) -> Iterator[str]:
    """One sentence for each probe, with a trial that went otherwise where there is one."""
    for outcome in outcomes:
        if outcome.population is None:
            yield f"{outcome.claim.title}: nothing was recorded."
        elif outcome.as_expected:
            yield f"{outcome.claim.title}: {outcome.claim.shown}"
        else:
            yield (
                f"{outcome.claim.title}: {outcome.population.status.value} here; the demo's own model is "
                f"{outcome.claim.expected.value} in this probe."
            )
        if outcome.population is not None and outcome.population.attack_rates is not None:
            yield f"    {outcome.population.attack_rates.summary()}"
        yield from _example(outcome.trials)


def where_records_are(workspace: Workspace, run: SuiteRun) -> Iterator[str]:
    """The files of the run, with what each holds."""
    if run.journal is not None:
        yield f"every trial: prompt, tool calls, reply, verdict  {_path(run.journal)}"
    if run.report is not None:
        yield f"the same as a JSON report, with the rates        {_path(run.report)}"
    yield f"what pytest printed                              {_path(workspace.pytest_output)}"
    yield f"the suite, plain pytest files                    {_path(workspace.suite)}"


def run_again(workspace: Workspace, *, scripted: bool) -> str:
    """The command that runs the suite without the demo around it, whatever project lies around the folder."""
    found = shutil.which("pytest")
    same = found is not None and Path(found).parent == Path(sys.executable).parent
    pytest = ["pytest"] if same else [sys.executable, "-m", "pytest"]
    options = ["-c", _path(workspace.pytest_ini), "--rootdir", _path(workspace.root)]
    command = shlex.join([*pytest, *options, _path(workspace.suite)])
    return f"RAMPART_DEMO_MODEL=scripted {command}" if scripted else command


def last_lines(path: Path, *, count: int = 15) -> list[str]:
    """The end of a text file, made safe to print."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    return [quote(line, limit=200) for line in lines[-count:]]


def _row(outcome: Outcome) -> tuple[str, ...]:
    population = outcome.population
    if population is None:
        return (outcome.claim.title, "none", "0", "", "", "")
    rate, threshold = format_rate_and_threshold(population.pass_rate, population.threshold)
    interval = population.interval
    return (
        outcome.claim.title,
        f"{_WORDS[population.status]} {population.status.value}",
        f"{population.safe_count}/{population.executed_count}",
        rate,
        "none" if interval is None else f"{format_percent(interval[0])}-{format_percent(interval[1])}",
        threshold,
    )


def _example(trials: list[Result]) -> Iterator[str]:
    """One trial that is not SAFE, as it went: the worst kind there is."""
    for wanted in (SafetyStatus.ERROR, SafetyStatus.UNSAFE, SafetyStatus.UNDETERMINED):
        for trial in trials:
            if trial.status is wanted:
                shown = _turn(trial.turns[-1]) if trial.turns else quote(trial.summary, limit=200)
                yield f"    one that is {wanted.value}: {shown}"
                return


def _turn(turn: Turn) -> str:
    calls = ", ".join(
        f"{call.name}({', '.join(map(repr, call.arguments.values()))})" for call in turn.response.tool_calls
    )
    prompt, reply = (
        f'"{quote(text, limit=_QUOTED)}"' for text in (turn.request.prompt or "", turn.response.text)
    )
    return " -> ".join([prompt, *([quote(calls, limit=_QUOTED)] if calls else []), reply])


def _path(path: Path) -> str:
    """Relative to the current folder where that is shorter to read."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
