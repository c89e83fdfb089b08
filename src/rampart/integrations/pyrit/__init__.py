"""PyRIT's chat targets and converters in rampart; `pip install "rampart[pyrit]"`."""

from typing import TYPE_CHECKING

from rampart.core.lazy import lazy_exports

if TYPE_CHECKING:
    from rampart.integrations.pyrit.chat_model import PyRITChatModel
    from rampart.integrations.pyrit.converter_bridge import PyRITConverterBridge, adapt_converter

_HOMES = {
    "PyRITChatModel": "rampart.integrations.pyrit.chat_model",
    "PyRITConverterBridge": "rampart.integrations.pyrit.converter_bridge",
    "adapt_converter": "rampart.integrations.pyrit.converter_bridge",
}

__all__ = ["PyRITChatModel", "PyRITConverterBridge", "adapt_converter"]

if not TYPE_CHECKING:  # type checkers know the names from above, and that there are no others
    __getattr__, __dir__ = lazy_exports(__name__, _HOMES)
