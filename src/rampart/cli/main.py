"""The command `rampart`."""

import click


@click.group()
def main() -> None:
    """Test how AI agents behave."""
