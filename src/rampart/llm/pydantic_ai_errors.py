"""What went wrong in a call through pydantic-ai: what was seen, and what can be done about it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from rampart.core.errors import ChatModelError, ConfigurationError, EmptyCompletionError, RateLimitError
from rampart.core.log import log
from rampart.llm.refusal import refusal_of
from rampart.llm.retrying import TransientError
from rampart.text.oneline import quote

if TYPE_CHECKING:
    from pydantic_ai.exceptions import ModelAPIError

_TRANSIENT_STATUS = frozenset({408, 409, 425})
_BROKEN_OFF = frozenset({"RemoteProtocolError", "ReadError", "DecodingError"})
_SHOWN = 300


def failure_of(error: Exception, *, who: str, is_function: bool) -> Exception:
    """The error to raise for one of pydantic-ai's or of a library below it.

    Args:
        error: What the call raised.
        who: The model, as messages name it.
        is_function: Whether the model is a function in this process, whose errors are the user's own.

    Returns:
        A `TransientError` where the same call may succeed later. An error that is none of a model, a library
        or a connection comes back as it is if the model is a function of the user's.
    """
    from pydantic_ai import exceptions  # noqa: PLC0415  # of an extra; it raised the error

    if isinstance(error, exceptions.ModelAPIError):
        return _refused(error, who=who)
    if isinstance(error, exceptions.ContentFilterError):
        return EmptyCompletionError(f"{who} answered nothing: its content filter refused the prompt")
    if isinstance(error, exceptions.UserError):
        return ConfigurationError(f"{who} cannot be used as it is set up: {_said(error)}")
    if isinstance(error, exceptions.AgentRunError):
        return ChatModelError(f"{who} gave no usable answer: {_said(error)}")
    if _is_of_a_connection(error):
        return TransientError(ChatModelError(_lost(error, who=who), retryable=True))
    if is_function:
        return error
    # Libraries trip over answers that are made for it, such as one nested too deep, in ways of their own.
    log.debug("%s failed in a way that its library does not tell of", who, exc_info=error)
    return ChatModelError(f"{who} gave no usable answer ({type(error).__name__}: {_said(error)})")


def _refused(error: ModelAPIError, *, who: str) -> Exception:
    from pydantic_ai import exceptions  # noqa: PLC0415  # of an extra; it raised the error

    if isinstance(error, exceptions.ModelConnectionError):
        text = _lost(error, who=who)
        return TransientError(ChatModelError(text, retryable=True))
    if isinstance(error, exceptions.ModelRequestTimeout):
        return ChatModelError(f"{who} did not answer in time: {_said(error)}", retryable=True)
    status = getattr(error, "status_code", None)
    answered = f"answered with status {status}" if status is not None else "answered with an error"
    text = f"{who} {answered}: {_body_of(error)}"
    if isinstance(error, exceptions.ModelQuotaExceededError):
        return ChatModelError(f"{text}; the account has no credit left for this model")
    if isinstance(error, exceptions.ModelRateLimitError):
        return TransientError(RateLimitError(text, retryable=True), retry_after_s=error.retry_after)
    passing = exceptions.ModelUnavailableError | exceptions.ModelServerError
    if isinstance(error, passing) or status in _TRANSIENT_STATUS:
        return TransientError(ChatModelError(text, retryable=True), retry_after_s=error.retry_after)
    return ChatModelError(text + _hint(error))


def _hint(error: ModelAPIError) -> str:
    from pydantic_ai import exceptions  # noqa: PLC0415  # of an extra; it raised the error

    if isinstance(error, exceptions.ModelAuthenticationError):
        return "; check the provider's credential, and that it may use this model"
    if isinstance(error, exceptions.ModelNotFoundError):
        return "; check the name of the model, and the address of the provider"
    return ""


def _body_of(error: ModelAPIError) -> str:
    if error.body is None:
        return _said(error)
    body = error.body if isinstance(error.body, str) else json.dumps(error.body, default=str)
    return refusal_of(body).text


def _lost(error: BaseException, *, who: str) -> str:
    """What to say of a connection that failed; the first cause says most."""
    chain = [error]
    while (cause := chain[-1].__cause__ or chain[-1].__context__) is not None and cause not in chain:
        chain.append(cause)
    reason = next((_said(one) for one in reversed(chain) if str(one)), type(chain[-1]).__name__)
    if {type(one).__name__ for one in chain} & _BROKEN_OFF:
        return f"{who} broke off its answer ({reason}); does the server, or a proxy before it, restart?"
    return f"{who} could not be reached ({reason}); check its address, and that it runs"


def _said(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return quote(lines[0] if lines else type(error).__name__, limit=_SHOWN)


def _is_of_a_connection(error: Exception) -> bool:
    """Whether the connection failed in a library below; there are several of them, so by name.

    The libraries translate errors on the way to an answer, not all of those while it is read.
    """
    if isinstance(error, OSError):  # TimeoutError included
        return True
    return any(
        base.__module__.partition(".")[0] in {"httpx", "httpx2", "httpcore", "aiohttp"}
        and base.__name__ in {"HTTPError", "ClientError", "RequestError"}
        for base in type(error).__mro__
    )
