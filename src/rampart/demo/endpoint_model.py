"""Any OpenAI-compatible server, spoken to with the standard library."""

import http.client
import json
from collections.abc import Mapping
from typing import Any, Self
from urllib.parse import SplitResult, urlsplit

from rampart.core.errors import ChatModelError, ConfigurationError
from rampart.core.llm import ChatMessage
from rampart.demo.chat_reply import reply_text
from rampart.text.oneline import quote
from rampart.text.secrets import MIN_SECRET_LENGTH, register_secret

_TIMEOUT_S = 60.0
_LARGEST_REPLY = 1 << 20
_PARALLEL = 4


class EndpointModel:
    """A model behind `POST <endpoint>/chat/completions`; each call has a connection of its own.

    Redirects are not followed, so the key goes nowhere but to the server that was named.

    Args:
        endpoint: Base URL as OpenAI clients take it, usually ending in `/v1`.
        model: Name of the model on that server.
        api_key: Sent as a bearer token; None sends none.
        timeout_s: Limit for connecting and for each wait on the server, in seconds.

    Raises:
        ConfigurationError: If `endpoint` is no http or https URL, or the key cannot be sent.
    """

    def __init__(
        self, *, endpoint: str, model: str, api_key: str | None = None, timeout_s: float = _TIMEOUT_S
    ) -> None:
        parts = _address(endpoint)
        if api_key is not None:
            _check_key(api_key)
        self._secure = parts.scheme == "https"
        self._host = parts.hostname or ""
        self._port = parts.port
        self._path = f"{parts.path.rstrip('/')}/chat/completions" + (f"?{parts.query}" if parts.query else "")
        self._model = model
        self._api_key = api_key
        self._timeout_s = timeout_s
        self._takes_schema = True

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> Self:
        """Read `RAMPART_LLM_ENDPOINT`, `RAMPART_LLM_MODEL` and, optionally, `RAMPART_LLM_API_KEY`.

        Raises:
            ConfigurationError: If one of the first two is missing or the URL is no URL.
        """
        for name, meaning in (
            ("RAMPART_LLM_ENDPOINT", "base URL of an OpenAI-compatible server"),
            ("RAMPART_LLM_MODEL", "name of the model on that server"),
        ):
            if not environ.get(name, "").strip():
                raise ConfigurationError(f"{name} is not set; set it to the {meaning}")
        return cls(
            endpoint=environ["RAMPART_LLM_ENDPOINT"].strip(),
            model=environ["RAMPART_LLM_MODEL"].strip(),
            api_key=environ.get("RAMPART_LLM_API_KEY", "").strip() or None,
        )

    @property
    def description(self) -> str:
        """The model's name and the server's."""
        return f"{self._model}, on {self._host}"

    @property
    def parallel(self) -> int:
        """A number that ordinary servers take without complaint."""
        return _PARALLEL

    def complete(
        self,
        messages: list[ChatMessage],
        *,
        max_tokens: int,
        temperature: float,
        seed: int,
        schema: dict[str, Any] | None = None,
    ) -> str:
        """Answer a conversation; see `Model.complete`.

        A server that refuses the schema is asked again without it, and not bothered with one any more:
        the agent reads replies defensively anyway.
        """
        request: dict[str, Any] = {
            "model": self._model,
            "messages": [{"role": message.role, "content": message.content} for message in messages],
            "max_tokens": max_tokens,
            "temperature": temperature,
            "seed": seed,
        }
        if schema is not None and self._takes_schema:
            wrapped = {"name": "reply", "schema": schema, "strict": True}
            status, answer = self._post(
                {**request, "response_format": {"type": "json_schema", "json_schema": wrapped}}
            )
            if status != http.HTTPStatus.BAD_REQUEST:
                return self._text(status, answer)
        status, answer = self._post(request)
        if schema is not None and status == http.HTTPStatus.OK:
            self._takes_schema = False
        return self._text(status, answer)

    def _post(self, request: dict[str, Any]) -> tuple[int, bytes]:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._api_key is not None:
            headers["Authorization"] = f"Bearer {self._api_key}"
        kind = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
        connection = kind(self._host, self._port, timeout=self._timeout_s)
        try:
            connection.request("POST", self._path, body=json.dumps(request).encode(), headers=headers)
            response = connection.getresponse()
            return response.status, response.read(_LARGEST_REPLY)
        except (OSError, http.client.HTTPException) as error:
            reason = quote(str(error) or type(error).__name__)
            raise ChatModelError(
                f"{self._host} did not answer ({reason}); check RAMPART_LLM_ENDPOINT, and that it runs",
                retryable=True,
            ) from error
        finally:
            connection.close()

    def _text(self, status: int, body: bytes) -> str:
        shown = quote(body.decode("utf-8", "replace"), limit=300)
        if status != http.HTTPStatus.OK:
            raise ChatModelError(
                f"{self._host} answered {self._path} with status {status}: {shown}{_hint(status)}"
            )
        try:
            return reply_text(json.loads(body))
        except ValueError as error:
            raise ChatModelError(
                f"{self._host} sent no chat completion ({quote(str(error), limit=300)}): {shown}"
            ) from error


def _address(endpoint: str) -> SplitResult:
    """Take the URL apart, or say what is wrong with it."""
    try:
        parts = urlsplit(endpoint)
        usable = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    if not usable or not (endpoint.isascii() and endpoint.isprintable() and " " not in endpoint):
        raise ConfigurationError(
            f"the endpoint {quote(endpoint)!r} is no http or https URL; give a base URL such as "
            f"http://127.0.0.1:8080/v1"
        )
    return parts


def _check_key(api_key: str) -> None:
    """Keep the key out of all text; refuse one that no header can carry, without showing it."""
    if len(api_key.strip()) >= MIN_SECRET_LENGTH:
        register_secret(api_key)
    if not (api_key.isascii() and api_key.isprintable()):
        raise ConfigurationError(
            "the key in RAMPART_LLM_API_KEY holds a line break or another character that cannot be sent; "
            "set it to the key alone"
        )


def _hint(status: int) -> str:
    if status in {http.HTTPStatus.UNAUTHORIZED, http.HTTPStatus.FORBIDDEN}:
        return "; check RAMPART_LLM_API_KEY"
    if status == http.HTTPStatus.NOT_FOUND:
        return "; RAMPART_LLM_ENDPOINT usually ends in /v1, and RAMPART_LLM_MODEL must name one of its models"
    return ""
