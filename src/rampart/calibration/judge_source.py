"""The judge that a user names: by its model, or by what stands in a module of the user's own."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, cast

from rampart.core.errors import ConfigurationError
from rampart.core.llm import LLMConfig
from rampart.text.oneline import quote
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from collections.abc import Callable

    from rampart.core.evaluator import Evaluator
    from rampart.core.llm import ChatModel


def judge_on(llm: LLMConfig | ChatModel) -> Callable[[str], Evaluator]:
    """Make an `LLMJudge` of a model for each objective."""
    from rampart.evaluators.llm_judge import LLMJudge  # noqa: PLC0415  # judges of the user's own need none

    return lambda objective: LLMJudge(objective=objective, llm=llm)


def judge_named(reference: str) -> Callable[[str], Evaluator]:
    """What `module:attribute` names: a function of the objective that gives the judge, or a model for one.

    Args:
        reference: A module, found as Python finds it from the current folder, and a name in it, dots allowed.

    Raises:
        ConfigurationError: If there is no such thing, or it is neither of the two.
    """
    found = _imported(reference)
    if isinstance(found, LLMConfig):
        return judge_on(found)
    if not isinstance(found, type) and callable(getattr(found, "complete_async", None)):
        return judge_on(cast("ChatModel", found))
    if not isinstance(found, type) and callable(getattr(found, "evaluate_async", None)):
        msg = (
            f"{reference} is an evaluator with an objective of its own; name a function (objective) -> "
            f"evaluator"
        )
        raise ConfigurationError(msg)
    if not callable(found):
        msg = (
            f"{reference} is of type {type(found).__name__}, expected a function (objective) -> evaluator, a "
            f"ChatModel or an LLMConfig"
        )
        raise ConfigurationError(msg)
    return _guarded(reference, cast("Callable[[str], Evaluator]", found))


def _imported(reference: str) -> object:
    module_name, colon, attribute = reference.partition(":")
    if not (module_name and colon and attribute):
        msg = f"--judge {quote(reference)}: expected module:attribute, such as my_judges:strict"
        raise ConfigurationError(msg)
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        found: object = import_module(module_name)
    except Exception as error:  # whatever the user's own code raises while it is loaded
        msg = f"{quote(module_name)} could not be imported: {_line(error)}"
        raise ConfigurationError(msg) from error
    for name in attribute.split("."):
        if not hasattr(found, name):
            msg = f"{quote(module_name)} has no {quote(attribute)}"
            raise ConfigurationError(msg)
        found = getattr(found, name)
    return found


def _guarded(reference: str, make: Callable[[str], Evaluator]) -> Callable[[str], Evaluator]:
    def judge_for(objective: str) -> Evaluator:
        try:
            judge = make(objective)
        except ConfigurationError:
            raise
        except Exception as error:
            msg = f"{reference}(objective) raised {_line(error)}"
            raise ConfigurationError(msg) from error
        if not callable(getattr(judge, "evaluate_async", None)):
            msg = f"{reference}(objective) gave {type(judge).__name__}, expected an evaluator"
            raise ConfigurationError(msg)
        return judge

    return judge_for


def _line(error: Exception) -> str:
    return quote(f"{type(error).__name__}: {safe_str(error)}")
