"""PAIR: one prompt at a time, each to a fresh session, rewritten from what the last one got."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from rampart.attacks.attack_driver import MOST_TURNS, OneMessage
from rampart.attacks.attacker import shown_reply
from rampart.attacks.objective_attack import ObjectiveAttack
from rampart.attacks.prompt_files import prompt_text
from rampart.core.result import check_count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rampart.attacks.attacker import Attacker
    from rampart.attacks.campaign import Campaign
    from rampart.attacks.crew import Crew
    from rampart.core.budget import Budget
    from rampart.core.evaluator import Evaluator
    from rampart.core.limits import Limits
    from rampart.core.llm import ChatModel, LLMConfig
    from rampart.execution.events import ExecutionEventHandler

_APPROACHES = ("approach_fiction", "approach_reason", "approach_authority")


class PairExecution(ObjectiveAttack):
    """Refine one prompt again and again, each time against a fresh session of the agent.

    Several streams start over with approaches of their own: a story, reasons, an authority, and again.

    Source: P. Chao, A. Robey, E. Dobriban, H. Hassani, G. J. Pappas, E. Wong, "Jailbreaking Black Box Large
    Language Models in Twenty Queries", 2023 (arXiv:2310.08419).

    Args:
        objective: What the attacker is to get out of the agent.
        attacker: The model that writes the prompts.
        evaluator: Detects that the objective was reached; DETECTED is UNSAFE.
        scorer: The model that tells how near a reply is; None takes the attacker.
        streams: How often the attacker starts over.
        iterations: Prompts in each stream.
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
        streams: int = 3,
        iterations: int = 5,
        stop_when: Evaluator | Literal["auto"] | None = "auto",
        budget: Budget | None = None,
        event_handlers: Sequence[ExecutionEventHandler] | None = None,
        limits: Limits | None = None,
    ) -> None:
        check_count(streams, name="streams")
        check_count(iterations, name="iterations")
        super().__init__(
            objective=objective,
            attacker=attacker,
            evaluator=evaluator,
            scorer=scorer,
            turns_planned=streams * iterations,
            stop_when=stop_when,
            budget=budget,
            event_handlers=event_handlers,
            limits=limits,
        )
        self._streams = streams
        self._iterations = iterations

    @property
    def strategy_name(self) -> str:
        """`pair`."""
        return "pair"

    async def _attack_async(self, campaign: Campaign, crew: Crew) -> None:
        for stream in range(self._streams):
            approach = prompt_text(_APPROACHES[stream % len(_APPROACHES)])
            attacker = crew.attacker("pair", approach=approach, iterations=str(self._iterations))
            await self._stream_async(attacker, campaign, crew)
            if campaign.over:
                return

    async def _stream_async(self, attacker: Attacker, campaign: Campaign, crew: Crew) -> None:
        grader = crew.grader()
        told: dict[str, Any] = {"iteration": 1, "agent_reply": None}
        parent: int | None = None
        for iteration in range(1, self._iterations + 1):
            message = await campaign.between_async("attacker", attacker.write_async(told))
            parent = await campaign.attempt_async(OneMessage(message), max_turns=MOST_TURNS, parent=parent)
            attempt = campaign.attempts[parent]
            crew.health.turns_run += len(attempt.turns)
            if campaign.over or iteration == self._iterations or not attempt.turns:
                return
            reply = attempt.turns[-1].response.text
            grade = await campaign.between_async(
                "grader", grader.grade_async(message=message.text, reply=reply)
            )
            attempt.score = grade.score
            told = {
                "iteration": iteration + 1,
                "agent_reply": shown_reply(reply),
                "refused": grade.refused,
                "progress": None if grade.score is None else round(10 * grade.score),
                "why": grade.reason,
            }
