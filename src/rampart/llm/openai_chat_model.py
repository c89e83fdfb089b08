"""Any service that speaks chat completions, through the official `openai` library."""

from __future__ import annotations

import threading
from dataclasses import replace
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from rampart.core.errors import EmptyCompletionError
from rampart.core.llm import Completion, LLMConfig
from rampart.core.log import log
from rampart.llm.completion_body import CompletionBody, read_completion
from rampart.llm.endpoint_limits import limiter_of
from rampart.llm.learned import note_schema_refused, takes_schema
from rampart.llm.openai_exchange import Reply, RequestCount, failure_of, send_async
from rampart.llm.openai_service import Service, service_of
from rampart.llm.prices import cost_usd
from rampart.llm.retrying import call_with_retries_async
from rampart.llm.structured_reply import response_format
from rampart.llm.usage_figures import stated_cost_usd, usage_of
from rampart.text.encodable import encodable

if TYPE_CHECKING:
    from openai import AsyncOpenAI

    from rampart.core.llm import ChatMessage
    from rampart.core.types import Usage
    from rampart.llm.endpoint import Endpoint

_SCHEMA_REFUSED = (HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY)
_CHARACTERS_PER_TOKEN = 4
_EXPECTED_OUTPUT_TOKENS = 500


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
        self._checked: Service | None = None
        self._lock = threading.Lock()
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
            "messages": [
                {"role": message.role, "content": encodable(message.content)} for message in messages
            ],
            **service.options.sampling,
        }
        requests = RequestCount()
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
        usage = usage_of(body.usage, requests=requests.made)
        cost = self._cost_usd(usage, body=body, endpoint=service.endpoint)
        return Completion(text=body.text, usage=replace(usage, cost_usd=cost))

    async def _attempt_async(
        self,
        client: AsyncOpenAI,
        *,
        request: dict[str, Any],
        schema: dict[str, Any] | None,
        service: Service,
        requests: RequestCount,
    ) -> CompletionBody:
        first = request
        if schema is not None and takes_schema(service.endpoint.url, self.model_name):
            first = {**request, "response_format": response_format(schema)}
        reply = await send_async(client, first, service=service, requests=requests)
        if first is not request and _may_be_the_schema(reply, service=service):
            reply = await send_async(client, request, service=service, requests=requests)
            if reply.status == HTTPStatus.OK:
                note_schema_refused(service.endpoint.url, self.model_name)
        failure = failure_of(reply, service=service)
        if failure is not None:
            raise failure
        return read_completion(reply.body, who=service.who)

    def _service(self) -> Service:
        with self._lock:
            if self._checked is None:
                self._checked = service_of(self._config)
            return self._checked

    def _tell_of_length(self, body: CompletionBody, *, who: str) -> None:
        if body.finish_reason == "length" and not self._told_of_length:
            self._told_of_length = True
            log.warning(
                "%s was cut at its largest number of tokens (finish_reason length); raise "
                "max_completion_tokens or max_tokens in LLMConfig.metadata",
                who,
            )

    def _cost_usd(self, usage: Usage, *, body: CompletionBody, endpoint: Endpoint) -> float | None:
        names = (self._config.model, self.model_name, body.model)
        stated = stated_cost_usd(body.usage) if endpoint.states_cost else None
        return cost_usd(usage, models=names, url=endpoint.url, stated_usd=stated)


def _may_be_the_schema(reply: Reply, *, service: Service) -> bool:
    """Whether a refusal may be one of the schema; a filtered prompt is filtered without it too."""
    refused = reply.status in _SCHEMA_REFUSED
    return refused and not isinstance(failure_of(reply, service=service), EmptyCompletionError)


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
