"""An endpoint that agents take for their model, which records what they do, and passes on or answers."""

from typing import TYPE_CHECKING

from rampart.core.lazy import lazy_exports

if TYPE_CHECKING:
    from rampart.servers.llm_gateway.address import GatewayAddress
    from rampart.servers.llm_gateway.gateway import LlmGateway
    from rampart.servers.llm_gateway.steps import GatewayFailure, GatewayReply, GatewayRequest

_HOMES = {
    "GatewayAddress": "rampart.servers.llm_gateway.address",
    "GatewayFailure": "rampart.servers.llm_gateway.steps",
    "GatewayReply": "rampart.servers.llm_gateway.steps",
    "GatewayRequest": "rampart.servers.llm_gateway.steps",
    "LlmGateway": "rampart.servers.llm_gateway.gateway",
}

__all__ = ["GatewayAddress", "GatewayFailure", "GatewayReply", "GatewayRequest", "LlmGateway"]

if not TYPE_CHECKING:  # type checkers know the names from above, and that there are no others
    __getattr__, __dir__ = lazy_exports(__name__, _HOMES)
