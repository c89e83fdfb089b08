"""What a model's service is shown to let us in."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rampart.core.errors import ConfigurationError
from rampart.llm.entra_id import EntraIdToken
from rampart.text.secrets import MIN_SECRET_LENGTH, register_secret

if TYPE_CHECKING:
    from rampart.core.llm import LLMConfig
    from rampart.llm.endpoint import Endpoint

KEY_VARIABLE = "OPENAI_API_KEY"


def credential_of(config: LLMConfig, *, endpoint: Endpoint) -> str | EntraIdToken:
    """Find the key, or the way to a token.

    Raises:
        ConfigurationError: If there is none, or it cannot be sent.
    """
    if config.api_key is not None:
        return _checked(config.api_key, source="LLMConfig.api_key")
    if endpoint.is_azure:
        return EntraIdToken()
    key = os.environ.get(KEY_VARIABLE, "")
    if not key.strip():
        raise ConfigurationError(_missing(config, endpoint=endpoint))
    return _checked(key, source=f"the environment variable {KEY_VARIABLE}")


def _checked(key: object, *, source: str) -> str:
    """The key without white space around it, which keys read from files have; its text is never shown."""
    if not isinstance(key, str):
        msg = f"{source} must be a str, got {type(key).__name__}"
        raise ConfigurationError(msg)
    key = key.strip()
    if len(key) >= MIN_SECRET_LENGTH:
        register_secret(key)
    if not key:
        msg = f"{source} is empty; give the key, or any text where the server asks for none"
        raise ConfigurationError(msg)
    if not (key.isascii() and key.isprintable()):
        msg = f"{source} holds a line break or another character that cannot be sent; give the key alone"
        raise ConfigurationError(msg)
    return key


def _missing(config: LLMConfig, *, endpoint: Endpoint) -> str:
    what = f"there is no credential for the model {config.model!r} at {endpoint.shown_url}"
    ways = f"pass LLMConfig.api_key or set the environment variable {KEY_VARIABLE}"
    if endpoint.is_loopback:
        return f"{what}: {ways}; a server that asks for no key takes any text, such as 'none'"
    return f"{what}: {ways}; a server that asks for none takes any text as api_key"
