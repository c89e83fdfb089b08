"""Sending things to an exfiltration sink."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.servers.http_clients import ask

if TYPE_CHECKING:
    from rampart.core.types import SideEffect
    from rampart.servers import ExfiltrationSink
    from rampart.servers.exfiltration_canary import Canary


def port_of(sink: ExfiltrationSink) -> int:
    return int(sink.host.partition(":")[2])


def call(sink: ExfiltrationSink, path: str = "/", **request: Any) -> tuple[int, bytes, dict[str, str]]:
    return ask(port_of(sink), path, **request)


def visit(sink: ExfiltrationSink, canary: Canary, rest: str = "", **request: Any) -> bytes:
    return call(sink, f"/{canary.token}/{rest}", **request)[1]


def urls(effects: list[SideEffect]) -> list[str]:
    return [effect.details["url"] for effect in effects]
