"""What a configuration of chat completions comes to, once it is checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rampart.core.errors import ConfigurationError
from rampart.llm.credentials import KEY_VARIABLE, credential_of
from rampart.llm.endpoint import Endpoint, endpoint_of
from rampart.llm.openai_clients import OpenAIClients
from rampart.llm.options import CallOptions, call_options
from rampart.text.oneline import quote
from rampart.text.safe import safe_repr

if TYPE_CHECKING:
    from rampart.core.llm import LLMConfig


@dataclass(frozen=True, kw_only=True)
class Service:
    """What calls need.

    Attributes:
        endpoint: Where they go.
        options: How they are made.
        clients: The clients that make them.
        who: The model and its place, as messages name them.
        key_source: Where the credential came from, as messages name it.
    """

    endpoint: Endpoint
    options: CallOptions
    clients: OpenAIClients
    who: str
    key_source: str


def service_of(config: LLMConfig) -> Service:
    """Check a configuration and prepare for its calls.

    Raises:
        ConfigurationError: If something is missing or unusable; the field is named.
    """
    _check_name("model", config.model)
    if config.deployment is not None and config.deployment != "":
        _check_name("deployment", config.deployment)
    metadata: object = config.metadata
    if not isinstance(metadata, dict):
        msg = f"LLMConfig.metadata must be a dict, got {type(metadata).__name__}"
        raise ConfigurationError(msg)
    retries: object = config.max_retries
    if isinstance(retries, bool) or not isinstance(retries, int) or retries < 0:
        msg = f"LLMConfig.max_retries must be an int of 0 or more, got {quote(safe_repr(retries), limit=100)}"
        raise ConfigurationError(msg)
    endpoint = endpoint_of(config)
    credential = credential_of(config, endpoint=endpoint)
    source = KEY_VARIABLE if config.api_key is None else "LLMConfig.api_key"
    return Service(
        endpoint=endpoint,
        options=call_options(config),
        clients=OpenAIClients(endpoint=endpoint, credential=credential),
        who=f"the model '{quote(config.deployment or config.model, limit=100)}' at {endpoint.shown_url}",
        key_source=source if isinstance(credential, str) else "a token of Entra ID",
    )


def _check_name(field: str, name: object) -> None:
    """Refuse what names no model; a configuration is not checked when it is made."""
    if not isinstance(name, str) or not name.strip():
        msg = f"LLMConfig.{field} must name a model, got {quote(safe_repr(name), limit=100)}"
        raise ConfigurationError(msg)
    try:
        name.encode()
    except UnicodeEncodeError:
        msg = f"LLMConfig.{field} holds half a character, which cannot be sent: {quote(name, limit=100)}"
        raise ConfigurationError(msg) from None
