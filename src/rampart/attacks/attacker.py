"""The language model that writes the messages of an attack."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rampart.attacks.attack_end import AttackEnd
from rampart.attacks.prompt_files import prompt_text
from rampart.core.errors import ConfigurationError, DriverError, EmptyCompletionError
from rampart.core.llm import ChatMessage
from rampart.core.spending import UsageRole, ask_async
from rampart.text.encodable import encodable
from rampart.text.json_data import json_data
from rampart.text.json_objects import json_objects_in
from rampart.text.oneline import quote
from rampart.text.refusals import declines_to_write, sounds_like_refusal
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rampart.attacks.attacker_health import AttackerHealth
    from rampart.core.llm import ChatModel

_REPLIES = 3
_SHOWN_REPLY = 8_000


@dataclass(frozen=True, kw_only=True)
class AttackMessage:
    """One message for the agent, and what the attacker thought when it wrote it."""

    text: str
    reasoning: str = ""


class Attacker:
    """One line of thought of an attacker: its instructions, and what it wrote and was told so far.

    What the agent under test said reaches the attacker as a labelled field of a JSON object, which its
    instructions declare to be data: the agent may try to steer it.

    Args:
        model: The attacker model.
        instructions: Its system prompt.
        health: Where its refusals and repetitions are counted.
        check_budget: Called before each request; raises `AttackEnd` when nothing is left.
        thoughts: Fields that the attacker fills in before its message, in this order.
    """

    def __init__(
        self,
        model: ChatModel,
        *,
        instructions: str,
        health: AttackerHealth,
        check_budget: Callable[[], None],
        thoughts: tuple[str, ...] = ("reasoning",),
    ) -> None:
        self._model = model
        self._health = health
        self._check_budget = check_budget
        self._thoughts = thoughts
        self._schema = _schema(thoughts)
        self._conversation = [ChatMessage(role="system", content=instructions)]

    def branch(self) -> Attacker:
        """Another attacker that goes on from here without this one hearing of it."""
        other = object.__new__(Attacker)
        vars(other).update(vars(self))
        other._conversation = list(self._conversation)
        return other

    def note_sent(self, text: str) -> None:
        """Take a text of somebody else's for one that was sent: writing it again would be a repetition."""
        self._health.note_given(text)

    async def write_async(self, told: Mapping[str, Any], /) -> AttackMessage:
        """The next message, after the attacker was told what came of the last one.

        Raises:
            AttackEnd: If the attacker does not write one, or the budget is spent.
            DriverError: If the model failed.
        """
        messages = [*self._conversation, ChatMessage(role="user", content=json_data(dict(told)))]
        refused = False
        for attempt in range(1, _REPLIES + 1):
            self._check_budget()
            reply = await self._reply_async(messages)
            message, refused = self._read(reply)
            if refused:
                self._health.refused += 1
                correction = prompt_text("after_refusal")
            elif message is None:
                self._health.invalid += 1
                correction = prompt_text("after_invalid")
            elif self._health.knows(message.text) and attempt < _REPLIES:
                correction = prompt_text("after_repetition")
            else:
                self._keep(messages, reply, message)
                return message
            # A blank message is one that some services refuse.
            messages = [
                *messages,
                ChatMessage(role="assistant", content=encodable(reply.strip()) or "(nothing)"),
                ChatMessage(role="user", content=correction),
            ]
        raise AttackEnd("the attacker refused" if refused else "the attacker wrote no usable message")

    def _keep(self, messages: list[ChatMessage], reply: str, message: AttackMessage) -> None:
        self._health.note_sent(message.text)
        self._conversation = [*messages, ChatMessage(role="assistant", content=encodable(reply))]

    async def _reply_async(self, messages: list[ChatMessage]) -> str:
        try:
            completion = await ask_async(
                self._model, role=UsageRole.ATTACKER, messages=messages, response_schema=self._schema
            )
        except EmptyCompletionError:  # a filter of its provider, mostly
            return ""
        except ConfigurationError:
            raise
        except Exception as error:
            msg = f"the attacker model failed: {type(error).__name__}: {quote(safe_str(error))}"
            raise DriverError(msg) from error
        text: object = getattr(completion, "text", None)  # a model of the user's may return anything
        if not isinstance(text, str):
            msg = (
                f"the attacker model failed: {type(self._model).__name__}.complete_async returned "
                f"{type(completion).__name__} without a text, expected a Completion"
            )
            raise DriverError(msg)
        return text

    def _read(self, reply: str) -> tuple[AttackMessage | None, bool]:
        """The message in a reply, and whether the attacker declined to write one."""
        for written in reversed(json_objects_in(reply)):
            text = written.get("message")
            if isinstance(text, str) and text.strip():
                thoughts = [written.get(name) for name in self._thoughts]
                reasoning = "\n".join(
                    thought if len(self._thoughts) == 1 else f"{name}: {thought}"
                    for name, thought in zip(self._thoughts, thoughts, strict=True)
                    if isinstance(thought, str) and thought.strip()
                )
                if declines_to_write(text):
                    return None, True
                return AttackMessage(text=encodable(text.strip()), reasoning=encodable(reasoning)), False
        return None, not reply.strip() or sounds_like_refusal(reply)


def shown_reply(text: str) -> str:
    """A reply of the agent as attackers and graders get to see it, cut where it is very long."""
    left_out = len(text) - _SHOWN_REPLY
    return text if left_out <= 0 else f"{text[:_SHOWN_REPLY]}... ({left_out} characters left out)"


def _schema(thoughts: tuple[str, ...]) -> dict[str, Any]:
    names = [*thoughts, "message"]
    return {
        "type": "object",
        "properties": {name: {"type": "string"} for name in names},
        "required": names,
        "additionalProperties": False,
    }
