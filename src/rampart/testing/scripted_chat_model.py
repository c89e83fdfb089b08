"""A language model that says what a test tells it to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from rampart.core.llm import ChatMessage, Completion
from rampart.testing.script import Hang, Script, ScriptExhaustedError, is_error, perform_async

ChatItem: TypeAlias = (
    str | Completion | BaseException | type[BaseException] | Callable[[list[ChatMessage]], Any] | Hang
)
"""One scripted answer: text, a completion, an exception to raise, `HANG`, or a function of the messages."""


@dataclass(frozen=True, kw_only=True)
class ChatCall:
    """What a scripted model was asked once.

    Attributes:
        messages: The conversation that was sent.
        response_schema: The JSON Schema that was sent along, if any.
    """

    messages: list[ChatMessage]
    response_schema: dict[str, Any] | None = None


class ScriptedChatModel:
    """A `ChatModel` that follows a script: one item a call, in the order of the calls.

    An item is a text, a `Completion`, an exception or exception class, which is raised, `HANG`, or a
    sync or async function of the messages, whose return value is handed on as it is unless it is a str.

    Args:
        script: The items.
        repeat_last: Whether the last item is repeated for ever instead of running out.

    Attributes:
        calls: What was asked, in order.

    Raises:
        TypeError: If the script or one of its items is of a wrong type.
    """

    def __init__(self, script: Sequence[ChatItem], /, *, repeat_last: bool = False) -> None:
        if isinstance(script, str) or not isinstance(script, Sequence):
            msg = f"script must be a list of answers, got {type(script).__name__}"
            raise TypeError(msg)
        for index, item in enumerate(script):
            if not (isinstance(item, str | Completion | Hang) or is_error(item) or callable(item)):
                msg = (
                    f"script[{index}] must be a str, a Completion, an exception, HANG or a function "
                    f"(messages), got {type(item).__name__}"
                )
                raise TypeError(msg)
        self._script = Script(list(script), repeat_last=repeat_last)
        self.calls: list[ChatCall] = []

    async def complete_async(
        self, *, messages: list[ChatMessage], response_schema: dict[str, Any] | None = None
    ) -> Completion:
        """Answer with the next item of the script.

        Raises:
            ScriptExhaustedError: If the script has no item left.
        """
        asked = list(messages)
        self.calls.append(ChatCall(messages=asked, response_schema=response_schema))
        item = self._script.at(self._script.take())
        if item is None:
            raise ScriptExhaustedError(
                "ScriptedChatModel",
                asked=f"call {len(self.calls)}",
                length=len(self._script.items),
                remedy="add items, or pass repeat_last=True",
            )
        answer = await perform_async(item, asked)
        completion: Completion = Completion(text=answer) if isinstance(answer, str) else answer
        return completion
