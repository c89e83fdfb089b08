"""What decides which message the agent gets next."""

from typing import TYPE_CHECKING

from rampart.core.lazy import lazy_exports

if TYPE_CHECKING:
    from rampart.drivers.conversation_end import ConversationEnd
    from rampart.drivers.llm import LLMDriver
    from rampart.drivers.simulated_user import SimulatedUser
    from rampart.drivers.static import StaticDriver

_HOMES = {
    "ConversationEnd": "rampart.drivers.conversation_end",
    "LLMDriver": "rampart.drivers.llm",
    "SimulatedUser": "rampart.drivers.simulated_user",
    "StaticDriver": "rampart.drivers.static",
}

__all__ = ["ConversationEnd", "LLMDriver", "SimulatedUser", "StaticDriver"]

if not TYPE_CHECKING:  # type checkers know the names from above, and that there are no others
    __getattr__, __dir__ = lazy_exports(__name__, _HOMES)
