"""A model that says what a script tells it to, in whichever format it is asked."""

from __future__ import annotations

import json
import math
import secrets
import time
from typing import TYPE_CHECKING, Any

from rampart.core.errors import ConfigurationError
from rampart.servers.http_exchange import HttpResponse
from rampart.servers.llm_gateway import chat_writer, messages_writer, responses_writer
from rampart.servers.llm_gateway.problems import JSON, problem
from rampart.servers.llm_gateway.reply_parts import parts_of
from rampart.servers.llm_gateway.script import check_script, next_step
from rampart.servers.llm_gateway.session import prompts_in, results_in
from rampart.servers.llm_gateway.steps import GatewayFailure, GatewayRequest
from rampart.servers.llm_wire.items import Asked, Said
from rampart.servers.llm_wire.wire_formats import MESSAGES, RESPONSES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rampart.servers.llm_gateway.reply_parts import ReplyParts
    from rampart.servers.llm_gateway.session import GatewaySession
    from rampart.servers.llm_gateway.steps import Script
    from rampart.servers.llm_wire.exchange import Exchange
    from rampart.servers.llm_wire.items import Item, WireRequest
    from rampart.servers.llm_wire.wire_formats import WireFormat


class ScriptedModel:
    """Answers the requests of all sessions, each of which the script begins anew for.

    Args:
        script: What it says.
        on_request: Called with each request.

    Raises:
        TypeError: If it is no script.
    """

    def __init__(self, script: Script, *, on_request: Callable[[GatewayRequest], object]) -> None:
        check_script(script)
        self._script = script
        self._on_request = on_request

    def answer(
        self, session: GatewaySession, wire_format: WireFormat, body: dict[str, Any], exchange: Exchange
    ) -> HttpResponse:
        """The answer to a request, told to `exchange` before the agent has it."""
        wire = wire_format.read_request(body)
        is_anthropic = wire_format is MESSAGES
        try:
            items = _conversation(session, wire)
            request = GatewayRequest(
                prompts=prompts_in(items),
                results=results_in(items),
                tools=tuple(tool.name for tool in wire.tools),
                model=wire.model,
                api=wire_format.name,
                number=session.number(),
                body=body,
            )
            self._on_request(request)
            step = next_step(self._script, request)
            if _is_held_up(session, step.delay_s):
                exchange.begin(503)
                exchange.end(whole=False)
                return problem(503, "the session is over", is_anthropic=is_anthropic)
            if isinstance(step, GatewayFailure):
                exchange.begin(step.status)
                exchange.end(whole=True)
                return problem(step.status, step.message, is_anthropic=is_anthropic, headers=step.headers)
            reply = parts_of(
                step,
                reply_id=secrets.token_hex(8),
                model=wire.model or "scripted",
                number=request.number + 1,
                created=int(time.time()),
            )
            _remember(session, wire, items, reply)
            exchange.usage_known = step.usage is not None
            return _written(wire_format, wire, reply, exchange)
        except ConfigurationError as error:  # an agent's client would repeat what is not refused for good
            exchange.begin(400)
            exchange.end(whole=True)
            return problem(400, str(error), is_anthropic=is_anthropic)


def _conversation(session: GatewaySession, wire: WireRequest) -> list[Item]:
    if wire.follows is None:
        return wire.items
    before = session.recall(wire.follows)
    if before is None and wire.follows.startswith("resp_"):
        msg = f"previous_response_id {wire.follows[:80]!r} is no reply of this session"
        raise ConfigurationError(msg)
    return [*(before or []), *wire.items]


def _remember(session: GatewaySession, wire: WireRequest, items: list[Item], reply: ReplyParts) -> None:
    said: list[Item] = [Said(role="assistant", text=reply.text)]
    said += [Asked(name=call.name, arguments=call.arguments, id=call.id) for call in reply.calls]
    names = [responses_writer.response_id(reply)]
    if wire.follows is not None and not wire.follows.startswith("resp_"):
        names.append(wire.follows)
    session.remember(names, [*items, *said])


def _is_held_up(session: GatewaySession, seconds: float) -> bool:
    """Wait; whether the session ended meanwhile."""
    return seconds > 0 and session.over.wait(None if math.isinf(seconds) else seconds)


def _written(
    wire_format: WireFormat, wire: WireRequest, reply: ReplyParts, exchange: Exchange
) -> HttpResponse:
    if wire.streams:
        if wire_format is MESSAGES:
            events = messages_writer.events(reply)
        elif wire_format is RESPONSES:
            events = responses_writer.events(reply)
        else:
            events = chat_writer.events(reply, counts_usage=wire.counts_usage)
        kind = "text/event-stream"
        return HttpResponse(pieces=_told(events, exchange, kind), content_type=kind)
    if wire_format is MESSAGES:
        body = messages_writer.body(reply)
    else:
        body = responses_writer.body(reply) if wire_format is RESPONSES else chat_writer.body(reply)
    data = json.dumps(body).encode()
    exchange.begin(200, content_type=JSON)
    exchange.feed(data)
    exchange.end(whole=True)
    return HttpResponse(body=data, content_type=JSON)


def _told(events: Iterator[bytes], exchange: Exchange, kind: str) -> Iterator[bytes]:
    exchange.begin(200, content_type=kind)
    try:
        for data in events:
            exchange.feed(data)
            yield data
        exchange.end(whole=True)
    finally:
        exchange.end(whole=False)  # unless it is over
