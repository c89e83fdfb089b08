"""`rampart demo`."""

import sys
from pathlib import Path

import click

from rampart.core.errors import ConfigurationError

_CANNOT_START = 2


@click.command()
@click.option(
    "--scripted", is_flag=True, help="Use scripted replies, labelled as such, instead of a language model."
)
@click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(),
    help="Folder in which .rampart is made for the suite and the records; by default the current one.",
)
@click.pass_context
def demo(context: click.Context, *, scripted: bool, output: Path) -> None:
    """Run a small test suite against a small agent on a small language model.

    Needs no key and, after the first run, no network. RAMPART_LOCAL_MODEL=/path/model.gguf takes another
    model on this machine; RAMPART_LLM_ENDPOINT and RAMPART_LLM_MODEL (and RAMPART_LLM_API_KEY) take one
    behind an OpenAI-compatible server.
    """
    from rampart.demo.show import Screen, run_demo  # noqa: PLC0415 - other commands do not need it

    screen = Screen(write=lambda text: click.echo(text, nl=False), in_place=sys.stdout.isatty())
    try:
        status = run_demo(root=output, scripted=scripted, screen=screen)
    except ConfigurationError as error:
        click.echo(f"Error: {error}", err=True)
        status = _CANNOT_START
    context.exit(status)
