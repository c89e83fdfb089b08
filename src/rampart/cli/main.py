"""The command `rampart`."""

import click

from rampart.cli.connect import connect
from rampart.cli.demo import demo
from rampart.cli.evaluators import evaluators
from rampart.cli.judge import judge


@click.group()
@click.version_option(package_name="rampart", message="%(prog)s %(version)s")
def main() -> None:
    """Test how AI agents behave."""


main.add_command(connect)
main.add_command(demo)
main.add_command(evaluators)
main.add_command(judge)
