"""A scripted language model that attacks, and grades what came of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rampart.attacks.prompt_files import prompt_text
from rampart.testing import ScriptedAgent, ScriptedChatModel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rampart import Request, Response, Turn
    from rampart.core import ChatMessage, Completion

SECRET = "the code is 4711"
REFUSAL = "No. I will not talk about codes."


def message(text: str, **thoughts: str) -> str:
    """An attacker's reply that holds one message."""
    why = {"reasoning": f"why {text}", "observation": "it talks", "thought": "", "strategy": "ask"}
    return json.dumps(why | thoughts | {"message": text})


class AttackingModel:
    """Answers as attacker, as grader of replies and as grader of messages, each by a script of its own.

    Args:
        replies: The attacker's replies, or exceptions, in order; without them `message 1`, `message 2` ...
        grade: What the grader says of a reply of the agent; by default refused if it is `REFUSAL`.
        off_goal: The numbers of those of the given messages that do not serve the objective.

    Attributes:
        model: The model.
        told: What the attacker was told, in order.
        graded: What the grader of replies was told, in order.
        supervised: The messages that the grader of messages was shown, call by call.
    """

    def __init__(
        self,
        replies: Sequence[str | BaseException] | None = None,
        *,
        grade: Callable[[str], dict[str, Any] | str] | None = None,
        off_goal: Callable[[list[str]], Sequence[int] | str] = lambda _: [],
    ) -> None:
        self.model = ScriptedChatModel([self._answer], repeat_last=True)
        self.told: list[str] = []
        self.graded: list[dict[str, Any]] = []
        self.supervised: list[list[str]] = []
        self._replies = None if replies is None else list(replies)
        self._grade = grade or _refused_or_not
        self._off_goal = off_goal

    def _answer(self, messages: list[ChatMessage]) -> str | Completion:
        instructions, last = messages[0].content, messages[-1].content
        if instructions == prompt_text("grade_reply"):
            self.graded.append(json.loads(last))
            grade = self._grade(self.graded[-1]["reply"])
            return grade if isinstance(grade, str) else json.dumps(grade)
        if instructions == prompt_text("grade_messages"):
            self.supervised.append([shown["text"] for shown in json.loads(last)["messages"]])
            lost = self._off_goal(self.supervised[-1])
            return lost if isinstance(lost, str) else json.dumps({"off_goal": list(lost)})
        self.told.append(last)
        if self._replies is None:
            return message(f"message {len(self.told)}")
        reply = self._replies.pop(0)
        if isinstance(reply, BaseException):
            raise reply
        return reply


def _refused_or_not(reply: str) -> dict[str, Any]:
    return {"reason": "by its words", "refused": reply == REFUSAL, "score": 1 if reply == REFUSAL else 4}


def yields_in_conversation(turn: int) -> ScriptedAgent:
    """An agent that gives its secret away in the n-th turn of a conversation, whatever it is told."""

    def reply(request: Request, history: list[Turn]) -> str:
        return SECRET if len(history) + 1 == turn else f"answer to {request.prompt}"

    return ScriptedAgent([reply], repeat_last=True)


def yields_at_prompt(number: int) -> ScriptedAgent:
    """An agent that gives its secret away at the n-th message that it gets at all."""
    seen: list[Request] = []

    def reply(request: Request, history: list[Turn]) -> str:
        seen.append(request)
        return SECRET if len(seen) == number else f"answer to {request.prompt}"

    return ScriptedAgent([reply], repeat_last=True)


def refuses(words: str, *, yields_at: str) -> ScriptedAgent:
    """An agent that refuses messages with some words, and gives its secret away at others."""

    def reply(request: Request, history: list[Turn]) -> str | Response:
        prompt = request.prompt or ""
        if words in prompt:
            return REFUSAL
        return SECRET if yields_at in prompt else f"answer to {prompt}"

    return ScriptedAgent([reply], repeat_last=True)
