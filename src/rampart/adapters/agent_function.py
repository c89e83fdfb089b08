"""How an agent function wants to be called."""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any

from rampart.core.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rampart.core.types import Payload

_ATTACHMENTS = "attachments"


class AgentFunction:
    """A function that plays the agent, checked for the arguments it will get.

    Args:
        function: The function.
        leading: The names of the arguments that come before prompt and history.
        origin: Where it comes from, for messages, such as `made by session_factory 'Agent'`.

    Attributes:
        label: The function as messages name it.
        is_async: Whether calling it gives a coroutine.

    Raises:
        TypeError: If it cannot be called that way.
    """

    def __init__(self, function: object, *, leading: tuple[str, ...] = (), origin: str = "") -> None:
        self._function = _checked_callable(function, origin=origin)
        self.label = " ".join(filter(None, ["agent function", repr(name_of(function)), origin]))
        if _is_generator_function(function):
            msg = f"the {self.label} yields its reply in pieces; wrap it in a function that joins them"
            raise TypeError(msg)
        self.is_async = is_async_callable(function)
        self._takes_attachments = self._check_parameters((*leading, "prompt", "history"))

    def bind(self, *arguments: Any, attachments: Sequence[Payload]) -> Callable[[], Any]:
        """The call that is to be made.

        Raises:
            ConfigurationError: If there are attachments and the function has no parameter for them.
        """
        if self._takes_attachments:
            return functools.partial(self._function, *arguments, attachments=list(attachments))
        if attachments:
            ids = ", ".join(repr(payload.id) for payload in attachments)
            msg = (
                f"the request carries {len(attachments)} attachment(s) ({ids}), but the {self.label} has no "
                "parameter 'attachments' to receive them; add one and hand them to the agent"
            )
            raise ConfigurationError(msg)
        return functools.partial(self._function, *arguments)

    def _check_parameters(self, names: tuple[str, ...]) -> bool:
        try:
            signature = inspect.signature(self._function)
        except (TypeError, ValueError):  # some builtins have none
            return False
        takes_attachments = _ATTACHMENTS in signature.parameters
        try:
            signature.bind(*names, **({_ATTACHMENTS: []} if takes_attachments else {}))
        except TypeError as error:
            wanted = ", ".join(names)
            msg = f"the {self.label} must accept ({wanted}), but its parameters are {signature}: {error}"
            raise TypeError(msg) from None
        return takes_attachments


def _checked_callable(function: object, *, origin: str) -> Callable[..., Any]:
    what = f"the agent function {origin}".rstrip()
    if isinstance(function, type):
        msg = (
            f"{what} must be a function, got the class {function.__name__}; pass session_factory="
            f"{function.__name__} to make one object per session"
        )
        raise TypeError(msg)
    if not callable(function):
        msg = f"{what} must be callable, got {type(function).__name__}"
        raise TypeError(msg)
    return function


def check_factory(factory: object) -> None:
    """Refuse a session factory that cannot be called without arguments, or that yields.

    Raises:
        TypeError: If it is one.
    """
    if not callable(factory):
        msg = f"session_factory must be callable, got {type(factory).__name__}"
        raise TypeError(msg)
    label = f"session_factory {name_of(factory)!r}"
    if _is_generator_function(factory):
        msg = f"{label} yields; decorate it with contextlib.contextmanager or asynccontextmanager"
        raise TypeError(msg)
    try:
        signature = inspect.signature(factory)
    except (TypeError, ValueError):  # some builtins have none
        return
    try:
        signature.bind()
    except TypeError as error:
        msg = f"{label} is called without arguments, but its parameters are {signature}: {error}"
        raise TypeError(msg) from None


def is_async_callable(function: object) -> bool:
    """Whether calling `function` gives a coroutine, as far as can be told without calling it."""
    if isinstance(function, functools.partial):
        return is_async_callable(function.func)
    if inspect.iscoroutinefunction(function):
        return True
    return not inspect.isroutine(function) and inspect.iscoroutinefunction(type(function).__call__)


def name_of(function: object) -> str:
    """A short name for messages."""
    if isinstance(function, functools.partial):
        return name_of(function.func)
    name = getattr(function, "__qualname__", None)
    return name.rpartition("<locals>.")[2] if isinstance(name, str) else type(function).__name__


def _is_generator_function(function: object) -> bool:
    target = function.func if isinstance(function, functools.partial) else function
    if not inspect.isroutine(target):
        target = type(target).__call__
    return inspect.isgeneratorfunction(target) or inspect.isasyncgenfunction(target)
