"""`rampart judge check`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rampart.core.errors import ConfigurationError, SchemaError

if TYPE_CHECKING:
    from rampart.calibration.judge_check import Judged

_DONE, _NOT_COMPLETED, _CANNOT_START = 0, 1, 2


@click.command()
@click.argument("labels", type=click.Path(path_type=Path), required=False)
@click.option("--model", help="Name of the language model that judges; its key comes from OPENAI_API_KEY.")
@click.option("--endpoint", help="Base URL of the model's service; by default the provider's public one.")
@click.option("--max-retries", type=click.IntRange(min=0), help="Retries of each call (2).")
@click.option(
    "--judge",
    "reference",
    metavar="MODULE:ATTRIBUTE",
    help="A judge of your own instead: a function (objective) -> evaluator, a ChatModel or an LLMConfig.",
)
@click.option(
    "--output", type=click.Path(dir_okay=False, path_type=Path), help="Write a calibration file for reports."
)
@click.option(
    "--concurrency", type=click.IntRange(min=1), default=8, show_default=True, help="Calls at once."
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=300.0,
    show_default=True,
    help="Seconds for each answer, retries included.",
)
@click.option("--limit", type=click.IntRange(min=1), help="Judge only the first so many transcripts.")
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True, help="Output."
)
@click.pass_context
def judge_check(
    context: click.Context,
    *,
    labels: Path | None,
    model: str | None,
    endpoint: str | None,
    max_retries: int | None,
    reference: str | None,
    output: Path | None,
    concurrency: int,
    timeout: float,
    limit: int | None,
    form: str,
) -> None:
    """Let a judge answer for transcripts that people have labelled, and say how often it is right.

    LABELS is a JSON Lines file of labelled transcripts; without one the set that comes with rampart is taken.

    Ends with 0 when the judge has been asked about everything, 1 when it failed on some, 2 when it could not
    be asked.
    """
    from rampart.calibration.command import CheckRequest, run_check  # noqa: PLC0415 - others do not need it

    request = CheckRequest(
        labels=labels,
        model=model,
        endpoint=endpoint,
        max_retries=max_retries,
        reference=reference,
        output=output,
        concurrency=concurrency,
        timeout_s=timeout,
        limit=limit,
        as_json=form == "json",
    )
    try:
        done = run_check(request, on_judged=_show_progress if sys.stderr.isatty() else None)
    except (ConfigurationError, SchemaError) as error:
        click.echo(f"Error: {error}", err=True)
        context.exit(_CANNOT_START)
    if sys.stderr.isatty():
        click.echo(err=True)  # ends the line of progress
    click.echo(done.text)
    for problem in done.problems:
        click.echo(f"Error: {problem}", err=True)
    context.exit(_NOT_COMPLETED if done.problems else _DONE)


def _show_progress(judged: Judged) -> None:
    click.echo("x" if judged.outcome is None else ".", nl=False, err=True)
