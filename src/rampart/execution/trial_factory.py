"""Looking at the factory of trials and at what it makes."""

from __future__ import annotations

from collections.abc import Callable, Coroutine

from rampart.execution.base import BaseExecution

_WANTED = "a function that makes an execution for each trial"
_EXAMPLE = "execution_factory=lambda: Probes.behavior(...)"


def checked_factory(given: object, /) -> Callable[[], BaseExecution]:
    """Return `given` if it can make executions, as far as can be told without calling it.

    A coroutine that was given is closed, so that Python does not warn of it besides.

    Raises:
        TypeError: If it is an execution, a coroutine or nothing that can be called.
    """
    if isinstance(given, Coroutine):
        given.close()
        msg = f"execution_factory is a coroutine, expected {_WANTED}: {_EXAMPLE}, without execute_async"
        raise TypeError(msg)
    if isinstance(given, BaseExecution) or not callable(given):
        kind = type(given).__name__
        msg = f"execution_factory is of type {kind}, expected {_WANTED}: pass a function, e.g. {_EXAMPLE}"
        raise TypeError(msg)
    return given


def checked_execution(made: object, /) -> BaseExecution:
    """Return what a factory made if it is an execution; a coroutine is closed.

    Raises:
        TypeError: If it is anything else.
    """
    if isinstance(made, BaseExecution):
        return made
    what, advice = f"returned {type(made).__name__}", ""
    if isinstance(made, Coroutine):
        made.close()
        what = "returned a coroutine"
        advice = ": leave out execute_async, the trials call it, and make the factory a plain function"
    elif isinstance(made, type):
        what = f"returned the class {made.__name__}"
    elif made is None:
        advice = ": does it lack a `return`?"
    msg = f"execution_factory {what}, expected an execution such as Probes.behavior(...) gives{advice}"
    raise TypeError(msg)
