"""Where a model is reached, and how that place wants to be spoken to."""

from __future__ import annotations

import ipaddress
import os
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, parse_qsl, quote_plus, urlsplit
from urllib.parse import quote as quote_for_url

from rampart.core.errors import ConfigurationError
from rampart.core.log import log
from rampart.text.oneline import one_line, quote
from rampart.text.secrets import MIN_SECRET_LENGTH, register_secret

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rampart.core.llm import LLMConfig

PUBLIC_URL = "https://api.openai.com/v1"
_AZURE_HOSTS = (".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com")
_CALL_PATH = "/chat/completions"
_OTHER_PLACE = "OPENAI_BASE_URL"
_STATES_COST = "openrouter.ai"
_NAMES_A_KEY = re.compile("auth|code|credential|key|pass|secret|sig|token", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """A service that speaks chat completions.

    Attributes:
        url: Base URL without a query; calls go to `<url>/chat/completions`.
        query: Sent with each call.
        is_azure: Whether it is a resource on Azure, where Entra ID can stand in for a key.
    """

    url: str
    query: Mapping[str, str] = field(default_factory=dict, repr=False)
    is_azure: bool = False

    @property
    def shown_url(self) -> str:
        """The base URL as messages show it."""
        return one_line(self.url)

    @property
    def is_public(self) -> bool:
        """Whether it is the public endpoint of OpenAI."""
        return urlsplit(self.url).hostname == urlsplit(PUBLIC_URL).hostname

    @property
    def states_cost(self) -> bool:
        """Whether it says in each answer what that cost, in US dollars."""
        return urlsplit(self.url).hostname == _STATES_COST

    @property
    def is_loopback(self) -> bool:
        """Whether it is on this machine."""
        host = urlsplit(self.url).hostname or ""
        try:
            return ipaddress.ip_address(host).is_loopback
        except ValueError:
            return host == "localhost"


def endpoint_of(config: LLMConfig) -> Endpoint:
    """Find out where the calls of a configuration go.

    A resource on Azure is spoken to by its API of `/openai/v1`, or, where an API version is given, by that
    of its deployments. The version is that in the endpoint's query (`?api-version=...`), or
    `metadata["api_version"]`, or that of the environment variable OPENAI_API_VERSION.

    Raises:
        ConfigurationError: If the endpoint is no http or https URL, holds a user, or names the call itself.
    """
    if config.endpoint is None:
        if os.environ.get(_OTHER_PLACE, "").strip():
            log.warning(
                "%s is set but not read: LLMConfig(model=%r) goes to %s; give its value as endpoint if the "
                "model is there",
                _OTHER_PLACE,
                config.model,
                PUBLIC_URL,
            )
        return Endpoint(url=PUBLIC_URL)
    parts = _parts(config.endpoint)
    query = dict(parse_qsl(parts.query, keep_blank_values=True))
    _register_keys(query)
    base = f"{parts.scheme}://{parts.netloc}"
    path = parts.path.rstrip("/")
    if not is_azure_host(parts.hostname or ""):
        return Endpoint(url=base + path, query=query)
    version = query.get("api-version") or config.metadata.get("api_version")
    if path in {"", "/openai"}:
        version = version or os.environ.get("OPENAI_API_VERSION", "").strip()
        deployment = quote_for_url(config.deployment or config.model, safe="")
        path = f"/openai/deployments/{deployment}" if version else "/openai/v1"
    if version:
        query["api-version"] = str(version)
    return Endpoint(url=base + path, query=query, is_azure=True)


def _register_keys(query: Mapping[str, str]) -> None:
    """Make sure that keys which travel in the address, and so in logs, are blanked out in all text."""
    for name, value in query.items():
        if len(value.strip()) >= MIN_SECRET_LENGTH and _NAMES_A_KEY.search(name):
            for form in {value, quote_for_url(value), quote_for_url(value, safe=""), quote_plus(value)}:
                register_secret(form)


def is_azure_host(host: str) -> bool:
    """Whether a host name is that of a resource on Azure that serves models."""
    return host.lower().endswith(_AZURE_HOSTS)


def _shown(text: str) -> str:
    """An endpoint that cannot be taken apart, without what may be a password or a key in it."""
    if "@" in text:
        return "(not shown: it may hold a password)"
    return repr(quote(text.partition("?")[0], limit=200))


def _parts(endpoint: object) -> SplitResult:
    """Take the URL apart, or say what is wrong with it."""
    text = endpoint.strip() if isinstance(endpoint, str) else ""
    try:
        parts = urlsplit(text)
        labels = (parts.hostname or "").removesuffix(".").split(".")
        usable = parts.scheme in {"http", "https"} and parts.port != 0 and all(labels)
    except ValueError:
        usable = False
    if not usable or not (text.isascii() and text.isprintable()) or " " in text:
        shown = _shown(text) if isinstance(endpoint, str) else repr(type(endpoint).__name__)
        msg = (
            f"LLMConfig.endpoint {shown} is no http or https URL; give a base URL such as "
            "http://127.0.0.1:8080/v1, or None for the public endpoint of OpenAI"
        )
        raise ConfigurationError(msg)
    if "@" in parts.netloc:
        msg = "LLMConfig.endpoint holds a user or password, which is not sent; give the credential as api_key"
        raise ConfigurationError(msg)
    if parts.path.rstrip("/").endswith(_CALL_PATH):
        msg = (
            f"LLMConfig.endpoint ends in {_CALL_PATH}, which is added to each call: give the base URL "
            + one_line(f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/').removesuffix(_CALL_PATH)}")
        )
        raise ConfigurationError(msg)
    return parts
