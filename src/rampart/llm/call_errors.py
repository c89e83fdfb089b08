"""The error of a call that failed: what was seen, and what can be done about it."""

from __future__ import annotations

import ssl
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from rampart.core.errors import ChatModelError, EmptyCompletionError, RateLimitError
from rampart.llm.refusal import Refusal, refusal_of
from rampart.llm.retry_after import retry_after_s
from rampart.llm.retrying import TransientError
from rampart.text.oneline import quote

if TYPE_CHECKING:
    from collections.abc import Mapping

_TRANSIENT = {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.CONFLICT, HTTPStatus.TOO_EARLY}
_NEVER_TRANSIENT = {HTTPStatus.NOT_IMPLEMENTED, HTTPStatus.HTTP_VERSION_NOT_SUPPORTED}
_FILTERED = {"content_filter", "ResponsibleAIPolicyViolation"}


def status_error(
    status: int, *, body: str, headers: Mapping[str, str], who: str, key_source: str
) -> ChatModelError | TransientError:
    """The error for a response that is no success.

    Args:
        status: The status code.
        body: The response's body.
        headers: Its headers, by lower-case name.
        who: The model and its place, as messages name them.
        key_source: Where the credential came from.

    Returns:
        A `TransientError` where the same call may succeed later.
    """
    refusal = refusal_of(body)
    if refusal.code in _FILTERED:
        return EmptyCompletionError(f"{who} answered nothing: its content filter refused the prompt")
    if 300 <= status < 400:
        return ChatModelError(f"{who} answered with {status}{_redirect(headers)}")
    text = f"{who} answered with status {status}: {refusal.text}"
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return _throttled(text, refusal=refusal, headers=headers)
    if _is_transient(status) and headers.get("x-should-retry") != "false":
        return TransientError(ChatModelError(text, retryable=True), retry_after_s=retry_after_s(headers))
    return ChatModelError(text + _hint(status, key_source=key_source))


def connection_error(error: BaseException, *, who: str) -> ChatModelError | TransientError:
    """The error for a call that got no response, or only a part of one."""
    chain = list(_chain(error))
    reason = quote(
        next((str(one) for one in reversed(chain) if str(one)), type(chain[-1]).__name__), limit=200
    )
    if any(isinstance(one, ssl.SSLCertVerificationError) for one in chain):
        return ChatModelError(
            f"{who} could not be trusted ({reason}); make its certificate authority known with the "
            "environment variable SSL_CERT_FILE"
        )
    names = {type(one).__name__ for one in chain}
    if "OversizedBodyError" in names:
        return ChatModelError(f"{who} does not end its answer ({reason}), which can be no chat completion")
    if any(isinstance(one, ssl.SSLError) for one in chain):
        text = f"{who} could not be reached ({reason}); does the server speak https?"
    elif names & {"RemoteProtocolError", "ReadError", "DecodingError"}:
        text = f"{who} broke off its answer ({reason}); does the server, or a proxy before it, restart?"
    else:
        text = f"{who} could not be reached ({reason}); check LLMConfig.endpoint, and that the server runs"
    return TransientError(ChatModelError(text, retryable=True), retry_after_s=None)


def silence_error(*, timeout_s: float, who: str) -> ChatModelError:
    """The error for a model that did not answer in time.

    It is not asked again: a second wait of that length would outlast the limit of a turn, whose error does
    not name the model.
    """
    return ChatModelError(
        f"{who} did not answer within {timeout_s:g} s; where it needs longer, set "
        "LLMConfig.metadata['timeout_s'], and Limits.turn_timeout_s above it",
        retryable=True,
    )


def _throttled(text: str, *, refusal: Refusal, headers: Mapping[str, str]) -> ChatModelError | TransientError:
    if refusal.code == "insufficient_quota":  # waiting does not help, and it is no limit of the rate
        return ChatModelError(f"{text}; the account has no credit left for this model")
    return TransientError(RateLimitError(text, retryable=True), retry_after_s=retry_after_s(headers))


def _is_transient(status: int) -> bool:
    return status in _TRANSIENT or (status >= 500 and status not in _NEVER_TRANSIENT)


def _redirect(headers: Mapping[str, str]) -> str:
    try:
        target = urlsplit(headers.get("location", ""))
        place = f"{target.scheme}://{target.hostname}" if target.hostname else target.path
    except ValueError:
        place = ""
    return (
        f", a redirect to {quote(place, limit=200) or 'nowhere'}, which is not followed: the key and the "
        "conversation go to the configured place alone; if it is right, give it as LLMConfig.endpoint"
    )


def _hint(status: int, *, key_source: str) -> str:
    if status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        return f"; check the credential, {key_source}, and that it may use this model"
    if status in {HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED}:
        return (
            "; LLMConfig.endpoint usually ends in /v1, and LLMConfig.model (or deployment) must name a "
            "model that is served there"
        )
    return ""


def _chain(error: BaseException | None) -> list[BaseException]:
    """An error and what caused it, the first cause last."""
    chain: list[BaseException] = []
    while error is not None and error not in chain:
        chain.append(error)
        error = error.__cause__ or error.__context__
    return chain
