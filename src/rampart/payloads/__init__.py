"""Hostile content to plant: a library of techniques, templates for a model that writes more, a store."""

from typing import TYPE_CHECKING

from rampart.core.lazy import lazy_exports

if TYPE_CHECKING:
    from rampart.payloads.factory import Payloads
    from rampart.payloads.store import PayloadStore
    from rampart.payloads.template import PayloadTemplate

_HOMES = {
    "Payloads": "rampart.payloads.factory",
    "PayloadStore": "rampart.payloads.store",
    "PayloadTemplate": "rampart.payloads.template",
}

__all__ = ["PayloadStore", "PayloadTemplate", "Payloads"]

if not TYPE_CHECKING:  # type checkers know the names from above, and that there are no others
    __getattr__, __dir__ = lazy_exports(__name__, _HOMES)
