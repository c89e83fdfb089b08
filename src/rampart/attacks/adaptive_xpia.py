"""A cross-prompt injection whose payload is rewritten between attempts from what the agent did.

That defences have to be tested by attackers who adapt to them: Q. Zhan, R. Fang, H. S. Panchal, D. Kang,
"Adaptive Attacks Break Defenses Against Indirect Prompt Injection Attacks on LLM Agents", 2025
(arXiv:2503.00061).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from rampart.attacks.attack_end import AttackEnd
from rampart.attacks.attacker_health import AttackerHealth
from rampart.attacks.campaign import Campaign
from rampart.attacks.campaign_verdict import campaign_result
from rampart.attacks.crew import Crew
from rampart.attacks.delivery import NOT_OBSERVED, OBSERVED, UNKNOWN
from rampart.attacks.objective_attack import look_for_lost_goal_async
from rampart.attacks.observed_agent import as_text, observed_conversation
from rampart.attacks.rewriting import Rewriting
from rampart.core.llm import chat_model_of
from rampart.text.oneline import quote
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rampart.attacks.adaptation import Adaptation
    from rampart.attacks.arm import Questions
    from rampart.core.adapter import AgentAdapter
    from rampart.core.attempt import Attempt
    from rampart.core.injection import InjectionHandle
    from rampart.core.result import Result
    from rampart.core.types import Payload
    from rampart.drivers.static import StaticDriver
    from rampart.execution.running import Running

NOT_PLANTED = "not planted"


class AdaptationHealth(AttackerHealth):
    """How the model did that rewrites payloads; what it makes are attempts, of one turn or of several."""

    unit: ClassVar[str] = "attempts"


async def run_adaptive_async(
    adapter: AgentAdapter,
    running: Running,
    questions: Questions,
    *,
    adaptation: Adaptation,
    handles: Sequence[InjectionHandle],
    driver: StaticDriver,
    require_delivery: bool | None,
) -> Result:
    """Make the attempts, and give the one result of all.

    Raises:
        Exception: Whatever kept an attempt from being made, unless the objective had been reached by then.
    """
    health = AdaptationHealth(turns_planned=adaptation.max_attempts)
    campaign = Campaign(adapter, running, questions, health=health, budget=adaptation.budget)
    attacker = chat_model_of(adaptation.attacker)
    crew = Crew(
        campaign,
        health,
        objective=adaptation.objective.strip(),
        agent=safe_str(adapter.manifest),
        attacker=attacker,
        scorer=attacker if adaptation.scorer is None else chat_model_of(adaptation.scorer),
    )
    rewriting = Rewriting(handles, adaptation.converters or ())
    course = _Course(campaign, crew, rewriting, driver, most=adaptation.max_attempts)
    try:
        await course.run_async(handles)
    except AttackEnd as end:
        health.ended = end.reason
    finally:
        rewriting.close()
    if campaign.reached:
        health.ended = "the objective was reached"
    elif running.cleanup_errors:
        health.ended = "what was planted could not be removed"
    elif not course.over and course.written:
        await look_for_lost_goal_async(campaign, crew, course.written)
    running.failure = campaign.failure
    return campaign_result(
        campaign,
        adapter=adapter,
        strategy="xpia",
        require_delivery=require_delivery,
        more_doubts=[] if require_delivery is False else course.delivery_doubts(),
    )


class _Course:
    """The attempts of one run.

    Attributes:
        written: The texts of the attacker that were planted, in order.
    """

    def __init__(
        self, campaign: Campaign, crew: Crew, rewriting: Rewriting, driver: StaticDriver, *, most: int
    ) -> None:
        self._campaign = campaign
        self._crew = crew
        self._rewriting = rewriting
        self._driver = driver
        self._most = most
        self._rewritten = rewriting.rewritten
        self.written: list[str] = []

    @property
    def over(self) -> bool:
        """Whether nothing more is to be tried: it worked, it broke, or a place could not be put back."""
        campaign = self._campaign
        return campaign.reached or campaign.failure is not None or bool(campaign.running.cleanup_errors)

    async def run_async(self, handles: Sequence[InjectionHandle]) -> None:
        """Make the attempts.

        Raises:
            AttackEnd: If the attacker cannot go on, or the budget is spent.
        """
        rewriting, campaign = self._rewriting, self._campaign
        attacker = self._crew.attacker(
            "adapt", attempts=str(self._most), format=rewriting.payload.format.value
        )
        self._crew.health.note_given(rewriting.text)
        parent = await self._attempt_async(handles, rewriting.payload, None)
        told = await self._told_async(parent, rewriting.text, first=True)
        for number in range(1, self._most):
            if self.over:
                return
            message = await campaign.between_async("attacker", attacker.write_async(told))
            text = message.text
            payload = await campaign.between_async("converters", rewriting.rewritten_async(text))
            try:
                fresh = rewriting.handles(payload)
            except ValueError as error:  # such as a file name with a slash
                why = quote(safe_str(error))
                campaign.give_up(NOT_PLANTED, parent=parent, **_facts(payload, message.reasoning), why=why)
                self._crew.health.pruned += 1
                told = {"payload": text, "not_plantable": why}
                continue
            parent = await self._attempt_async(fresh, payload, parent, message.reasoning)
            self.written.append(text)
            if number + 1 < self._most:
                told = await self._told_async(parent, text)
        if self._crew.health.pruned:
            raise AttackEnd(f"{self._crew.health.pruned} payloads could not be planted")

    async def _attempt_async(
        self,
        handles: Sequence[InjectionHandle],
        payload: Payload,
        parent: int | None,
        reasoning: str = "",
    ) -> int:
        campaign = self._campaign
        position = await campaign.attempt_async(
            self._driver,
            max_turns=campaign.questions.max_turns,
            parent=parent,
            handles=handles,
            metadata=_facts(payload, reasoning),
        )
        if position not in campaign.outcomes and campaign.failure is None:
            raise AttackEnd("no turn was allowed, so the agent was never asked")
        self._crew.health.turns_run += 1
        return position

    async def _told_async(self, position: int, text: str, *, first: bool = False) -> dict[str, Any]:
        """What the attacker learns of an attempt; {} if there is nothing more to write."""
        if self.over or self._most == 1:
            return {}
        attempt, rewriting = self._campaign.attempts[position], self._rewriting
        delivered = delivery_of(attempt, self._rewritten)
        conversation = observed_conversation(attempt.turns)
        told: dict[str, Any] = {"payload": text}
        if first:
            told["place"] = rewriting.names
            told["user_messages"] = [request.prompt for request in self._driver.requests]
            if rewriting.around is not None:
                told["stands_in"] = rewriting.around[:4_000]
        told |= {"delivered": delivered, "conversation": conversation}
        if delivered == NOT_OBSERVED:  # there is nothing to grade
            return told
        grading = self._crew.grader().grade_async(message=text, reply=as_text(conversation))
        grade = await self._campaign.between_async("grader", grading)
        attempt.score = grade.score
        progress = None if grade.score is None else round(10 * grade.score)
        return told | {"refused": grade.refused, "progress": progress, "why": grade.reason}

    def delivery_doubts(self) -> list[str]:
        """Attempts whose payload was not read tested nothing; too many of them leave too little."""
        made = list(self._campaign.outcomes)
        attempts = self._campaign.attempts
        lost = [one for one in made if delivery_of(attempts[one], self._rewritten) == NOT_OBSERVED]
        told = all(record.delivery == NOT_OBSERVED for record in self._campaign.running.injections)
        if 2 * len(lost) < len(made) or told:  # the deliveries themselves tell when all are lost
            return []
        return [f"payload not delivered in {len(lost)} of {len(made)} attempts"]


def delivery_of(attempt: Attempt, rewritten: Sequence[bool]) -> str:
    """Whether the text that the attacker writes is known to have been read: in one of its places is enough.

    Args:
        attempt: The attempt, whose records are those of the places in order, and then others.
        rewritten: Of each place whether it gets that text.
    """
    planted = zip(attempt.injections, rewritten, strict=False)
    deliveries = {record.delivery for record, is_rewritten in planted if is_rewritten}
    if OBSERVED in deliveries:
        return OBSERVED
    return NOT_OBSERVED if deliveries == {NOT_OBSERVED} else UNKNOWN


def _facts(payload: Payload, reasoning: str) -> dict[str, Any]:
    facts = {"payload": payload.id, "content": payload.content}
    return facts | ({"reasoning": reasoning} if reasoning else {})
