"""The two forms that a loop around a client may have."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from rampart.adapters.agent_function import AgentFunction, is_async_callable, name_of

if TYPE_CHECKING:
    from collections.abc import Callable


class ClientAgent:
    """An agent as the user gives it: `(prompt, history, client) -> reply`, or `(client) -> agent function`.

    Args:
        given: The function, sync or async.

    Attributes:
        name: Its name.
        is_async: Whether it is async.
        makes_agents: Whether it makes the agent function of a session.

    Raises:
        TypeError: If it is neither.
    """

    def __init__(self, given: object) -> None:
        if inspect.isclass(given) or not callable(given):
            what = f"the class {given.__name__}" if inspect.isclass(given) else type(given).__name__
            msg = (
                "the agent must be a function (prompt, history, client) -> reply, or (client) -> agent "
                f"function for each session, got {what}"
            )
            raise TypeError(msg)
        self.name = name_of(given)
        self.is_async = is_async_callable(given)
        one, three = _takes(given, 1), _takes(given, 3)
        if not one and not three:
            msg = (
                f"the agent {self.name!r} must take (prompt, history, client), or (client) to make the agent "
                f"function of a session, but its parameters are {inspect.signature(given)}"
            )
            raise TypeError(msg)
        self.makes_agents = one and not (three and _first_parameter(given) != "client")
        self._given: Callable[..., Any] = given
        self.function = None if self.makes_agents else AgentFunction(given, leading=("client",))

    def make(self, client: Any) -> Any:
        """What the function makes of a client; awaitable if it is async."""
        return self._given(client)

    def made(self, value: object) -> AgentFunction:
        """The agent function that was made."""
        return AgentFunction(value, origin=f"made by {self.name!r}")


def _takes(function: Callable[..., Any], count: int) -> bool:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some builtins have none
        return count == 3
    attachments: dict[str, Any] = {"attachments": []} if "attachments" in signature.parameters else {}
    try:
        signature.bind(*["x"] * count, **attachments)
    except TypeError:
        return False
    return True


def _first_parameter(function: Callable[..., Any]) -> str:
    try:
        return next(iter(inspect.signature(function).parameters), "")
    except (TypeError, ValueError):
        return ""
