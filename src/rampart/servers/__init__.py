"""Loopback servers and proxies that surfaces, adapters and fixtures share."""

from typing import TYPE_CHECKING

from rampart.core.lazy import lazy_exports

if TYPE_CHECKING:
    from rampart.servers.exfiltration_canary import Canary
    from rampart.servers.exfiltration_records import SinkEmail, SinkRequest
    from rampart.servers.exfiltration_sink import ExfiltrationSink

_HOMES = {
    "Canary": "rampart.servers.exfiltration_canary",
    "ExfiltrationSink": "rampart.servers.exfiltration_sink",
    "SinkEmail": "rampart.servers.exfiltration_records",
    "SinkRequest": "rampart.servers.exfiltration_records",
}

__all__ = ["Canary", "ExfiltrationSink", "SinkEmail", "SinkRequest"]

if not TYPE_CHECKING:  # type checkers know the names from above, and that there are no others
    __getattr__, __dir__ = lazy_exports(__name__, _HOMES)
