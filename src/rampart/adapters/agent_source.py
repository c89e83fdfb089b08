"""Where the agent of a session comes from: one object for all, or a function that makes one for each."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from rampart.adapters.agent_function import check_factory, name_of
from rampart.adapters.framework_adapter import agent_name

if TYPE_CHECKING:
    from collections.abc import Callable


class AgentSource:
    """Gives each session its agent.

    Args:
        given: An agent, or a function without parameters, sync or async, that makes one.
        is_agent: Tells an agent from anything else.
        expected: What an agent is, for messages, such as `a compiled LangGraph graph`.

    Raises:
        TypeError: If it is neither.
    """

    def __init__(self, given: object, *, is_agent: Callable[[Any], bool], expected: str) -> None:
        self._is_agent = is_agent
        self._expected = expected
        self._given: Any = given
        self.shared = is_agent(given)
        if not self.shared:
            if inspect.isclass(given) or not callable(given):
                what = f"the class {given.__name__}" if inspect.isclass(given) else type(given).__name__
                msg = f"expected {expected}, or a function that makes one for each session, got {what}"
                raise TypeError(msg)
            check_factory(given)

    @property
    def name(self) -> str:
        """The agent's name, or the function's that makes it."""
        return agent_name(self._given) if self.shared else name_of(self._given)

    @property
    def agent(self) -> Any:
        """The agent that all sessions share; None if each has its own."""
        return self._given if self.shared else None

    async def make_async(self) -> Any:
        """The agent of a session.

        Raises:
            TypeError: If the function made something else.
        """
        if self.shared:
            return self._given
        made = self._given()
        if inspect.isawaitable(made):
            made = await made
        if not self._is_agent(made):
            msg = f"{name_of(self._given)} must make {self._expected}, got {type(made).__name__}"
            raise TypeError(msg)
        return made
