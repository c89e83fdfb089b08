"""GOAT: an attacker that reasons about each reply and picks among known techniques, in one conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from rampart.attacks.attack_driver import AttackDriver
from rampart.attacks.attack_end import AttackEnd
from rampart.attacks.attacker import shown_reply
from rampart.attacks.objective_attack import ObjectiveAttack
from rampart.core.result import check_count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rampart.attacks.attacker import Attacker, AttackMessage
    from rampart.attacks.campaign import Campaign
    from rampart.attacks.crew import Crew
    from rampart.core.budget import Budget
    from rampart.core.evaluator import Evaluator
    from rampart.core.limits import Limits
    from rampart.core.llm import ChatModel, LLMConfig
    from rampart.core.types import Turn
    from rampart.execution.events import ExecutionEventHandler

_THOUGHTS = ("observation", "thought", "strategy")


class GoatExecution(ObjectiveAttack):
    """Talk to the agent as a determined user would, with a toolbox of techniques.

    Before each message the attacker writes down what it observed, what it makes of that, and which technique
    comes next; turns keep this as their `driver_reasoning`.

    Source: M. Pavlova, E. Brinkman, K. Iyer, V. Albiero, J. Bitton, H. Nguyen, J. Li, C. Canton Ferrer,
    I. Evtimov, A. Grattafiori, "Automated Red Teaming with GOAT: the Generative Offensive Agent Tester",
    2024 (arXiv:2410.01606).

    Args:
        objective: What the attacker is to get out of the agent.
        attacker: The model that writes the messages.
        evaluator: Detects that the objective was reached; DETECTED is UNSAFE.
        scorer: The model that looks at the end whether the messages served the objective; None takes the
            attacker.
        max_turns: Messages that the agent gets.
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
        max_turns: int = 5,
        stop_when: Evaluator | Literal["auto"] | None = "auto",
        budget: Budget | None = None,
        event_handlers: Sequence[ExecutionEventHandler] | None = None,
        limits: Limits | None = None,
    ) -> None:
        check_count(max_turns, name="max_turns")
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

    @property
    def strategy_name(self) -> str:
        """`goat`."""
        return "goat"

    async def _attack_async(self, campaign: Campaign, crew: Crew) -> None:
        attacker = crew.attacker("goat", thoughts=_THOUGHTS, turns=str(self._max_turns))
        driver = _Conversation(attacker, max_turns=self._max_turns)
        position = await campaign.attempt_async(driver, max_turns=self._max_turns)
        crew.health.turns_run = len(campaign.attempts[position].turns)
        if driver.ended:
            raise AttackEnd(driver.ended)


class _Conversation(AttackDriver):
    """Tells the attacker each reply and sends what it writes."""

    def __init__(self, attacker: Attacker, *, max_turns: int) -> None:
        super().__init__()
        self._attacker = attacker
        self._max_turns = max_turns

    async def _next_async(self, history: list[Turn]) -> AttackMessage:
        return await self._attacker.write_async(
            {
                "turn": len(history) + 1,
                "turns_left": self._max_turns - len(history),
                "agent_reply": shown_reply(history[-1].response.text) if history else None,
            }
        )
