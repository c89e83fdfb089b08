"""Clients of language models, for judges, drivers and attackers."""

from typing import TYPE_CHECKING

from rampart.core.lazy import lazy_exports

if TYPE_CHECKING:
    from rampart.llm.endpoint_limits import limit_endpoint
    from rampart.llm.factory import create_chat_model
    from rampart.llm.local_chat_model import LocalChatModel
    from rampart.llm.openai_chat_model import OpenAIChatModel
    from rampart.llm.prices import set_price
    from rampart.llm.pydantic_ai_chat_model import PydanticAIChatModel

_HOMES = {
    "LocalChatModel": "rampart.llm.local_chat_model",
    "OpenAIChatModel": "rampart.llm.openai_chat_model",
    "PydanticAIChatModel": "rampart.llm.pydantic_ai_chat_model",
    "create_chat_model": "rampart.llm.factory",
    "limit_endpoint": "rampart.llm.endpoint_limits",
    "set_price": "rampart.llm.prices",
}

__all__ = [
    "LocalChatModel",
    "OpenAIChatModel",
    "PydanticAIChatModel",
    "create_chat_model",
    "limit_endpoint",
    "set_price",
]

if not TYPE_CHECKING:  # type checkers know the names from above, and that there are no others
    __getattr__, __dir__ = lazy_exports(__name__, _HOMES)
