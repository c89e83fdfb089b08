"""What a gateway saw of one session of an agent."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rampart.core.tool_source import Observation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rampart.servers.llm_gateway.address import GatewayAddress
    from rampart.servers.llm_gateway.gateway import LlmGateway
    from rampart.servers.llm_gateway.session import GatewaySession
    from rampart.servers.llm_wire.traffic import TrafficSeen

_AFTER_REPLY_S = 2.0
_AFTER_FAILURE_S = 0.3
_LOOK_EVERY_S = 0.01


class GatewayWatch:
    """Takes the calls of one session; `LlmGateway.watch_async` makes it.

    Args:
        gateway: The gateway.
        session: What is watched.
        shared: What everybody shares; the same where the session has no address of its own.
    """

    def __init__(self, gateway: LlmGateway, *, session: GatewaySession, shared: GatewaySession) -> None:
        self._gateway = gateway
        self._session = session
        self._shared = shared
        self._strays = shared.requests
        self._turn = ""

    @property
    def address(self) -> GatewayAddress:
        """Where the session's agent finds its model: `base_url`, `anthropic_base_url`, `environment`."""
        return self._gateway.address_of(self._session)

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Note how a turn ends; what comes in at the address belongs to the session whenever it comes."""
        self._turn = "failed"
        yield
        self._turn = "replied"

    async def take_async(self) -> Observation:
        """What was seen since the last time; requests that are being answered are waited for, up to 2 s.

        After a turn that failed it is 0.3 s, and outside of a turn nothing.
        """
        turn, self._turn = self._turn, ""
        loop = asyncio.get_running_loop()
        patience = {"replied": _AFTER_REPLY_S, "failed": _AFTER_FAILURE_S}.get(turn, 0.0)
        until = loop.time() + patience
        while loop.time() < until:
            if not self._session.is_busy:
                break
            await asyncio.sleep(_LOOK_EVERY_S)
        seen = self._session.traffic.take()
        return Observation(tool_calls=seen.calls, usage=seen.usage, missing="; ".join(self._gaps(seen, turn)))

    async def close_async(self) -> None:
        """Watch no longer; a session's own address is then gone."""
        self._gateway.end_watch(self)

    @property
    def session(self) -> GatewaySession:
        """What is watched."""
        return self._session

    def _gaps(self, seen: TrafficSeen, turn: str) -> list[str]:
        gaps = list(seen.missing)
        if not self._gateway.running:
            gaps.append("the gateway was stopped")
        if turn == "replied" and seen.failure is not None:
            gaps.append(
                f"the agent's last request to its model had no reply ({seen.failure.error}), yet it replied"
            )
        if turn == "replied" and not seen.exchanges and not self._gateway.silent_turns:
            gaps.append(
                f"no request of the agent came in at {self.address.base_url}; if it needed none, pass "
                "silent_turns=True"
            )
        strays = self._shared.requests - self._strays
        if self._session is not self._shared and strays and not self._gateway.is_watched(self._shared):
            self._strays += strays
            gaps.append(
                f"requests came in at the address of the gateway that everybody shares ({strays}), and "
                "nobody knows of which session; give the agent the address that the function given to "
                "with_tools_from gets"
            )
        return gaps
