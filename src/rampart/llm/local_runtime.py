"""llama.cpp in this process, through xllamacpp: blocking calls, for whoever has threads to make them in."""

from __future__ import annotations

import importlib
import os
import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rampart.core.errors import ChatModelError, ConfigurationError
from rampart.text.encodable import encodable
from rampart.text.oneline import quote

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rampart.core.llm import ChatMessage

INSTALL_LOCAL = 'pip install "rampart[local]"'
_CACHE_MIB = 256
"""Memory for prompts seen before: instructions that calls have in common are read once, not once a call."""
_MOST_THREADS = 4
_ERRORS_ONLY = 1
"""llama.cpp's log level: its errors stay on stderr, its reports on loading and timing do not."""
_COMPACT = {"whitespace_flexible": False, "lenient": True}
"""For llguidance, which most builds hold: no white space, and no refusal of what it cannot enforce."""
_ANY_SEED = -1
"""For llama.cpp: draw a seed."""


@dataclass(frozen=True, kw_only=True)
class LocalReply:
    """What the runtime said in one call.

    Attributes:
        text: The reply, as far as it got.
        cut: Whether it was cut at the limit of its length, or where the context was full.
        counts: llama.cpp's `usage`, or nothing if the call was stopped.
    """

    text: str
    cut: bool
    counts: dict[str, Any] = field(default_factory=dict)


class LocalRuntime:
    """A loaded model; calls from several threads are queued by the runtime.

    The runtime opens a port on the loopback address by itself. Nothing here uses it, and it is closed to
    others by a random key. The memory is given back when the object goes.

    Args:
        path: The .gguf file.
        slots: Calls that are answered at once; more of them wait.
        context_tokens: Room for the prompt and the reply of each call, in tokens.
        prompt_step_tokens: Tokens of a prompt that are read at a time, between which a call can be stopped;
            None leaves that to the runtime.

    Raises:
        ConfigurationError: If the runtime cannot be imported on this platform, or cannot load the file.
    """

    def __init__(
        self, *, path: Path, slots: int, context_tokens: int, prompt_step_tokens: int | None = None
    ) -> None:
        self._library = load_runtime()
        params = self._library.CommonParams()
        params.model.path = str(path)
        params.verbosity = _ERRORS_ONLY
        params.n_parallel = slots
        params.n_ctx = slots * context_tokens
        if prompt_step_tokens is not None:
            params.n_batch = params.n_ubatch = prompt_step_tokens
        params.n_gpu_layers = 0
        params.fit_params = False
        params.warmup = False
        params.ui = False
        params.endpoint_slots = False
        params.api_keys = [secrets.token_urlsafe(32)]
        params.cache_ram_mib = _CACHE_MIB
        for cpu in (params.cpuparams, params.cpuparams_batch):
            cpu.n_threads = worker_threads()
            cpu.poll = 0  # wait for work without burning a core
        try:
            self._server = self._library.Server(params)
        except RuntimeError as error:
            msg = (
                f"{path} could not be loaded ({quote(str(error))}); it must be a GGUF file of a chat "
                f"model that fits into memory"
            )
            raise ConfigurationError(msg) from error

    def complete(
        self,
        messages: list[ChatMessage],
        *,
        max_tokens: int,
        temperature: float,
        seed: int | None,
        schema: dict[str, Any] | None = None,
        compact: bool = False,
        stopped: Callable[[], bool] = lambda: False,
    ) -> LocalReply:
        """Answer a conversation; blocks until the reply is there.

        Args:
            messages: The conversation so far, oldest first.
            max_tokens: Length at which the reply is cut.
            temperature: 0 for the likeliest reply, higher for more varied ones.
            seed: Of the sampling; None draws one for each call.
            schema: JSON Schema that the reply is made to follow.
            compact: Have no white space in JSON, and limits of numbers kept, where this build of llama.cpp
                can do that. It can come to nothing with a schema that is none: then the reply is free text.
            stopped: Asked after each step of the prompt and each token; True ends the call there.

        Raises:
            ChatModelError: If the runtime refused the call.
        """
        request: dict[str, Any] = {
            "messages": [
                {"role": message.role, "content": encodable(message.content)} for message in messages
            ],
            "max_tokens": max_tokens,
            "temperature": temperature,
            "seed": _ANY_SEED if seed is None else seed,
            "stream": True,
            "stream_options": {"include_usage": True},
            "return_progress": True,  # so that `stopped` is asked while the prompt is read
        }
        if schema is not None:
            request |= self._form_of(schema, compact=compact)
        chunks: list[dict[str, Any]] = []

        def arrived(chunk: dict[str, Any]) -> bool:
            chunks.append(chunk)
            return stopped()

        try:
            self._server.handle_chat_completions(request, arrived)
            return _assembled(chunks)
        except (RuntimeError, ValueError) as error:
            msg = f"the local model refused the call: {quote(str(error))}"
            raise ChatModelError(msg) from error

    def _form_of(self, schema: dict[str, Any], *, compact: bool) -> dict[str, Any]:
        """The fields of a request that hold the reply to a schema."""
        convert = getattr(self._library, "json_schema_to_grammar", None)
        if compact and convert is not None:
            grammar = convert({**schema, "x-guidance": _COMPACT})
            if grammar.startswith("%llguidance"):
                return {"grammar": grammar}
        wrapped = {"name": "reply", "schema": schema}
        return {"response_format": {"type": "json_schema", "json_schema": wrapped}}


def load_runtime() -> Any:
    """Import xllamacpp, which is a compiled library and may fail in more ways than by being absent.

    Raises:
        ConfigurationError: If it cannot be imported here.
    """
    try:
        return importlib.import_module("xllamacpp")
    except (ImportError, OSError) as error:
        msg = (
            f"the runtime for local models cannot be used here ({quote(str(error))}); `{INSTALL_LOCAL}` "
            f"installs it where a wheel for this platform exists"
        )
        raise ConfigurationError(msg) from error


def worker_threads() -> int:
    """All cores but one, and at most 4, which is plenty for a model of this size.

    llama.cpp's threads wait for each other after every step. With one thread per core, anything else that
    wants a core makes all of them wait: on two busy cores, two threads were measured to take five to eight
    times as much processor time as one.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(_MOST_THREADS, cores - 1))


def _assembled(chunks: list[dict[str, Any]]) -> LocalReply:
    """Put together what arrived piece by piece.

    Raises:
        ValueError: If the runtime answered with an error; the text is its own.
    """
    pieces: list[str] = []
    cut = False
    counts: dict[str, Any] = {}
    for chunk in chunks:
        if "error" in chunk:
            raise ValueError(str(chunk["error"].get("message", chunk["error"])))
        counts = chunk.get("usage") or counts
        for choice in chunk["choices"]:
            pieces.append(choice["delta"].get("content") or "")
            cut = cut or choice["finish_reason"] == "length"
    return LocalReply(text="".join(pieces), cut=cut, counts=counts)
