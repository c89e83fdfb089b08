"""The library of a framework, imported where it is used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from rampart.core.errors import ConfigurationError

if TYPE_CHECKING:
    from types import ModuleType


def library(module: str, *, needed_by: str, extra: str) -> ModuleType:
    """Import a module of a framework.

    Args:
        module: The module, such as `langchain_core.callbacks`.
        needed_by: Who needs it, for the message, such as `LangGraphAdapter`.
        extra: The extra of rampart that installs it.

    Raises:
        ConfigurationError: If it is not installed, or is too old to have the module; it says what to run.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not (module == error.name or module.startswith(f"{error.name}.")):
            raise  # something that the library itself misses
        msg = f'{needed_by} needs {module}, which is not installed; run pip install "rampart[{extra}]"'
        raise ConfigurationError(msg) from error
