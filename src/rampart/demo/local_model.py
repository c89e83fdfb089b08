"""A GGUF model run inside this process by llama.cpp, through xllamacpp."""

import importlib
import os
import secrets
from pathlib import Path
from typing import Any

from rampart.core.errors import ChatModelError, ConfigurationError
from rampart.core.llm import ChatMessage
from rampart.demo.chat_reply import reply_text
from rampart.demo.errors import INSTALL_LOCAL, ModelUnavailableError
from rampart.text.oneline import quote

_PARALLEL = 2
_CONTEXT_TOKENS = 2048
_CACHE_MIB = 256
"""Memory for prompts seen before: the instructions of the agent are read once, not once a question."""
_MOST_THREADS = 4
_ERRORS_ONLY = 1
"""llama.cpp's log level: its errors stay on stderr, its reports on loading and timing do not."""


class LocalModel:
    """A model on this machine; calls from several threads are queued by the runtime.

    The runtime opens a port on the loopback address by itself. Nothing here uses it, and it is closed to
    others by a random key.

    Args:
        path: The .gguf file.

    Raises:
        ModelUnavailableError: If the runtime cannot be imported on this platform.
        ConfigurationError: If the runtime cannot load the file.
    """

    def __init__(self, *, path: Path) -> None:
        runtime = load_runtime()
        params = runtime.CommonParams()
        params.model.path = str(path)
        params.verbosity = _ERRORS_ONLY
        params.n_parallel = _PARALLEL
        params.n_ctx = _PARALLEL * _CONTEXT_TOKENS
        params.n_gpu_layers = 0
        params.fit_params = False
        params.warmup = False
        params.ui = False
        params.endpoint_slots = False
        params.api_keys = [secrets.token_urlsafe(32)]
        params.cache_ram_mib = _CACHE_MIB
        for cpu in (params.cpuparams, params.cpuparams_batch):
            cpu.n_threads = _threads()
            cpu.poll = 0  # wait for work without burning a core
        try:
            self._server = runtime.Server(params)
        except RuntimeError as error:
            raise ConfigurationError(
                f"{path} could not be loaded ({quote(str(error))}); it must be a GGUF file of a chat "
                f"model that fits into memory"
            ) from error
        self._path = path

    @property
    def description(self) -> str:
        """The file's name and the runtime."""
        return describe_local(self._path)

    @property
    def parallel(self) -> int:
        """Slots of the runtime."""
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
        """Answer a conversation; see `Model.complete`."""
        request: dict[str, Any] = {
            "messages": [{"role": message.role, "content": message.content} for message in messages],
            "max_tokens": max_tokens,
            "temperature": temperature,
            "seed": seed,
        }
        if schema is not None:
            request["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "reply", "schema": schema},
            }
        try:
            return reply_text(self._server.handle_chat_completions(request))
        except (RuntimeError, ValueError) as error:
            raise ChatModelError(f"the local model refused the call: {quote(str(error))}") from error


def describe_local(path: Path) -> str:
    """One line about a model file, without loading it."""
    return f"{path.stem}, on this machine (llama.cpp through xllamacpp, threads: {_threads()})"


def load_runtime() -> Any:
    """Import xllamacpp, which is a compiled library and may fail in more ways than by being absent.

    Raises:
        ModelUnavailableError: If it cannot be imported here.
    """
    try:
        return importlib.import_module("xllamacpp")
    except (ImportError, OSError) as error:
        raise ModelUnavailableError(
            f"the runtime for local models cannot be used here ({quote(str(error))}); `{INSTALL_LOCAL}` "
            f"installs it where a wheel for this platform exists"
        ) from error


def _threads() -> int:
    """All cores but one, and at most 4, which is plenty for a model of this size.

    llama.cpp's threads wait for each other after every step. With one thread per core, anything else that
    wants a core makes all of them wait: on two busy cores, two threads were measured to take five to eight
    times as much processor time as one.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(_MOST_THREADS, cores - 1))
