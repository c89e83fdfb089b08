"""The demo's model on this machine: a GGUF file run inside this process."""

from pathlib import Path
from typing import Any

from rampart.core.errors import ConfigurationError
from rampart.core.llm import ChatMessage
from rampart.demo.errors import ModelUnavailableError
from rampart.llm.local_runtime import LocalRuntime, worker_threads
from rampart.llm.local_runtime import load_runtime as load_llama_cpp

_PARALLEL = 2
_CONTEXT_TOKENS = 2048


class LocalModel:
    """A model on this machine; calls from several threads are queued by the runtime.

    Args:
        path: The .gguf file.

    Raises:
        ModelUnavailableError: If the runtime cannot be imported on this platform.
        ConfigurationError: If the runtime cannot load the file.
    """

    def __init__(self, *, path: Path) -> None:
        load_runtime()
        self._runtime = LocalRuntime(path=path, slots=_PARALLEL, context_tokens=_CONTEXT_TOKENS)
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
        return self._runtime.complete(
            messages, max_tokens=max_tokens, temperature=temperature, seed=seed, schema=schema
        ).text


def describe_local(path: Path) -> str:
    """One line about a model file, without loading it."""
    return f"{path.stem}, on this machine (llama.cpp through xllamacpp, threads: {worker_threads()})"


def load_runtime() -> None:
    """Import the runtime, for which the scripted model can stand in.

    Raises:
        ModelUnavailableError: If it cannot be imported here.
    """
    try:
        load_llama_cpp()
    except ConfigurationError as error:
        raise ModelUnavailableError(str(error)) from error
