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
        role: What it is called in messages.

    Attributes:
        label: The function as messages name it.
        is_async: Whether calling it gives a coroutine.

    Raises:
        TypeError: If it cannot be called that way.
    """

    def __init__(
        self, function: object, *, leading: tuple[str, ...] = (), role: str = "agent function"
    ) -> None:
        self._function = checked_callable(function, role=role)
        self.label = f"{role} {name_of(function)!r}"
        _refuse_generators(function, self.label)
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


def checked_callable(function: object, *, role: str) -> Callable[..., Any]:
    """Return `function` if it can be called and is no class.

    Raises:
        TypeError: If it cannot, or is.
    """
    if isinstance(function, type):
        msg = (
            f"the {role} must be a function, got the class {function.__name__}; pass session_factory="
            f"{function.__name__} to make one object per session"
        )
        raise TypeError(msg)
    if not callable(function):
        msg = f"the {role} must be callable, got {type(function).__name__}"
        raise TypeError(msg)
    return function


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


def _refuse_generators(function: object, label: str) -> None:
    target = function.func if isinstance(function, functools.partial) else function
    if not inspect.isroutine(target):
        target = type(target).__call__
    if inspect.isgeneratorfunction(target) or inspect.isasyncgenfunction(target):
        msg = f"the {label} yields its reply in pieces; wrap it in a function that joins and returns them"
        raise TypeError(msg)
