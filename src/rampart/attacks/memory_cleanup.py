"""Making an agent forget what was planted in its memory, and looking whether it did."""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

from rampart.attacks.arm import run_arm_async
from rampart.attacks.campaign import FAILED
from rampart.attacks.memory_plan import harm_in
from rampart.attacks.planted import shows_async
from rampart.core.attempt import Attempt
from rampart.core.evaluation import EvalOutcome
from rampart.core.listener import exit_types
from rampart.core.log import log
from rampart.drivers.static import StaticDriver
from rampart.execution.failures import error_line
from rampart.execution.wording import shown_evidence

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from types import TracebackType

    from rampart.attacks.arm import ArmOutcome, Questions
    from rampart.attacks.memory_plan import MemoryPlan, MemoryProof
    from rampart.core.adapter import AgentAdapter
    from rampart.execution.running import Running

CHECK = "cleanup check"
NOT_ASKED, FORGOTTEN, UNPROVEN, CLEANUP_FAILED = "not asked for", "forgotten", "unproven", "failed"


class MemoryCleanup:
    """`async with MemoryCleanup(...)`: whatever happens in the body, the memory is told to forget after it.

    It is held off from cancellation and limits like every cleanup, and each step of it is given the time for
    cleanup. What fails is noted with the execution instead of raised.

    Args:
        adapter: The agent.
        running: The execution.
        plan: What the attack does; it says what makes the memory forget, and how to look whether it did.

    Attributes:
        planted: Whether anything was sent that may have been remembered.
        texts: By what the planted content is recognised, as far as that is known.
        shown: Whether a session after the planting showed that the memory had kept it.
        harmed: Whether the trigger made the agent do harm.
        state: What became of the cleanup.
        judged: The sessions held here with the answer whether harm was done in them, by phase.
    """

    def __init__(
        self,
        adapter: AgentAdapter,
        running: Running,
        *,
        plan: MemoryPlan,
    ) -> None:
        self._adapter = adapter
        self._running = running
        self._plan = plan
        self._forget = plan.forget
        self.planted = False
        self.texts: Sequence[str] = ()
        self.shown = False
        self.harmed = False
        self.state = NOT_ASKED
        self.judged: list[tuple[str, ArmOutcome]] = []

    async def __aenter__(self) -> Self:
        """Begin."""
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Clean up; from here on the execution does nothing else."""
        running = self._running
        running.watchdog.shield()
        if self._forget is None:
            return
        trace, limits, injections = running.trace, running.limits, len(running.injections)
        seconds = limits.cleanup_timeout_s
        running.limits = replace(limits, ready_timeout_s=seconds, turn_timeout_s=seconds)
        self.state = CLEANUP_FAILED
        try:
            if await self._noted_async("forget", self._forget_async(self._forget)):
                self.state = UNPROVEN
                stopped = running.watchdog.stop_requested or not (exc is None or isinstance(exc, Exception))
                if self.planted and not stopped:  # who was stopped has no time to talk to the agent again
                    await self._noted_async(CHECK, self._prove_async())
        finally:
            running.trace, running.limits = trace, limits
            del running.injections[injections:]

    async def _noted_async(self, what: str, work: Awaitable[None]) -> bool:
        """Do `work`, note what goes wrong, and say whether all went well."""
        try:
            await work
        except exit_types():
            raise
        except BaseException as error:  # noted, so that it cannot hide what came before
            log.error("%s failed", what, exc_info=error)
            self._note(f"{what}: {error_line(error)}")
            return False
        return True

    def _note(self, problem: str) -> None:
        self.state = CLEANUP_FAILED
        self._running.cleanup_errors.append(problem)

    async def _forget_async(self, forget: Callable[[], object] | StaticDriver) -> None:
        if isinstance(forget, StaticDriver):
            await self._hold_async("forget", forget, self._plan.questions_of(forget))
            self._running.attempts[-1].outcome = "sent"
            return
        with self._running.watchdog.step("forget", self._running.limits.cleanup_timeout_s):
            await _called_async(forget)

    async def _prove_async(self) -> None:
        """Look in a fresh session whether the memory still holds what was planted."""
        recall, trigger = self._plan.recall_proof, self._plan.trigger_proof
        await self._look_async(recall or trigger)
        # A question that was never seen to be answered proves less than what did harm.
        if recall is not None and self.harmed and self.state == FORGOTTEN and trigger.driver is not None:
            self.state = UNPROVEN
            await self._look_async(trigger)

    async def _look_async(self, proof: MemoryProof) -> None:
        """Look in one way."""
        if proof.driver is None:
            return
        outcome = await self._hold_async(CHECK, proof.driver, proof.questions)
        attempt = self._running.attempts[-1]
        evaluation = outcome.evaluation
        answers = [answer for answer in (evaluation, outcome.utility) if answer is not None]
        told = next((answer for answer in answers if answer.detected), None)
        seen = None
        if proof.by_search:
            with self._running.watchdog.step("search for the payload", self._running.limits.turn_timeout_s):
                seen = await shows_async(self.texts, outcome.run.raw_turns)
        if told is not None or seen:
            attempt.outcome = "still there"
            evidence = "" if told is None else shown_evidence(told)
            self._note(
                f"cleanup check: the memory still holds what was planted{': ' if evidence else ''}{evidence}"
            )
        elif answers and all(answer.outcome is EvalOutcome.NOT_DETECTED for answer in answers):
            attempt.outcome = "not there"
            # A session that looks as it did when the memory was poisoned proves nothing.
            self.state = FORGOTTEN if self.shown or not proof.needs_contrast else UNPROVEN
        else:
            attempt.outcome = "undetermined"

    async def _hold_async(self, phase: str, driver: StaticDriver, questions: Questions) -> ArmOutcome:
        """Hold one conversation as part of the cleanup, and keep it as an attempt."""
        running = self._running
        attempt = Attempt(outcome=FAILED, metadata={"phase": phase})
        running.attempts.append(attempt)
        running.trace = None
        try:
            outcome = await run_arm_async(self._adapter, running, questions, driver=driver)
        finally:
            attempt.turns = running.turns()
        attempt.evaluation = None if phase == "forget" else outcome.evaluation
        attempt.trace_end_reason = outcome.run.trace_end_reason
        judged = harm_in(questions, outcome)
        if judged is not None:
            self.judged.append((phase, judged))
        return outcome


async def _called_async(function: Callable[[], Any]) -> None:
    """Call a function of the user's; a sync one in a thread, so that its time can be limited."""
    if inspect.iscoroutinefunction(function):
        await function()
        return
    from rampart.surfaces.blocking import run_blocking_async  # noqa: PLC0415  # surfaces are seldom needed

    outcome = await run_blocking_async(function, patience_s=_LAST_WAIT_S)
    if inspect.isawaitable(outcome):
        await outcome


_LAST_WAIT_S = 1.0
"""Seconds for which a function is still waited for when its time is up."""
