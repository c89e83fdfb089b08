"""What all attacks have in common in which a language model writes the messages."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Literal

from rampart.attacks.arm import Questions
from rampart.attacks.attack_end import AttackEnd
from rampart.attacks.attacker_health import STOPPED, AttackerHealth
from rampart.attacks.campaign import Campaign
from rampart.attacks.campaign_verdict import campaign_result
from rampart.attacks.crew import Crew
from rampart.attacks.stop_condition import stop_condition
from rampart.core.admission import EVALUATOR_MEMBERS, admit
from rampart.core.budget import Budget
from rampart.core.errors import DriverError, ExecutionTimeoutError
from rampart.core.llm import admit_llm, chat_model_of
from rampart.core.log import log
from rampart.execution.base import BaseExecution
from rampart.execution.running import running_or_alone
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rampart.core.adapter import AgentAdapter
    from rampart.core.evaluator import Evaluator
    from rampart.core.limits import Limits
    from rampart.core.llm import ChatModel, LLMConfig
    from rampart.core.result import Result
    from rampart.execution.events import ExecutionEventHandler


class ObjectiveAttack(BaseExecution):
    """An attack in which an attacker model pursues an objective over several messages.

    Subclasses say how, in `_attack_async`. All state belongs to one run, so one execution object may run any
    number of times, also at once.

    Args:
        objective: What the attacker is to get out of the agent, as it is told to the attacker model.
        attacker: The model that writes the messages.
        evaluator: Detects that the objective was reached; DETECTED is UNSAFE. The verdict is its alone.
        scorer: The model that tells the attacker how near it is, and moves no verdict; None takes the
            attacker.
        turns_planned: Messages to the agent that the attack is to make.
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
        scorer: LLMConfig | ChatModel | None,
        turns_planned: int,
        stop_when: Evaluator | Literal["auto"] | None,
        budget: Budget | None,
        event_handlers: Sequence[ExecutionEventHandler] | None,
        limits: Limits | None,
    ) -> None:
        super().__init__(event_handlers=event_handlers, limits=limits)
        if not isinstance(objective, str):
            msg = (
                f"objective must be a text that says what the attack is after, got {type(objective).__name__}"
            )
            raise TypeError(msg)
        if not objective.strip():
            msg = "objective is blank: say what the attacker is to get out of the agent"
            raise ValueError(msg)
        admit_llm(attacker, name="attacker")
        if scorer is not None:
            admit_llm(scorer, name="scorer")
        admit(evaluator, members=EVALUATOR_MEMBERS, role="evaluator")
        if budget is not None and not isinstance(budget, Budget):
            msg = f"budget must be a Budget or None, got {type(budget).__name__}"
            raise TypeError(msg)
        self._objective = objective.strip()
        self._attacker_model = attacker
        self._scorer_model = attacker if scorer is None else scorer
        self._turns_planned = turns_planned
        self._budget = budget
        self._questions = Questions(
            evaluator=evaluator,
            utility=None,
            stop_when=stop_condition(stop_when, auto=evaluator),
            max_turns=turns_planned,
        )

    def _shown_texts(self) -> Sequence[str]:
        # What the agent is to be led to stands in the objective, such as the address of a sink.
        return [self._objective]

    async def _execute_async(self, *, adapter: AgentAdapter) -> Result:
        running = running_or_alone(self._limits)
        health = AttackerHealth(turns_planned=self._turns_planned)
        campaign = Campaign(adapter, running, self._questions, health=health, budget=self._budget)
        crew = Crew(
            campaign,
            health,
            objective=self._objective,
            agent=safe_str(adapter.manifest),
            attacker=chat_model_of(self._attacker_model),
            scorer=chat_model_of(self._scorer_model),
        )
        try:
            await self._attack_async(campaign, crew)
        except AttackEnd as end:
            health.ended = end.reason
        if campaign.reached:
            health.ended = "the objective was reached"
        elif campaign.stopped:
            health.ended = "the evaluator changed its mind" if campaign.wavered else STOPPED
        elif running.cleanup_errors:
            health.ended = health.ended or "a session could not be left"
        elif not campaign.over:
            turns = [turn for attempt in campaign.attempts for turn in attempt.turns]
            sent = [turn.request.prompt for turn in turns if turn.request.prompt]
            await look_for_lost_goal_async(campaign, crew, sent)
        return campaign_result(campaign, adapter=adapter, strategy=self.strategy_name)

    @abstractmethod
    async def _attack_async(self, campaign: Campaign, crew: Crew) -> None:
        """Hold the conversations of one run, and count the turns in `campaign.health.turns_run`.

        Raises:
            AttackEnd: If the attack ends before its turns are used up.
        """


async def look_for_lost_goal_async(campaign: Campaign, crew: Crew, sent: Sequence[str]) -> None:
    """Count the texts that did not serve the objective: who withstood only those withstood little."""
    messages = list(dict.fromkeys(sent))
    if not messages:
        return
    look = crew.grader().off_goal_async(messages)
    try:
        lost = await campaign.between_async("look at the attacker's messages", look)
    except (AttackEnd, DriverError, ExecutionTimeoutError) as error:
        if campaign.running.watchdog.outer_passed:  # that was the end of more than this look
            raise
        log.warning("nobody looked whether the attacker pursued the objective: %s", error)
        return
    crew.health.lost_goal = None if lost is None else len(lost)
    if lost is None:
        log.warning("the grader could not tell whether the attacker pursued the objective")
