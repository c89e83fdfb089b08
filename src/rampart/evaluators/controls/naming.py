"""The evaluators, patterns and names that a file of controls stands for."""

from __future__ import annotations

import re
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from rampart.core.errors import ConfigurationError
from rampart.text.oneline import quote
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from collections.abc import Callable

    from rampart.core.evaluator import Evaluator

_OWN = "rampart.evaluators"


def evaluator_named(reference: str, /) -> Callable[..., Evaluator]:
    """What makes the evaluator that a control names.

    Args:
        reference: A name that `rampart.evaluators` exports, or `module:attribute`: a class or function of
            the user's own, found as Python finds it from the current folder.

    Raises:
        ConfigurationError: If there is no such thing, or it cannot be called.
    """
    found = _named(reference)
    if callable(found):
        return cast("Callable[..., Evaluator]", found)
    msg = f"{quote(reference)} is of type {type(found).__name__}, expected a class or function of evaluators"
    raise ConfigurationError(msg)


def as_arguments(value: Any, /) -> Any:
    """A value of a file as an evaluator takes it.

    `{"$pattern": "a+"}` stands for a compiled pattern, `{"$name": "ResponseScope.ANY_TURN"}` for what
    `rampart.evaluators` exports under this name; all else stands for itself.

    Raises:
        ConfigurationError: If a pattern cannot be compiled, or there is no such name.
    """
    if isinstance(value, list):
        return [as_arguments(one) for one in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        (key, inner), *_ = value.items()
        if key == "$pattern" and isinstance(inner, str):
            return _pattern(inner)
        if key == "$name" and isinstance(inner, str):
            return _named(inner)
    return {key: as_arguments(one) for key, one in value.items()}


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except (re.error, RecursionError, OverflowError) as error:
        msg = f"$pattern {quote(text)} is no regular expression: {quote(str(error))}"
        raise ConfigurationError(msg) from None


def _named(reference: str) -> object:
    module_name, colon, attribute = reference.partition(":")
    if not colon:
        return _exported(reference)
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        module = import_module(module_name)
    except Exception as error:  # whatever the user's own code raises while it is loaded
        cause = quote(f"{type(error).__name__}: {safe_str(error)}")
        msg = f"{quote(module_name)} could not be imported: {cause}"
        raise ConfigurationError(msg) from error
    return _attribute(module, attribute, reference=reference)


def _exported(reference: str) -> object:
    package = import_module(_OWN)
    name, _, rest = reference.partition(".")
    if name not in package.__all__:
        msg = f"{_OWN} has no {quote(name)}; an evaluator of your own is written module:attribute"
        raise ConfigurationError(msg)
    return _attribute(package, f"{name}.{rest}" if rest else name, reference=reference)


def _attribute(found: object, path: str, *, reference: str) -> object:
    for name in path.split("."):
        if not hasattr(found, name):
            msg = f"{quote(reference)}: there is no {quote(name)}"
            raise ConfigurationError(msg)
        found = getattr(found, name)
    return found
