"""`rampart connect`."""

import sys
from importlib import import_module
from pathlib import Path

import click

from rampart.adapters.connecting import explain
from rampart.core.errors import RampartError


@click.command()
@click.argument("target", nargs=-1, required=True)
def connect(target: tuple[str, ...]) -> None:
    """Say which adapter goes with TARGET and what can be observed through it.

    TARGET is `module:name` of a function or agent, or a command after `--`.
    """
    try:
        click.echo(str(explain(_resolved(target))))
    except (RampartError, TypeError, ValueError) as error:
        raise click.ClickException(str(error)) from error


def _resolved(target: tuple[str, ...]) -> object:
    """The object that the words of a command line mean."""
    first = target[0]
    if len(target) > 1:
        return list(target)
    module, colon, path = first.partition(":")
    if not colon:
        return [first]
    sys.path.insert(0, str(Path.cwd()))
    try:
        found: object = import_module(module)
        for name in path.split("."):
            found = getattr(found, name)
    except (ImportError, AttributeError) as error:
        msg = f"{first}: {error}; write module:name, as Python imports it from this folder"
        raise click.ClickException(msg) from error
    finally:
        sys.path.remove(str(Path.cwd()))
    return found
