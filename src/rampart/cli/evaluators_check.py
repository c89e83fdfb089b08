"""`rampart evaluators check`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from rampart.core.errors import ConfigurationError, SchemaError

_ALL_AS_EXPECTED, _NOT_AS_EXPECTED, _CANNOT_START = 0, 1, 2


@click.command()
@click.argument("files", type=click.Path(path_type=Path), nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def evaluators_check(context: click.Context, *, files: tuple[Path, ...], as_json: bool) -> None:
    """Show evaluators traces about which it is known what they have to answer.

    FILES are JSON Lines of controls, such as those of evaluators of your own ("evaluator":
    "my_package.my_module:MyEvaluator", imported from the current folder or as installed). Without any, the
    controls that come with rampart are run.

    Ends with 0 when all answers are right, 1 when some are not, 2 when the controls cannot be run. Of
    rampart's own, those whose extra is not installed are left out, and named.
    """
    from rampart.evaluators.controls.checking import check_controls  # noqa: PLC0415 - others do not need it

    try:
        check = check_controls(files)
    except (ConfigurationError, SchemaError) as error:
        click.echo(f"Error: {error}", err=True)
        context.exit(_CANNOT_START)
    click.echo(json.dumps(check.as_json(), indent=2) if as_json else check.text())
    if check.failures:
        context.exit(_NOT_AS_EXPECTED)
    context.exit(_CANNOT_START if check.not_run and files else _ALL_AS_EXPECTED)
