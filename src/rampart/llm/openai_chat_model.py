"""Any service that speaks chat completions, through the official `openai` library."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from rampart.core.errors import ChatModelError, ConfigurationError, EmptyCompletionError
from rampart.core.llm import Completion, LLMConfig
from rampart.core.log import log
from rampart.llm.call_errors import connection_error, silence_error, status_error
from rampart.llm.completion_body import CompletionBody, read_completion, stated_error
from rampart.llm.credentials import KEY_VARIABLE, credential_of
from rampart.llm.endpoint import Endpoint, endpoint_of
from rampart.llm.endpoint_limits import limiter_of
from rampart.llm.openai_clients import OpenAIClients
from rampart.llm.options import CallOptions, call_options
from rampart.llm.prices import cost_usd
from rampart.llm.retrying import TransientError, call_with_retries_async
from rampart.llm.structured_reply import response_format
from rampart.llm.usage_figures import stated_cost_usd, usage_of
from rampart.text.oneline import quote

if TYPE_CHECKING:
    from openai import AsyncOpenAI

    from rampart.core.llm import ChatMessage
    from rampart.core.types import Usage

_SCHEMA_REFUSED = (400, 422)
_CHARACTERS_PER_TOKEN = 4
_EXPECTED_OUTPUT_TOKENS = 500


@dataclass(frozen=True, kw_only=True)
class _Service:
    """What a checked configuration comes to."""

    endpoint: Endpoint
    options: CallOptions
    clients: OpenAIClients
    who: str
    key_source: str


@dataclass(frozen=True, kw_only=True)
class _Reply:
    """What one request brought."""

    status: int
    body: str
    headers: dict[str, str]


class OpenAIChatModel:
    """A model behind `POST <endpoint>/chat/completions`: OpenAI, Azure, OpenRouter, vLLM, Ollama, llama.cpp.

    Nothing is imported, checked or reached before the first call. Calls may come from several event loops
    and threads at once. Failures that pass (connection, rate limit, server error) are retried as
    `LLMConfig.max_retries` says; redirects are not followed. A service that refuses a schema with status 400
    or 422 is asked again without it, and not sent one any more.

    Args:
        config: Which model, and where. Of its metadata `frequency_penalty`, `max_completion_tokens`,
            `max_tokens`, `presence_penalty`, `seed`, `temperature` and `top_p` are sent; `timeout_s` (90) is
            how many seconds one answer may take, and `api_version` chooses the API of Azure's deployments.
            Other keys are named once in a log warning.

    Raises:
        TypeError: If `config` is no LLMConfig.
    """

    def __init__(self, *, config: LLMConfig) -> None:
        if not isinstance(config, LLMConfig):
            msg = f"config must be an LLMConfig, got {type(config).__name__}"
            raise TypeError(msg)
        self._config = config
        self._checked: _Service | None = None
        self._lock = threading.Lock()
        self._takes_schema = True
        self._told_of_length = False

    def __repr__(self) -> str:
        """The model; an endpoint may hold more than anybody should read."""
        return f"OpenAIChatModel({self.model_name!r})"

    @property
    def model_name(self) -> str:
        """The name that is sent to the service."""
        return self._config.deployment or self._config.model

    async def complete_async(
        self, *, messages: list[ChatMessage], response_schema: dict[str, Any] | None = None
    ) -> Completion:
        """Answer a conversation; see `ChatModel.complete_async`.

        Raises:
            ConfigurationError: If the configuration, an extra or a credential is missing or unusable.
            RateLimitError: If the service's rate limit stood in the way to the last attempt.
            EmptyCompletionError: If the model answered nothing, refused, or its content filter did.
            ChatModelError: If the service was not reached, refused the call, or sent no completion.
        """
        service = self._service()
        request: dict[str, Any] = {
            "model": self.model_name,
            "messages": [{"role": message.role, "content": message.content} for message in messages],
            **service.options.sampling,
        }
        requests = _Count()
        async with service.clients.lease_async() as client:
            body = await call_with_retries_async(
                lambda: self._attempt_async(
                    client, request=request, schema=response_schema, service=service, requests=requests
                ),
                limiter=limiter_of(self._config.endpoint),
                max_retries=self._config.max_retries,
                tokens=_expected_tokens(request),
                used=_used_tokens,
            )
        self._tell_of_length(body, who=service.who)
        usage = self._priced(
            usage_of(body.usage, requests=requests.made), body=body, url=service.endpoint.url
        )
        return Completion(text=body.text, usage=usage)

    async def _attempt_async(
        self,
        client: AsyncOpenAI,
        *,
        request: dict[str, Any],
        schema: dict[str, Any] | None,
        service: _Service,
        requests: _Count,
    ) -> CompletionBody:
        reply = None
        if schema is not None and self._takes_schema:
            with_schema = {**request, "response_format": response_format(schema)}
            reply = await _ask_async(client, with_schema, service=service, requests=requests)
            if reply.status in _SCHEMA_REFUSED and not isinstance(
                _failure(reply, service=service), EmptyCompletionError
            ):
                reply = await _ask_async(client, request, service=service, requests=requests)
                if reply.status == 200:
                    self._takes_schema = False
        if reply is None:
            reply = await _ask_async(client, request, service=service, requests=requests)
        failure = _failure(reply, service=service)
        if failure is not None:
            raise failure
        return read_completion(reply.body, who=service.who)

    def _service(self) -> _Service:
        with self._lock:
            if self._checked is None:
                self._checked = _service_of(self._config)
            return self._checked

    def _tell_of_length(self, body: CompletionBody, *, who: str) -> None:
        if body.finish_reason == "length" and not self._told_of_length:
            self._told_of_length = True
            log.warning(
                "%s was cut at its largest number of tokens (finish_reason length); raise "
                "max_completion_tokens or max_tokens in LLMConfig.metadata",
                who,
            )

    def _priced(self, usage: Usage, *, body: CompletionBody, url: str) -> Usage:
        names = (self._config.model, self.model_name, body.model)
        cost = cost_usd(usage, models=names, url=url)
        return replace(usage, cost_usd=stated_cost_usd(body.usage) if cost is None else cost)


class _Count:
    """How many requests one call has made."""

    def __init__(self) -> None:
        self.made = 0


def _service_of(config: LLMConfig) -> _Service:
    """Check a configuration and prepare for its calls.

    Raises:
        ConfigurationError: If something is missing or unusable; the field is named.
    """
    model: object = config.model  # a configuration is not checked when it is made
    if not isinstance(model, str) or not model.strip():
        msg = f"LLMConfig.model must name a model, got {model!r}"
        raise ConfigurationError(msg)
    retries: object = config.max_retries
    if isinstance(retries, bool) or not isinstance(retries, int) or retries < 0:
        msg = f"LLMConfig.max_retries must be an int of 0 or more, got {retries!r}"
        raise ConfigurationError(msg)
    endpoint = endpoint_of(config)
    credential = credential_of(config, endpoint=endpoint)
    source = KEY_VARIABLE if config.api_key is None else "LLMConfig.api_key"
    return _Service(
        endpoint=endpoint,
        options=call_options(config),
        clients=OpenAIClients(endpoint=endpoint, credential=credential),
        who=f"the model '{quote(config.deployment or config.model, limit=100)}' at {endpoint.url}",
        key_source=source if isinstance(credential, str) else "a token of Entra ID",
    )


async def _ask_async(
    client: AsyncOpenAI, request: dict[str, Any], *, service: _Service, requests: _Count
) -> _Reply:
    """Make one request; the library's errors, whose texts may hold anything, end here.

    Raises:
        TransientError: If there was no whole response.
        ChatModelError: If there was none in time.
    """
    import openai  # noqa: PLC0415  # of an extra; the client in hand shows that it is there
    from httpx2 import HTTPError  # noqa: PLC0415  # likewise

    timeout_s = service.options.timeout_s
    requests.made += 1
    failure: ChatModelError | TransientError
    try:
        async with asyncio.timeout(timeout_s):
            response = await client.chat.completions.with_raw_response.create(**request)
        return _reply(response.http_response)
    except openai.APIStatusError as error:
        return _reply(error.response)
    except TimeoutError:
        failure = silence_error(timeout_s=timeout_s, who=service.who)
    except (openai.APIConnectionError, HTTPError) as error:
        failure = connection_error(error, who=service.who)
    raise failure  # outside of the handlers, so that it carries none of their texts along


def _reply(response: Any) -> _Reply:
    headers = {name.lower(): value for name, value in response.headers.items()}
    return _Reply(status=response.status_code, body=response.text, headers=headers)


def _failure(reply: _Reply, *, service: _Service) -> ChatModelError | TransientError | None:
    status = reply.status if reply.status != 200 else stated_error(reply.body)
    if status is None:
        return None
    return status_error(
        status, body=reply.body, headers=reply.headers, who=service.who, key_source=service.key_source
    )


def _expected_tokens(request: dict[str, Any]) -> int:
    """A guess, for limits of tokens per minute; it is corrected by what the answer says."""
    characters = sum(len(message["content"]) for message in request["messages"])
    output = request.get("max_completion_tokens") or request.get("max_tokens") or _EXPECTED_OUTPUT_TOKENS
    return characters // _CHARACTERS_PER_TOKEN + int(output)


def _used_tokens(body: CompletionBody) -> int | None:
    usage = usage_of(body.usage, requests=1)
    if usage.input_tokens is None or usage.output_tokens is None:
        return None
    return int(usage.input_tokens + usage.output_tokens)
