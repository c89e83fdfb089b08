"""The limiters of all endpoints, one each for the whole process."""

from __future__ import annotations

import os
import threading
from urllib.parse import urlsplit

from rampart.llm.endpoint import PUBLIC_URL
from rampart.llm.limiter import EndpointLimiter
from rampart.llm.load_limits import LoadLimits
from rampart.text.oneline import quote

_DEFAULT_PORTS = {"http": 80, "https": 443}

_limiters: dict[str, EndpointLimiter] = {}


class _Process:
    lock = threading.Lock()


def _begin_anew() -> None:
    """In a forked process: the calls of the other one end there, and so do threads that held the lock."""
    _Process.lock = threading.Lock()
    for key, limiter in _limiters.items():
        _limiters[key] = EndpointLimiter(limiter.limits)


if hasattr(os, "register_at_fork"):  # not on Windows, which has no fork
    os.register_at_fork(after_in_child=_begin_anew)


def limit_endpoint(
    endpoint: str | None,
    /,
    *,
    requests_in_flight: int | None = 20,
    requests_per_minute: float | None = None,
    tokens_per_minute: float | None = None,
) -> None:
    """Say how much an endpoint takes, for every model that is reached there, in the whole process.

    Best called once, in `conftest.py`; a later call replaces all three limits and holds from then on. Each
    process of a distributed run (`pytest -n`) has limits of its own, so give each its share.

    Args:
        endpoint: The base URL as in `LLMConfig.endpoint`; None means the public endpoint of OpenAI. Case of
            the host, a default port, a query and slashes at the end make no difference.
        requests_in_flight: Calls under way at once; None means no limit.
        requests_per_minute: Calls started in a minute, evenly spread over it; None means no limit.
        tokens_per_minute: Tokens used in a minute, likewise; None means no limit. A call counts with an
            estimate when it starts, and with what it really used when it ends.

    Raises:
        TypeError: If a limit is no number, or `requests_in_flight` no int, or `endpoint` no text.
        ValueError: If a limit is not positive and finite, or `endpoint` is no http or https URL.
    """
    limits = LoadLimits(
        requests_in_flight=requests_in_flight,
        requests_per_minute=requests_per_minute,
        tokens_per_minute=tokens_per_minute,
    )
    if endpoint is not None and not isinstance(endpoint, str):
        msg = f"endpoint must be a base URL, or None for the public endpoint of OpenAI, got {endpoint!r}"
        raise TypeError(msg)
    if _canonical(endpoint) is None:
        msg = (
            f"endpoint must be an http or https URL such as http://127.0.0.1:8080/v1, or None for the public "
            f"endpoint of OpenAI, got {quote(endpoint or '', limit=200)!r}"
        )
        raise ValueError(msg)
    limiter_of(endpoint).change(limits)


def limiter_of(endpoint: str | None, /) -> EndpointLimiter:
    """The limiter of an endpoint, the same one whoever asks; with default limits if none were set.

    Args:
        endpoint: A base URL, None for the public endpoint of OpenAI, or any other text that names what
            calls are sent to.
    """
    key = _canonical(endpoint) or f"={endpoint}"
    with _Process.lock:
        return _limiters.setdefault(key, EndpointLimiter())


def _canonical(endpoint: str | None) -> str | None:
    """One spelling for all those that mean the same; None for what is no URL of the web."""
    try:
        parts = urlsplit((PUBLIC_URL if endpoint is None else endpoint).strip())
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in _DEFAULT_PORTS or not parts.hostname:
        return None
    port = port or _DEFAULT_PORTS[parts.scheme]
    return f"{parts.scheme}://{parts.hostname.rstrip('.')}:{port}{parts.path.rstrip('/')}"
