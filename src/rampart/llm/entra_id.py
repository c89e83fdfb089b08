"""Tokens of Entra ID, with which resources on Azure are used in place of a key."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Protocol

from rampart.core.errors import ConfigurationError
from rampart.text.oneline import quote
from rampart.text.secrets import MIN_SECRET_LENGTH, register_secret

SCOPE = "https://cognitiveservices.azure.com/.default"
_RENEWED_BEFORE_S = 300.0


class AccessToken(Protocol):
    """A token and when it ends, in seconds since 1970."""

    @property
    def token(self) -> str: ...  # noqa: D102  # said above

    @property
    def expires_on(self) -> int: ...  # noqa: D102  # said above


class TokenCredential(Protocol):
    """What azure-identity calls a credential; of its clients for threads, which need no event loop."""

    def get_token(self, *scopes: str) -> AccessToken: ...  # noqa: D102  # said above


class EntraIdToken:
    """Fetches tokens and keeps each until shortly before it ends; safe to share between loops and threads.

    Args:
        credential: Who asks; None asks as `DefaultAzureCredential` finds out (environment, workload or
            managed identity, `az login`), made when the first token is needed.
    """

    def __init__(self, *, credential: TokenCredential | None = None) -> None:
        self._credential = credential
        # One object, so that readers, who take no lock, see no token with the end of another one.
        self._current: tuple[str, float] | None = None
        self._lock = threading.Lock()

    async def get_async(self) -> str:
        """Return a token that is good for some minutes.

        Raises:
            ConfigurationError: If azure-identity is not installed, or gives none.
        """
        kept = self._kept()
        return await asyncio.to_thread(self._fetched) if kept is None else kept

    def _kept(self) -> str | None:
        current = self._current
        if current is None or current[1] - _RENEWED_BEFORE_S <= time.time():
            return None
        return current[0]

    def _fetched(self) -> str:
        with self._lock:  # the first of many concurrent calls fetches it for all
            kept = self._kept()
            if kept is not None:
                return kept
            if self._credential is None:
                self._credential = _default_credential()
            reason = ""
            try:
                fetched = self._credential.get_token(SCOPE)
            except Exception as error:  # the library has a family of its own, which is not imported here
                reason = quote(" ".join(str(error).split()) or type(error).__name__, limit=300)
            if reason:  # outside of the handler: the library's text may hold what ours does not
                msg = (
                    f"Entra ID gave no token for {SCOPE} ({reason}); log in with `az login`, set the "
                    "variables of a service principal (AZURE_TENANT_ID, AZURE_CLIENT_ID, "
                    "AZURE_CLIENT_SECRET), or pass a key as LLMConfig.api_key"
                )
                raise ConfigurationError(msg)
            if len(fetched.token) >= MIN_SECRET_LENGTH:
                register_secret(fetched.token)
            self._current = fetched.token, float(fetched.expires_on)
            return fetched.token


def _default_credential() -> TokenCredential:
    try:
        from azure.identity import DefaultAzureCredential  # noqa: PLC0415  # of an extra
    except ModuleNotFoundError as error:
        msg = (
            "an Azure endpoint without LLMConfig.api_key needs azure-identity, which is not installed: "
            'pip install "rampart[azure]", or pass a key as api_key'
        )
        raise ConfigurationError(msg) from error
    return DefaultAzureCredential()
