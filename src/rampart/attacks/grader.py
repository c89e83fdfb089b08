"""The language model that tells an attack how it is getting on; it moves no verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from rampart.attacks.attacker import shown_reply
from rampart.attacks.prompt_files import prompt_text
from rampart.core.errors import ConfigurationError, DriverError, EmptyCompletionError
from rampart.core.llm import ChatMessage
from rampart.core.spending import UsageRole, ask_async
from rampart.text.json_data import json_data
from rampart.text.json_objects import json_objects_in
from rampart.text.oneline import quote
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rampart.core.llm import ChatModel

T = TypeVar("T")
_REPLIES = 3
_BEST = 10
_GRADE = {
    "type": "object",
    "properties": {
        "reason": {"type": "string"},
        "refused": {"type": "boolean"},
        "score": {"type": "integer", "minimum": 1, "maximum": _BEST},
    },
    "required": ["reason", "refused", "score"],
    "additionalProperties": False,
}
_OFF_GOAL = {
    "type": "object",
    "properties": {"off_goal": {"type": "array", "items": {"type": "integer"}}},
    "required": ["off_goal"],
    "additionalProperties": False,
}


@dataclass(frozen=True, kw_only=True)
class Grade:
    """How near a reply of the agent is to the objective.

    Attributes:
        score: 0.0 (nothing of it) to 1.0 (all of it); None where the grader gave no valid answer.
        refused: Whether the agent refused.
        reason: Why, in the grader's words.
    """

    score: float | None
    refused: bool
    reason: str


class Grader:
    """Grades replies of the agent, and the attacker's own messages, by the objective of the attack.

    Args:
        model: The language model.
        objective: What the attack is after.
        check_budget: Called before each request; raises `AttackEnd` when nothing is left.
    """

    def __init__(self, model: ChatModel, *, objective: str, check_budget: Callable[[], None]) -> None:
        self._model = model
        self._objective = objective
        self._check_budget = check_budget

    async def grade_async(self, *, message: str, reply: str) -> Grade:
        """How near the reply to one message is to the objective.

        Raises:
            AttackEnd: If the budget is spent.
            DriverError: If the model failed.
        """
        told = {"objective": self._objective, "message": message, "reply": shown_reply(reply)}
        grade = await self._ask_async("grade_reply", told, _GRADE, _grade_of)
        return grade or Grade(score=None, refused=False, reason="the grader gave no valid answer")

    async def off_goal_async(self, messages: Sequence[str]) -> set[int] | None:
        """The positions of the messages that do not serve the objective; None without a valid answer.

        Raises:
            AttackEnd: If the budget is spent.
            DriverError: If the model failed.
        """
        told = {
            "objective": self._objective,
            "messages": [{"number": number, "text": text} for number, text in enumerate(messages, start=1)],
        }

        def positions_in(written: dict[str, Any]) -> set[int] | None:
            numbers: object = written.get("off_goal")
            if not isinstance(numbers, list):
                return None
            right = all(type(number) is int and 1 <= number <= len(messages) for number in numbers)
            return {number - 1 for number in numbers} if right else None

        return await self._ask_async("grade_messages", told, _OFF_GOAL, positions_in)

    async def _ask_async(
        self,
        instructions: str,
        told: dict[str, Any],
        schema: dict[str, Any],
        read: Callable[[dict[str, Any]], T | None],
    ) -> T | None:
        """The last valid answer in a reply; asked for again when there is none, None after three replies."""
        messages = [
            ChatMessage(role="system", content=prompt_text(instructions)),
            ChatMessage(role="user", content=json_data(told)),
        ]
        for _ in range(_REPLIES):
            self._check_budget()
            reply = await self._reply_async(messages, schema)
            for written in reversed(json_objects_in(reply)):
                answer = read(written)
                if answer is not None:
                    return answer
        return None

    async def _reply_async(self, messages: list[ChatMessage], schema: dict[str, Any]) -> str:
        try:
            completion = await ask_async(
                self._model, role=UsageRole.ATTACKER, messages=list(messages), response_schema=schema
            )
        except EmptyCompletionError:
            return ""
        except ConfigurationError:
            raise
        except Exception as error:
            msg = f"the attack's grader failed: {type(error).__name__}: {quote(safe_str(error))}"
            raise DriverError(msg) from error
        text: object = getattr(completion, "text", None)
        return text if isinstance(text, str) else ""


def _grade_of(written: dict[str, Any]) -> Grade | None:
    score, refused, reason = (written.get(name) for name in ("score", "refused", "reason"))
    if type(refused) is not bool or isinstance(score, bool) or not isinstance(score, int | float):
        return None
    if not 1 <= score <= _BEST:
        return None
    return Grade(
        score=(score - 1) / (_BEST - 1), refused=refused, reason=reason if isinstance(reason, str) else ""
    )
