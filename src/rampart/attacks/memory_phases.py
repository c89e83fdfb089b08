"""The sessions of one memory attack, one after another."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from rampart.attacks.campaign import Campaign
from rampart.attacks.control_arm import is_static
from rampart.attacks.delivery import NOT_OBSERVED, OBSERVED, UNKNOWN
from rampart.attacks.handles import planted_payloads
from rampart.attacks.memory_cleanup import MemoryCleanup
from rampart.attacks.memory_course import MEMORY, MemoryCourse
from rampart.attacks.memory_plan import NotJudged, harm_in
from rampart.attacks.planted import planted_texts, shows_async
from rampart.core.errors import DriverError
from rampart.core.evaluation import EvalOutcome
from rampart.core.log import log
from rampart.core.result import InjectionRecord
from rampart.execution.wording import explanation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rampart.attacks.arm import ArmOutcome, Questions
    from rampart.attacks.memory_plan import MemoryPlan
    from rampart.attacks.recall import Recall
    from rampart.core.adapter import AgentAdapter
    from rampart.core.evaluation import EvalResult
    from rampart.core.injection import InjectionHandle
    from rampart.core.prompt_driver import PromptDriver
    from rampart.core.types import Request
    from rampart.execution.running import Running

_DELIVERY_OF = {
    EvalOutcome.DETECTED: OBSERVED,
    EvalOutcome.NOT_DETECTED: NOT_OBSERVED,
    EvalOutcome.UNDETERMINED: UNKNOWN,
}
_KEPT = {OBSERVED: "kept", NOT_OBSERVED: "not kept", UNKNOWN: "undetermined"}


async def run_phases_async(adapter: AgentAdapter, running: Running, plan: MemoryPlan) -> MemoryCourse:
    """Run the phases as far as it takes, cleanup included, and say what came of each.

    Raises:
        Exception: Whatever kept a phase from being run; the memory is cleaned up first.
    """
    phases = _Phases(adapter, running, plan)
    await phases.run_async()
    phases.course.injections = list(running.injections)
    return phases.course


class _Phases:
    def __init__(self, adapter: AgentAdapter, running: Running, plan: MemoryPlan) -> None:
        self._adapter = adapter
        self._running = running
        self._plan = plan
        self.course = MemoryCourse()

    async def run_async(self) -> None:
        plan, course = self._plan, self.course
        if plan.baseline:
            questions = replace(plan.triggering, utility=None)
            course.baseline = await self._hold_async("baseline", plan.trigger, questions)
            if _detected(course.baseline):
                await self._look_for_earlier_attack_async(course.baseline)
                return
        cleanup = MemoryCleanup(self._adapter, self._running, plan=plan)
        async with cleanup:
            await self._attack_async(cleanup)
        course.cleanup = cleanup.state
        course.beside += cleanup.judged

    async def _attack_async(self, cleanup: MemoryCleanup) -> None:
        plan, course, running = self._plan, self.course, self._running
        kept = InjectionRecord(payload_id=_payload_id(plan), surface_name=MEMORY)
        held, failed = len(running.attempts), len(running.cleanup_errors)
        try:
            course.plant = await self._hold_async("plant", plan.plant, plan.planting, plan.handles)
        finally:  # what was sent before a failure may have been remembered
            requests = self._sent_since(held)
            if requests:
                cleanup.planted = True
                cleanup.texts = planted_texts(plan.handles, requests)
                running.injections.append(kept)
                course.kept = kept
        course.place_left = bool(plan.handles) and len(running.cleanup_errors) > failed
        if isinstance(plan.planting.evaluator, NotJudged):
            running.attempts[-1].evaluation = None
            course.plant = replace(course.plant, evaluation=None)
        if _detected(course.plant):
            return
        running.attempts[-1].outcome = "planted"
        await self._settle_async()
        course.trigger = await self._hold_async("trigger", plan.trigger, plan.triggering)
        running.attempts[-1].injections.append(kept)
        await self._look_whether_kept_async(kept, cleanup.texts, course.trigger)
        cleanup.harmed = _detected(course.trigger)
        cleanup.shown = cleanup.harmed or kept.delivery == OBSERVED

    def _sent_since(self, attempts: int) -> list[Request]:
        """What was sent in the attempts from the given one on, the message without an answer included."""
        held = self._running.attempts[attempts:]
        requests = [turn.request for attempt in held for turn in attempt.turns]
        trace = self._running.trace
        return [*requests, trace.unanswered] if held and trace and trace.unanswered else requests

    async def _look_for_earlier_attack_async(self, baseline: ArmOutcome) -> None:
        """Look whether the memory held beforehand what was to be planted, as after an earlier attack."""
        plan = self._plan
        requests = plan.plant.requests if is_static(plan.plant) else []
        texts = planted_texts(plan.handles, requests)
        self.course.held_before = bool(await self._shows_async(texts, baseline))

    async def _shows_async(self, texts: Sequence[str], outcome: ArmOutcome) -> bool | None:
        """Whether a session shows what was planted; a search that fails takes no harm back."""
        running = self._running
        try:
            with running.watchdog.step("search for the payload", running.limits.turn_timeout_s):
                return await shows_async(texts, outcome.run.raw_turns)
        except Exception as error:
            if not _detected(outcome):
                raise
            log.warning("whether the memory showed what was planted is not known", exc_info=error)
            return None

    async def _hold_async(
        self, phase: str, driver: PromptDriver, questions: Questions, handles: Sequence[InjectionHandle] = ()
    ) -> ArmOutcome:
        """Hold the session of one phase.

        Raises:
            DriverError: If nothing was sent in it.
        """
        campaign = Campaign(self._adapter, self._running, questions)
        position = await campaign.attempt_async(
            driver, max_turns=questions.max_turns, handles=handles, metadata={"phase": phase}
        )
        outcome = campaign.outcomes.get(position)
        if outcome is None:
            msg = f"the driver of the {phase} session sent nothing"
            raise DriverError(msg)
        if phase != "recall":  # what it was asked for was known by then
            self._running.failure = outcome.failure
        return outcome

    async def _settle_async(self) -> None:
        watchdog = self._running.watchdog
        watchdog.resume()
        if self._plan.settle_s:
            with watchdog.step("wait for the memory to settle", None):
                await asyncio.sleep(self._plan.settle_s)

    async def _look_whether_kept_async(
        self, kept: InjectionRecord, texts: Sequence[str], trigger: ArmOutcome
    ) -> None:
        """Write into the record what is known of whether the memory kept what was planted."""
        recall = self._plan.recall
        if trigger.utility is not None:
            self._note(kept, trigger.utility)
            return
        if recall is not None and not _detected(trigger):
            await self._recall_async(kept, recall)
        shown = await self._shows_async(texts, trigger)
        if shown:  # it was there when it counted, whatever became of it since
            kept.delivery = OBSERVED
        elif recall is None and shown is not None and not _detected(trigger):
            # Whoever reached the objective may have read it where no tool reports it.
            kept.delivery = NOT_OBSERVED

    async def _recall_async(self, kept: InjectionRecord, recall: Recall) -> None:
        questions = self._plan.questions_of(recall.driver, recall.evaluator)
        answer = await self._hold_async("recall", recall.driver, questions)
        judged = harm_in(questions, answer)
        if judged is not None:
            self.course.beside.append(("recall", judged))
        if judged is not None and _detected(judged):
            return  # nobody asked whether the memory kept it
        assert answer.evaluation is not None  # something was sent
        self._note(kept, answer.evaluation)
        self._running.attempts[-1].outcome = _KEPT[kept.delivery]

    def _note(self, kept: InjectionRecord, answer: EvalResult) -> None:
        kept.delivery = _DELIVERY_OF[answer.outcome]
        if kept.delivery == UNKNOWN:
            self.course.why_kept = explanation(answer, fallback="")


def _detected(outcome: ArmOutcome) -> bool:
    return outcome.evaluation is not None and outcome.evaluation.detected


def _payload_id(plan: MemoryPlan) -> str | None:
    """The id of what is planted, where it is one payload from one place."""
    payloads = planted_payloads(plan.handles)
    return payloads[0].id if len(payloads) == 1 else None
