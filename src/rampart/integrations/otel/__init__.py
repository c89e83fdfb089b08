"""Tool calls and usage of agents that emit OpenTelemetry spans; `pip install "rampart[otel]"`."""

from typing import TYPE_CHECKING

from rampart.core.lazy import lazy_exports

if TYPE_CHECKING:
    from rampart.integrations.otel.address import OtelAddress
    from rampart.integrations.otel.collector import OtelCollector

_HOMES = {
    "OtelAddress": "rampart.integrations.otel.address",
    "OtelCollector": "rampart.integrations.otel.collector",
}

__all__ = ["OtelAddress", "OtelCollector"]

if not TYPE_CHECKING:  # type checkers know the names from above, and that there are no others
    __getattr__, __dir__ = lazy_exports(__name__, _HOMES)
