"""The loopback endpoint that takes spans of other processes."""

from __future__ import annotations

import json
import re
import secrets
import zlib
from http import HTTPStatus
from typing import TYPE_CHECKING

from rampart.integrations.otel.address import TRACES_PATH
from rampart.integrations.otel.otlp_message import MalformedTracesError, spans_in
from rampart.servers.http_exchange import HttpResponse
from rampart.servers.http_server import HttpServer
from rampart.text.oneline import quote

if TYPE_CHECKING:
    from rampart.integrations.otel.session_spans import SessionSpans
    from rampart.integrations.otel.span_routes import SpanRoutes
    from rampart.servers.http_exchange import HttpRequest

MAX_BODY_BYTES = 16 * 1024 * 1024
MAX_UNPACKED_BYTES = 64 * 1024 * 1024
_PATH = re.compile(r"/s/([0-9a-f]{32})/v1/(traces|metrics|logs)/?")
_PROTOBUF, _JSON = "application/x-protobuf", "application/json"


class OtlpEndpoint:
    """Takes OTLP over HTTP at an address for everybody and at one for each session.

    Each address holds a random token, so that other programs of this machine do not find it.

    Args:
        routes: Where the spans go.
    """

    def __init__(self, routes: SpanRoutes) -> None:
        self._routes = routes
        self._shared = secrets.token_hex(16)
        self._server = HttpServer(
            fallback=self._answer, max_body_bytes=MAX_BODY_BYTES, partial_bodies=True, request_s=30.0
        )

    def start(self) -> None:
        """Listen."""
        self._server.start()

    def stop(self) -> None:
        """End it."""
        self._server.stop()

    def url(self, session: SessionSpans | None = None) -> str:
        """The base address, of a session or for everybody."""
        return f"{self._server.url}/s/{self._shared if session is None else session.token}"

    def _answer(self, request: HttpRequest) -> HttpResponse:
        match = _PATH.fullmatch(request.path)
        owner = None if match is None else self._routes.by_token(match[1])
        if match is None or (owner is None and match[1] != self._shared):
            return _refusal(
                HTTPStatus.NOT_FOUND, f"nothing is taken here; spans go to .../s/<token>{TRACES_PATH}"
            )
        if request.method != "POST":
            return _refusal(HTTPStatus.METHOD_NOT_ALLOWED, "spans are sent by POST")
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind not in {_PROTOBUF, _JSON}:
            return self._lost(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"content type {quote(kind, 60)}", owner)
        if match[2] == "traces":
            refusal = self._take(request, as_json=kind == _JSON, owner=owner)
            if refusal is not None:
                return refusal
        return HttpResponse(body=b"{}" if kind == _JSON else b"", content_type=kind)

    def _take(
        self, request: HttpRequest, *, as_json: bool, owner: SessionSpans | None
    ) -> HttpResponse | None:
        if request.body_size > len(request.body):
            return self._lost(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"more than {MAX_BODY_BYTES} bytes", owner)
        if not request.complete:
            return self._lost(HTTPStatus.BAD_REQUEST, "the request broke off", owner)
        try:
            spans = spans_in(_unpacked(request), as_json=as_json)
        except MalformedTracesError as error:
            return self._lost(HTTPStatus.BAD_REQUEST, quote(str(error), 300), owner)
        for span in spans:
            self._routes.give(span, owner=owner, over_otlp=True)
        return None

    def _lost(self, status: HTTPStatus, why: str, owner: SessionSpans | None) -> HttpResponse:
        self._routes.doubt(f"spans that were sent over OTLP could not be taken: {why}", owner=owner)
        return _refusal(status, why)


def _refusal(status: HTTPStatus, why: str) -> HttpResponse:
    return HttpResponse(status=status, body=json.dumps({"message": why}).encode(), content_type=_JSON)


def _unpacked(request: HttpRequest) -> bytes:
    encoding = request.headers.get("content-encoding", "identity").strip().lower()
    if encoding in {"", "identity"}:
        return request.body
    if encoding not in {"gzip", "deflate"}:
        msg = f"the content encoding {encoding!r} is not supported"
        raise MalformedTracesError(msg)
    unpacker = zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)  # either of the two, by its header
    try:
        data = unpacker.decompress(request.body, MAX_UNPACKED_BYTES)
    except zlib.error as error:
        msg = f"the body is not {encoding}: {error}"
        raise MalformedTracesError(msg) from error
    if not unpacker.eof or unpacker.unconsumed_tail:
        msg = f"the body ends early, or is longer than {MAX_UNPACKED_BYTES} bytes when it is unpacked"
        raise MalformedTracesError(msg)
    return data
