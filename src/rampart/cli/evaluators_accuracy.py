"""`rampart evaluators accuracy`."""

from __future__ import annotations

import click

from rampart.core.errors import ConfigurationError

_CANNOT_START = 2


@click.command()
@click.option("--markdown", is_flag=True, help="Print Markdown, as in the documentation.")
@click.option("--cost", is_flag=True, help="Measure what one answer costs on this machine instead.")
@click.pass_context
def evaluators_accuracy(context: click.Context, *, markdown: bool, cost: bool) -> None:
    """Measure the evaluators of rampart on what people labelled.

    Prints what each needs and cannot see, and precision and recall with 95 % intervals on the labelled sets
    that come with rampart, on the half of each that no rule was made from.
    """
    from rampart.evaluators.controls.accuracy import (  # noqa: PLC0415 - other commands do not need it
        accuracy_tables,
        cost_table,
    )

    try:
        tables = [cost_table()] if cost else accuracy_tables()
    except ConfigurationError as error:
        click.echo(f"Error: {error}", err=True)
        context.exit(_CANNOT_START)
    click.echo("\n\n".join(table.markdown() if markdown else table.text() for table in tables))
