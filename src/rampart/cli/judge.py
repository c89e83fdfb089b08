"""`rampart judge ...`."""

import click

from rampart.cli.judge_check import judge_check


@click.group()
def judge() -> None:
    """Find out how good a judge is."""


judge.add_command(judge_check, name="check")
