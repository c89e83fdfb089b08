"""Any model that pydantic-ai speaks to: Anthropic, Google, Bedrock, Mistral, Groq and many more."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any, cast

from rampart.core.errors import ChatModelError, EmptyCompletionError
from rampart.core.llm import Completion
from rampart.core.log import log
from rampart.llm.endpoint_limits import limiter_of
from rampart.llm.learned import note_schema_refused, takes_schema
from rampart.llm.pydantic_ai_errors import failure_of
from rampart.llm.pydantic_ai_messages import SchemaUse, history_of, parameters_of, schema_use_of
from rampart.llm.pydantic_ai_models import entered_async, is_function, made_from, without_retries
from rampart.llm.pydantic_ai_usage import usage_of_response
from rampart.llm.retrying import call_with_retries_async
from rampart.llm.schema_check import check_schema
from rampart.text.oneline import quote

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.models import Model
    from pydantic_ai.settings import ModelSettings

    from rampart.core.llm import ChatMessage

_TIMEOUT_S = 90.0
_CHARACTERS_PER_TOKEN = 4
_EXPECTED_OUTPUT_TOKENS = 500


class PydanticAIChatModel:
    """A chat model through pydantic-ai, of any provider that it knows.

    It needs the extra `pydantic-ai` and the library of the provider, for instance
    `pip install "pydantic-ai-slim[anthropic]"`. Credentials are found where pydantic-ai looks for them. A
    name becomes a model at the first call; nothing is reached before.

    Failures that pass (connection, rate limit, server error) are retried as `max_retries` says, and the
    provider's own library does not retry. Calls may come from several event loops, one after the other.

    A `response_schema` is enforced by the service where it can do that, and else written into the prompt. A
    service that refuses it is asked again without it, and not sent one any more.

    Args:
        model: A model of pydantic-ai, or the name of one, such as `"anthropic:claude-sonnet-4-5"`.
        settings: pydantic-ai's `ModelSettings`, such as `temperature` and `max_tokens`; `timeout` (90) is how
            many seconds one answer may take.
        max_retries: Retries after the first attempt; 0 means one attempt.

    Raises:
        TypeError: If an argument is of another type.
        ValueError: If the name is empty or `max_retries` is negative.
    """

    def __init__(
        self,
        model: Model[Any] | str,
        /,
        *,
        settings: ModelSettings | dict[str, Any] | None = None,
        max_retries: int = 2,
    ) -> None:
        if not isinstance(model, str) and not callable(getattr(model, "request", None)):
            msg = f"model must be a model of pydantic-ai or the name of one, got {type(model).__name__}"
            raise TypeError(msg)
        if isinstance(model, str) and not model.strip():
            msg = "model must be named, such as 'anthropic:claude-sonnet-4-5', got an empty name"
            raise ValueError(msg)
        if settings is not None and not isinstance(settings, dict):
            msg = f"settings must be a dict, pydantic-ai's ModelSettings, got {type(settings).__name__}"
            raise TypeError(msg)
        if isinstance(max_retries, bool) or not isinstance(max_retries, int):
            msg = f"max_retries must be an int, got {type(max_retries).__name__}"
            raise TypeError(msg)
        if max_retries < 0:
            msg = f"max_retries must be 0 or more, got {max_retries}"
            raise ValueError(msg)
        self._given = model
        self._settings = cast("ModelSettings", dict(settings or {}))
        self._timeout_s = _timeout_s(self._settings)
        self._max_retries = max_retries
        self._lock = threading.Lock()
        self._made: Model[Any] | None = None
        self._told_of_length = False

    def __repr__(self) -> str:
        """The model's name."""
        return f"PydanticAIChatModel({self.model_name!r})"

    @property
    def model_name(self) -> str:
        """The name, as it was given or as the model has it."""
        return self._given if isinstance(self._given, str) else self._given.model_name

    async def complete_async(
        self, *, messages: list[ChatMessage], response_schema: dict[str, Any] | None = None
    ) -> Completion:
        """Answer a conversation; see `ChatModel.complete_async`.

        Raises:
            ConfigurationError: If an extra, the provider's library or a credential is missing.
            RateLimitError: If the service's rate limit stood in the way to the last attempt.
            EmptyCompletionError: If the model answered nothing, or its content filter refused.
            ChatModelError: If the service was not reached, refused the call, or gave no usable answer.
        """
        if response_schema is not None:
            check_schema(response_schema)
        call = _Call(model=self._model(), history=history_of(messages), schema=response_schema)
        async with entered_async(call.model):
            response = await call_with_retries_async(
                lambda: self._attempt_async(call),
                limiter=limiter_of(call.model.base_url or call.model.system),
                max_retries=self._max_retries,
                tokens=_expected_tokens(messages, self._settings),
                used=_used_tokens,
            )
        self._tell_of_length(response)
        usage = usage_of_response(response, model_name=call.model.model_name, requests=call.requests)
        return Completion(text=_text_of(response, who=self._who), usage=usage)

    @property
    def _who(self) -> str:
        return f"the model '{quote(self.model_name, limit=100)}'"

    async def _attempt_async(self, call: _Call) -> ModelResponse:
        """One attempt, which may be two requests.

        Raises:
            TransientError: If it failed in a way that may pass.
            ChatModelError: If it failed otherwise.
        """
        known_as = (call.model.base_url or call.model.system, call.model.model_name)
        if call.schema is None or not takes_schema(*known_as):
            return await self._request_async(call, schema=None)
        try:
            return await self._request_async(call, schema=call.schema)
        except _SchemaRefusedError:
            pass
        response = await self._request_async(call, schema=None)
        note_schema_refused(*known_as)
        return response

    async def _request_async(self, call: _Call, *, schema: dict[str, Any] | None) -> ModelResponse:
        """Make one request; the library's errors, whose texts may hold anything, end here."""
        from pydantic_ai.direct import model_request  # noqa: PLC0415  # of an extra, as is the model in hand

        call.requests += 1
        try:
            async with asyncio.timeout(self._timeout_s):
                return await model_request(
                    call.model,
                    call.history,
                    model_settings=without_retries(self._settings, model=call.model),
                    model_request_parameters=parameters_of(schema, use=call.schema_use),
                )
        except TimeoutError:
            failure: Exception = self._silence()
        except Exception as error:
            if schema is not None and _is_about_the_request(error):
                failure = _SchemaRefusedError()
            else:
                failure = failure_of(error, who=self._who, is_function=is_function(call.model))
                if failure is error:
                    raise
        raise failure  # outside of the handlers, so that it carries none of their texts along

    def _silence(self) -> ChatModelError:
        return ChatModelError(
            f"{self._who} did not answer within {self._timeout_s:g} s; where it needs longer, set "
            f"settings['timeout'], and Limits.turn_timeout_s above it",
            retryable=True,
        )

    def _model(self) -> Model[Any]:
        with self._lock:
            if self._made is None:
                self._made = made_from(self._given, who=self._who)
            return self._made

    def _tell_of_length(self, response: ModelResponse) -> None:
        if response.finish_reason == "length" and not self._told_of_length:
            self._told_of_length = True
            log.warning(
                "%s was cut at its largest number of tokens (finish_reason length); raise "
                "settings['max_tokens'] of PydanticAIChatModel",
                self._who,
            )


class _Call:
    """One call, with the requests that were made for it."""

    def __init__(
        self, *, model: Model[Any], history: list[ModelMessage], schema: dict[str, Any] | None
    ) -> None:
        self.model = model
        self.history = history
        self.schema = schema
        self.schema_use: SchemaUse = schema_use_of(model)
        self.requests = 0


class _SchemaRefusedError(Exception):
    """A request was refused that held a schema."""


def _is_about_the_request(error: Exception) -> bool:
    """Whether a request without the schema may fare better."""
    from pydantic_ai import exceptions  # noqa: PLC0415  # of an extra; it raised the error

    if isinstance(error, exceptions.UserError):
        return True  # the schema holds what the provider's form of schemas cannot say
    others = (
        exceptions.ModelAuthenticationError
        | exceptions.ModelNotFoundError
        | exceptions.ModelContextWindowExceededError
    )
    return isinstance(error, exceptions.ModelRequestRejectedError) and not isinstance(error, others)


def _timeout_s(settings: ModelSettings) -> float:
    timeout = settings.get("timeout")
    return float(timeout) if isinstance(timeout, int | float) else _TIMEOUT_S


def _text_of(response: ModelResponse, *, who: str) -> str:
    text = response.text
    if text is not None and text.strip():
        return text
    if response.finish_reason == "content_filter":
        msg = f"{who} answered nothing: its content filter refused the prompt"
        raise EmptyCompletionError(msg)
    msg = f"{who} answered nothing (finish_reason {response.finish_reason or 'not stated'})"
    raise EmptyCompletionError(msg)


def _expected_tokens(messages: list[ChatMessage], settings: ModelSettings) -> int:
    """A guess, for limits of tokens per minute; it is corrected by what the answer says."""
    characters = sum(len(message.content) for message in messages)
    return characters // _CHARACTERS_PER_TOKEN + int(settings.get("max_tokens") or _EXPECTED_OUTPUT_TOKENS)


def _used_tokens(response: ModelResponse) -> int | None:
    used = response.usage.input_tokens + response.usage.output_tokens
    return used or None
