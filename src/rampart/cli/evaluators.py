"""`rampart evaluators ...`."""

import click

from rampart.cli.evaluators_accuracy import evaluators_accuracy
from rampart.cli.evaluators_check import evaluators_check


@click.group()
def evaluators() -> None:
    """Find out whether evaluators answer rightly."""


evaluators.add_command(evaluators_accuracy, name="accuracy")
evaluators.add_command(evaluators_check, name="check")
