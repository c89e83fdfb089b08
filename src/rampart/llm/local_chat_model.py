"""A GGUF model that runs inside this process."""

from __future__ import annotations

import asyncio
import json
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

from rampart.core.errors import ChatModelError, ConfigurationError, EmptyCompletionError
from rampart.core.llm import Completion
from rampart.core.to_its_end import to_its_end_async
from rampart.core.types import Usage
from rampart.llm.bounded_schema import bounded_schema
from rampart.llm.control_tokens import control_tokens, without_tokens
from rampart.llm.gguf_file import gguf_file
from rampart.llm.local_runtime import LocalReply, LocalRuntime
from rampart.llm.schema_check import check_schema
from rampart.text.oneline import quote

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future
    from pathlib import Path

    from rampart.core.llm import ChatMessage

_SLOTS = 2
"""Calls that are answered at once; on a processor, more of them only slow each other down."""
_PROMPT_STEP_TOKENS = 256
"""Small steps cost nothing on a processor (measured: 2048 and 256 take the same time), and end calls soon."""


class LocalChatModel:
    """A chat model from a .gguf file, run on the processor of this machine by llama.cpp.

    It needs the extra `local`. The file is loaded at the first call, within it; two calls are answered at a
    time, and others wait for their turn. A call that is cancelled ends at its next token, or
    the next 256 of its prompt, before the cancellation goes on.

    A reply to a call with a `response_schema` always follows it: the model can write nothing else. Where the
    schema sets no lengths, texts are kept to what fits into `max_tokens` together, and lists to four items; a
    reply that is cut all the same is a `ChatModelError`. Plain replies are cut without a word.

    Control tokens of the model that messages spell, such as `<|im_start|>`, reach it as plain text, broken
    by a zero-width space, so that nothing an agent says can begin a message of its own.

    Args:
        path: The .gguf file of a chat model.
        context_tokens: Room for the prompt and the reply of one call, in tokens.
        max_tokens: Length at which a reply is cut, in tokens.
        temperature: 0 for the likeliest reply, higher for more varied ones.
        seed: Of the sampling, for replies that can be had again; None draws one for each call.

    Raises:
        TypeError: If an argument is of another type.
        ValueError: If a number is out of its range.
        ConfigurationError: If the path leads to no GGUF file.
    """

    def __init__(
        self,
        *,
        path: Path | str,
        context_tokens: int = 8192,
        max_tokens: int = 2048,
        temperature: float = 0.0,
        seed: int | None = None,
    ) -> None:
        _check_count("context_tokens", context_tokens, at_least=256)
        _check_count("max_tokens", max_tokens, at_least=1)
        if seed is not None:
            _check_count("seed", seed, at_least=0)
        _check_temperature(temperature)
        self._path = gguf_file(path)
        self._context_tokens = context_tokens
        self._max_tokens = max_tokens
        self._temperature = temperature
        self._seed = seed
        self._process = os.getpid()
        self._loading = threading.Lock()
        self._loaded: tuple[LocalRuntime, frozenset[str]] | None = None
        self._threads: ThreadPoolExecutor | None = ThreadPoolExecutor(
            _SLOTS, thread_name_prefix="rampart model"
        )

    @property
    def model_name(self) -> str:
        """The file's name."""
        return self._path.stem

    async def complete_async(
        self, *, messages: list[ChatMessage], response_schema: dict[str, Any] | None = None
    ) -> Completion:
        """Answer a conversation; see `ChatModel`.

        Raises:
            ChatModelError: If the runtime refused the call, such as one whose prompt has no room, or the
                reply to a schema was cut.
            EmptyCompletionError: If the model said nothing.
            ConfigurationError: If the runtime is not installed or cannot load the file, or this is closed.
            ValueError: If `response_schema` is no JSON Schema.
        """
        if response_schema is not None:
            check_schema(response_schema)
        stop = threading.Event()
        call = self._submit(messages, response_schema, stop.is_set)
        reply = asyncio.wrap_future(call)
        try:
            await asyncio.wait({reply})
        except asyncio.CancelledError:
            stop.set()
            call.cancel()  # succeeds only while it waits; if it runs, the next call must not meet it
            await _forget_async(reply)
            raise
        if reply.cancelled():
            raise self._closed()
        return self._completion(reply.result(), with_schema=response_schema is not None)

    def close(self) -> None:
        """Wait for the calls that run, refuse those that wait, and give the memory back; idempotent."""
        threads, self._threads = self._threads, None
        if threads is not None:
            threads.shutdown(cancel_futures=True)
        self._loaded = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _submit(
        self, messages: list[ChatMessage], schema: dict[str, Any] | None, stopped: Callable[[], bool]
    ) -> Future[LocalReply]:
        threads = self._threads
        if threads is None:
            raise self._closed()
        if os.getpid() != self._process:  # the threads did not come along, so a call would wait for ever
            msg = (
                f"the local model {self.model_name} belongs to the process that forked this one; make a new "
                "LocalChatModel here"
            )
            raise ConfigurationError(msg)
        try:
            return threads.submit(self._ask, messages, schema, stopped)
        except RuntimeError as error:  # it was closed by another thread in between, or the process ends
            raise self._closed() from error

    def _closed(self) -> ConfigurationError:
        return ConfigurationError(f"the local model {self.model_name} is closed; make a new LocalChatModel")

    def _ask(
        self, messages: list[ChatMessage], schema: dict[str, Any] | None, stopped: Callable[[], bool]
    ) -> LocalReply:
        """In a thread: load the model if need be, and ask it."""
        bounded = None if schema is None else bounded_schema(schema, max_tokens=self._max_tokens)
        runtime, tokens = self._load()
        return runtime.complete(
            [replace(message, content=without_tokens(message.content, tokens)) for message in messages],
            max_tokens=self._max_tokens,
            temperature=self._temperature,
            seed=self._seed,
            schema=bounded,
            compact=True,
            stopped=stopped,
        )

    def _load(self) -> tuple[LocalRuntime, frozenset[str]]:
        """The runtime, and the control tokens of its model."""
        with self._loading:
            if self._loaded is None:
                runtime = LocalRuntime(
                    path=self._path,
                    slots=_SLOTS,
                    context_tokens=self._context_tokens,
                    prompt_step_tokens=_PROMPT_STEP_TOKENS,
                )
                try:
                    self._loaded = runtime, control_tokens(self._path)
                except ValueError as error:
                    raise ConfigurationError(str(error)) from error
            return self._loaded

    def _completion(self, reply: LocalReply, *, with_schema: bool) -> Completion:
        if with_schema and reply.cut and _begins_as_json(reply.text):
            msg = (
                f"the reply of the local model {self.model_name} was cut at its limit, so it is no complete "
                f"JSON; raise max_tokens ({self._max_tokens}) or context_tokens ({self._context_tokens})"
            )
            raise ChatModelError(msg)
        if not reply.text.strip():
            msg = f"the local model {self.model_name} answered with nothing"
            raise EmptyCompletionError(msg)
        if with_schema and (reply.cut or not _is_json(reply.text)):
            msg = (
                f"the local model {self.model_name} could not be held to the response_schema, which the "
                f"runtime does not understand; it said: {quote(reply.text, limit=200)}"
            )
            raise ChatModelError(msg)
        return Completion(text=reply.text, usage=_usage(reply.counts))


async def _forget_async(reply: asyncio.Future[LocalReply]) -> None:
    """Wait until a call is over whose reply nobody wants any more."""
    try:
        await to_its_end_async(asyncio.wait({reply}))
    finally:
        if not reply.cancelled():
            reply.exception()  # marks it as seen


def _begins_as_json(text: str) -> bool:
    """Whether a reply that was cut may be the beginning of JSON."""
    return not text.strip() or text.lstrip()[0] in '{["-0123456789tfn'


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _usage(counts: dict[str, Any]) -> Usage:
    details = counts.get("prompt_tokens_details") or {}
    return Usage(
        input_tokens=counts.get("prompt_tokens"),
        cached_input_tokens=details.get("cached_tokens"),
        output_tokens=counts.get("completion_tokens"),
        requests=1,
    )


def _check_count(name: str, value: int, *, at_least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int):
        msg = f"{name} must be an int, got {type(value).__name__}"
        raise TypeError(msg)
    if value < at_least:
        msg = f"{name} must be at least {at_least}, got {value}"
        raise ValueError(msg)


def _check_temperature(value: float) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        msg = f"temperature must be a number, got {type(value).__name__}"
        raise TypeError(msg)
    if not 0 <= value <= 2:
        msg = f"temperature must be from 0 to 2, got {value}"
        raise ValueError(msg)
