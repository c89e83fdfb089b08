"""What a gateway says where it cannot answer, in the form that the client expects."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from rampart.servers.http_exchange import HttpResponse

if TYPE_CHECKING:
    from collections.abc import Mapping

_ANTHROPIC_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}
_OPENAI_TYPES = {401: "authentication_error", 429: "rate_limit_exceeded"}
JSON = "application/json"


def problem(
    status: int, message: str, *, is_anthropic: bool = False, headers: Mapping[str, str] | None = None
) -> HttpResponse:
    """An error as OpenAI's or Anthropic's clients read it."""
    if is_anthropic:
        kind = _ANTHROPIC_TYPES.get(status, "api_error")
        told: dict[str, object] = {"type": "error", "error": {"type": kind, "message": message}}
    else:
        kind = _OPENAI_TYPES.get(status, "invalid_request_error" if status < 500 else "server_error")
        told = {"error": {"message": message, "type": kind, "param": None, "code": None}}
    return HttpResponse(
        status=status, body=json.dumps(told).encode(), content_type=JSON, headers=dict(headers or {})
    )
