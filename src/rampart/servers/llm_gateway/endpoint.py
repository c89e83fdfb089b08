"""How a gateway answers: which session a request is of, and who replies."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rampart.core.log import log
from rampart.servers.http_exchange import HttpResponse, decoded_path
from rampart.servers.llm_gateway.problems import JSON, problem
from rampart.servers.llm_wire.plain import mapping, parsed
from rampart.servers.llm_wire.wire_formats import MESSAGES, format_of
from rampart.text.oneline import quote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rampart.servers.http_exchange import HttpRequest
    from rampart.servers.llm_gateway.scripted_model import ScriptedModel
    from rampart.servers.llm_gateway.session import GatewaySession
    from rampart.servers.llm_gateway.upstream import Upstream, UpstreamAnswer
    from rampart.servers.llm_wire.exchange import Exchange

SESSION_PREFIX = "/s/"
_LONGEST = 100
_KNOWN = (
    "POST /v1/chat/completions, /v1/responses and /v1/messages, and GET /v1/models; agents that speak "
    "OpenAI's formats take the gateway's base_url, those of Anthropic its anthropic_base_url"
)


class GatewayEndpoint:
    """Answers requests.

    Args:
        session_of: The session with a token, None if there is none; the shared one for an empty token.
        model: What replies by a script.
        upstream: What requests are passed on to, where nothing replies by itself.
        models: The names that a scripted gateway lists.
    """

    def __init__(
        self,
        *,
        session_of: Callable[[str], GatewaySession | None],
        model: ScriptedModel | None,
        upstream: Upstream | None,
        models: tuple[str, ...],
    ) -> None:
        self._session_of = session_of
        self._model = model
        self._upstream = upstream
        self._models = models

    def answer(self, request: HttpRequest) -> HttpResponse:
        """The answer to a request, in the thread of its connection."""
        token, rest = _split(request.target)
        session = self._session_of(token)
        is_anthropic = "anthropic-version" in request.headers
        if session is None:
            msg = f"there is no session at {SESSION_PREFIX}{quote(token, 20)}; it is over, or never began"
            return problem(404, msg, is_anthropic=is_anthropic)
        with session.answering():
            if self._upstream is not None:
                return self._passed_on(session, request, rest, self._upstream)
            return self._scripted(session, request, rest)

    def _scripted(self, session: GatewaySession, request: HttpRequest, rest: str) -> HttpResponse:
        path = decoded_path(rest)
        wire_format = format_of(request.method, path)
        is_anthropic = wire_format is MESSAGES or "anthropic-version" in request.headers
        if request.method == "GET" and path.rstrip("/") in {"/v1/models", "/models"}:
            return _json(_listed(self._models))
        if request.method == "GET" and path.startswith("/v1/models/"):
            return _json(_described(path.removeprefix("/v1/models/")))
        if wire_format is None or request.method != "POST" or self._model is None:
            unread = session.traffic.begin(request.method, path, request.body)  # it may say what was missed
            if unread is not None:
                unread.begin(404)
                unread.end(whole=True)
            shown = f"{quote(request.method, 10)} {quote(path, _LONGEST)}"
            msg = f"the gateway does not answer {shown}; it answers {_KNOWN}"
            return problem(404, msg, is_anthropic=is_anthropic)
        body = parsed(request.body)
        if not isinstance(body, dict):
            return problem(400, "the request is no JSON object", is_anthropic=is_anthropic)
        exchange = session.traffic.begin(request.method, path, request.body)
        if exchange is None:  # never: it has a format
            return problem(404, "not found", is_anthropic=is_anthropic)
        try:
            return self._model.answer(session, wire_format, mapping(body), exchange)
        except BaseException as error:
            exchange.fail(error)
            raise

    def _passed_on(
        self, session: GatewaySession, request: HttpRequest, rest: str, upstream: Upstream
    ) -> HttpResponse:
        path = decoded_path(rest)
        exchange = session.traffic.begin(request.method, path, request.body)
        is_anthropic = format_of(request.method, path) is MESSAGES
        if exchange is not None:
            session.number()
        try:
            answer = upstream.send(request, rest)
        except OSError as error:
            if exchange is not None:
                exchange.fail(error)
            status = 504 if isinstance(error, TimeoutError) else 502
            log.info("the gateway got no answer of %s: %s", upstream.host, type(error).__name__)
            msg = f"the gateway got no answer of {upstream.host}: {type(error).__name__}"
            return problem(status, msg, is_anthropic=is_anthropic)
        headers = dict(answer.headers)
        kind = headers.pop("content-type", "")
        if exchange is not None:
            exchange.begin(answer.status, content_type=kind, encoding=headers.get("content-encoding", ""))
        return HttpResponse(
            status=answer.status, headers=headers, content_type=kind, pieces=_told(answer, exchange)
        )


def _told(answer: UpstreamAnswer, exchange: Exchange | None) -> Iterator[bytes]:
    """The pieces of an answer; each is told before the agent has it."""
    try:
        for piece in answer.pieces:
            if exchange is not None:
                exchange.feed(piece)
            yield piece
        if exchange is not None:
            exchange.end(whole=True)
    finally:
        if exchange is not None:
            exchange.end(whole=False)  # unless it is over
        close: Any = getattr(answer.pieces, "close", None)
        if close is not None:
            close()


def _split(target: str) -> tuple[str, str]:
    """The token of a session, and the rest of the path with its query."""
    if not target.startswith(SESSION_PREFIX):
        return "", target
    token, slash, rest = target.removeprefix(SESSION_PREFIX).partition("/")
    return token, slash + rest


def _json(document: object) -> HttpResponse:
    return HttpResponse(body=json.dumps(document).encode(), content_type=JSON)


def _listed(models: tuple[str, ...]) -> dict[str, Any]:
    """A list that clients of OpenAI and of Anthropic can read."""
    return {
        "object": "list",
        "data": [_described(name) for name in models],
        "has_more": False,
        "first_id": models[0] if models else None,
        "last_id": models[-1] if models else None,
    }


def _described(name: str) -> dict[str, Any]:
    return {
        "id": name,
        "object": "model",
        "created": 0,
        "owned_by": "rampart",
        "type": "model",
        "display_name": name,
        "created_at": "1970-01-01T00:00:00Z",
    }
