"""A PyRIT chat target as a language model for judges and drivers."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from rampart.core.errors import ChatModelError, ConfigurationError, EmptyCompletionError, RateLimitError
from rampart.core.llm import Completion
from rampart.core.types import Usage
from rampart.text.oneline import quote
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from rampart.core.llm import ChatMessage


class PyRITChatModel:
    """Asks a PyRIT target, and leaves each conversation in PyRIT's memory.

    Initialise the memory before, as for any use of PyRIT: `await initialize_pyrit_async("InMemory")`. Every
    call is a conversation of its own, so one object may be shared. PyRIT itself repeats calls that fail; how
    often and how long it waits is set by its own environment variables, such as `RETRY_MAX_NUM_ATTEMPTS`.

    Args:
        target: A `pyrit.prompt_target.PromptTarget` that answers. Messages of the system and earlier turns
            need one that supports them, or that is configured to adapt them.

    Raises:
        ConfigurationError: If PyRIT is not installed.
        TypeError: If `target` is no PyRIT target.
    """

    def __init__(self, *, target: Any) -> None:
        if find_spec("pyrit") is None:
            msg = 'PyRITChatModel needs PyRIT, which is not installed: pip install "rampart[pyrit]"'
            raise ConfigurationError(msg)
        if isinstance(target, type) or not callable(getattr(target, "send_prompt_async", None)):
            got = f"the class {target.__name__}" if isinstance(target, type) else type(target).__name__
            msg = f"target must be a PyRIT target, an object with send_prompt_async, got {got}"
            raise TypeError(msg)
        self._target = target
        self._name = type(target).__name__

    async def complete_async(
        self, *, messages: list[ChatMessage], response_schema: dict[str, Any] | None = None
    ) -> Completion:
        """Answer a conversation whose last message is the user's.

        Args:
            messages: The conversation so far, oldest first.
            response_schema: JSON Schema that the reply should follow; passed on to targets that support it.

        Raises:
            ValueError: If there is no message, or the last one is not the user's.
            ConfigurationError: If PyRIT's memory is not initialised.
            RateLimitError: If the target kept refusing because of its rate limit.
            EmptyCompletionError: If the reply has no text.
            ChatModelError: If the call failed for any other reason, or a content filter blocked it.
        """
        if not messages or messages[-1].role != "user":
            msg = "a conversation for PyRIT must end with a message of the user"
            raise ValueError(msg)
        normalizer, message_class = _library()
        metadata = self._format_metadata(response_schema)
        *earlier, last = (
            message_class.from_prompt(prompt=message.content, role=message.role) for message in messages
        )
        last.message_pieces[0].prompt_metadata.update(metadata)
        return self._completion(await self._send_async(normalizer, earlier=earlier, last=last))

    async def _send_async(self, normalizer: Any, *, earlier: list[Any], last: Any) -> Any:
        conversation = str(uuid4())
        try:
            await normalizer.add_prepended_conversation_to_memory_async(
                conversation_id=conversation,
                should_convert=False,
                prepended_conversation=earlier,
                target_identifier=self._target.get_identifier(),
            )
            return await normalizer.send_prompt_async(
                message=last, target=self._target, conversation_id=conversation
            )
        except Exception as error:
            cause = error.__cause__ or error  # PyRIT wraps what went wrong in a text about its memory
            text = f"{self._name} failed: {type(cause).__name__}: {quote(safe_str(cause))}"
            kind = RateLimitError if _is(cause, "RateLimitException") else ChatModelError
            raise kind(text) from error

    def _format_metadata(self, response_schema: dict[str, Any] | None) -> dict[str, Any]:
        capabilities = getattr(self._target, "capabilities", None)
        if response_schema is None or getattr(capabilities, "supports_json_schema", None) is not True:
            return {}
        return {
            "response_format": "json",
            "json_schema": response_schema,
            "json_schema_name": "reply",
            "json_schema_strict": False,  # the strict form takes only some schemas
        }

    def _completion(self, response: Any) -> Completion:
        pieces = response.message_pieces
        if pieces[0].api_role != "assistant":
            msg = f"{self._name} does not answer, so it cannot be a chat model; take a PyRIT chat target"
            raise ChatModelError(msg)
        failed = next((piece for piece in pieces if piece.has_error()), None)
        if failed is not None and failed.response_error != "empty":
            msg = f"{self._name} gave no reply: {failed.response_error}: {quote(failed.converted_value)}"
            raise ChatModelError(msg)
        text = "\n".join(p.converted_value for p in pieces if p.converted_value_data_type == "text")
        if not text.strip():
            msg = f"{self._name} answered with nothing"
            raise EmptyCompletionError(msg)
        return Completion(text=text, usage=_usage(pieces))


def _library() -> tuple[Any, Any]:
    """A normalizer on PyRIT's memory, and PyRIT's class of messages."""
    from pyrit.models import Message  # noqa: PLC0415  # optional library, and a slow import
    from pyrit.prompt_normalizer import PromptNormalizer  # noqa: PLC0415  # as above

    try:
        return PromptNormalizer(), Message
    except ValueError as error:
        msg = (
            f'PyRIT is not ready: {quote(safe_str(error))}; call `await initialize_pyrit_async("InMemory")` '
            "from pyrit.setup first"
        )
        raise ConfigurationError(msg) from error


def _is(error: BaseException, name: str) -> bool:
    return any(kind.__name__ == name for kind in type(error).__mro__)


def _usage(pieces: list[Any]) -> Usage | None:
    """What PyRIT noted of the tokens, on whichever piece; None where it noted nothing."""
    noted = {key: value for piece in pieces for key, value in piece.prompt_metadata.items()}
    counts = {
        ours: noted.get(f"token_usage_{theirs}")
        for ours, theirs in (
            ("input_tokens", "input_tokens"),
            ("cached_input_tokens", "cached_tokens"),
            ("output_tokens", "output_tokens"),
            ("reasoning_tokens", "reasoning_tokens"),
        )
    }
    known = {name: n for name, n in counts.items() if isinstance(n, int) and not isinstance(n, bool)}
    return Usage(**known) if known else None
