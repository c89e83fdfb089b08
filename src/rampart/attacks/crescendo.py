"""Crescendo: from harmless questions to the objective in small steps, going back where the agent refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from rampart.attacks.attack_driver import AttackDriver
from rampart.attacks.attack_end import AttackEnd
from rampart.attacks.attacker import AttackMessage, shown_reply
from rampart.attacks.objective_attack import ObjectiveAttack
from rampart.core.result import check_count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rampart.attacks.attacker import Attacker
    from rampart.attacks.campaign import Campaign
    from rampart.attacks.crew import Crew
    from rampart.attacks.grader import Grader
    from rampart.core.budget import Budget
    from rampart.core.evaluator import Evaluator
    from rampart.core.limits import Limits
    from rampart.core.llm import ChatModel, LLMConfig
    from rampart.core.types import Turn
    from rampart.execution.events import ExecutionEventHandler

REFUSED = "refused"


class CrescendoExecution(ObjectiveAttack):
    """Lead the agent to the objective in small steps, each built on what it said itself.

    When the agent refuses, the refused message is taken back: a new session gets the messages before it once
    more, and the attacker tries another way from there. The agent need not answer them as before. Once
    `max_backtracks` is used up, refusals stay in the conversation.

    Source: M. Russinovich, A. Salem, R. Eldan, "Great, Now Write an Article About That: The Crescendo
    Multi-Turn LLM Jailbreak Attack", USENIX Security 2025 (arXiv:2404.01833).

    Args:
        objective: What the attacker is to get out of the agent.
        attacker: The model that writes the messages.
        evaluator: Detects that the objective was reached; DETECTED is UNSAFE.
        scorer: The model that tells refusals and how near a reply is; None takes the attacker.
        max_turns: Messages that the agent gets in one conversation.
        max_backtracks: How often a refused message is taken back.
        stop_when: Ends the attack when it is detected; `"auto"` takes the evaluator, None nothing.
        budget: What the models may consume together; None sets no limit.
        event_handlers: Told how each run goes, in this order.
        limits: Time limits; they replace the configured ones as a whole.

    Raises:
        ValueError: If the objective is blank, or a number is out of range.
        TypeError: If an argument has the wrong type.
    """

    def __init__(
        self,
        *,
        objective: str,
        attacker: LLMConfig | ChatModel,
        evaluator: Evaluator,
        scorer: LLMConfig | ChatModel | None = None,
        max_turns: int = 10,
        max_backtracks: int = 10,
        stop_when: Evaluator | Literal["auto"] | None = "auto",
        budget: Budget | None = None,
        event_handlers: Sequence[ExecutionEventHandler] | None = None,
        limits: Limits | None = None,
    ) -> None:
        check_count(max_turns, name="max_turns")
        check_count(max_backtracks, name="max_backtracks", least=0)
        super().__init__(
            objective=objective,
            attacker=attacker,
            evaluator=evaluator,
            scorer=scorer,
            turns_planned=max_turns,
            stop_when=stop_when,
            budget=budget,
            event_handlers=event_handlers,
            limits=limits,
        )
        self._max_turns = max_turns
        self._max_backtracks = max_backtracks

    @property
    def strategy_name(self) -> str:
        """`crescendo`."""
        return "crescendo"

    async def _attack_async(self, campaign: Campaign, crew: Crew) -> None:
        attacker = crew.attacker("crescendo", turns=str(self._max_turns))
        steps: list[AttackMessage] = []
        parent: int | None = None
        taken_back: AttackMessage | None = None
        while True:
            driver = _Climb(
                attacker,
                crew.grader(),
                steps=steps,
                max_turns=self._max_turns,
                may_go_back=crew.health.went_back < self._max_backtracks,
                taken_back=taken_back,
            )
            position = await campaign.attempt_async(driver, max_turns=self._max_turns, parent=parent)
            attempt = campaign.attempts[position]
            crew.health.turns_run = max(crew.health.turns_run, len(attempt.turns))
            if campaign.over:
                return
            if driver.refused is None:
                if driver.ended:
                    raise AttackEnd(driver.ended)
                return
            crew.health.went_back += 1
            attempt.outcome = REFUSED
            attempt.metadata["refused"] = driver.refused.text
            parent, steps, taken_back = position, driver.steps, driver.refused


class _Climb(AttackDriver):
    """One conversation: the steps that the agent took before, then new ones until it refuses one.

    Attributes:
        steps: The messages that the agent did not refuse.
        refused: The one that it refused, if it may be taken back.
    """

    def __init__(
        self,
        attacker: Attacker,
        grader: Grader,
        *,
        steps: Sequence[AttackMessage],
        max_turns: int,
        may_go_back: bool,
        taken_back: AttackMessage | None,
    ) -> None:
        super().__init__()
        self._taken_back = taken_back
        self._attacker = attacker
        self._grader = grader
        self._again = list(steps)
        self._max_turns = max_turns
        self._may_go_back = may_go_back
        self._last: AttackMessage | None = None
        self._news: dict[str, Any] = {}
        self.steps = list(steps)
        self.refused: AttackMessage | None = None

    async def _next_async(self, history: list[Turn]) -> AttackMessage:
        if len(history) < len(self._again):
            return self._again[len(history)]
        if self._last is not None:
            await self._grade_async(self._last, history[-1].response.text)
        elif self._taken_back is not None:
            self._news = {"taken_back": self._taken_back.text, "refused": True}
        told: dict[str, Any] = {
            "turn": len(history) + 1,
            "turns_left": self._max_turns - len(history),
            "agent_reply": shown_reply(history[-1].response.text) if history else None,
        }
        self._last = await self._attacker.write_async(told | self._news)
        return self._last

    async def _grade_async(self, message: AttackMessage, reply: str) -> None:
        grade = await self._grader.grade_async(message=message.text, reply=reply)
        self._news = {
            "refused": grade.refused,
            "progress": None if grade.score is None else round(10 * grade.score),
            "why": grade.reason,
        }
        if grade.refused and self._may_go_back:
            self.refused = message
            raise AttackEnd("the agent refused, and the message was taken back")
        self.steps.append(message)
