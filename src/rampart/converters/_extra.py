"""Libraries that only some converters need, imported when such a converter is made."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from rampart.core.errors import ConfigurationError


def require_library(module: str, *, converter: str, library: str, extra: str) -> Any:
    """Import a library of an extra.

    Args:
        module: What to import.
        converter: The class that needs it.
        library: The name under which the library is known.
        extra: The extra of rampart that installs it.

    Raises:
        ConfigurationError: If it is not installed.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        # A fault inside of an installed library is another matter.
        if error.name is None or error.name.partition(".")[0] != module.partition(".")[0]:
            raise
        msg = f'{converter} needs {library}, which is not installed: pip install "rampart[{extra}]"'
        raise ConfigurationError(msg) from error
