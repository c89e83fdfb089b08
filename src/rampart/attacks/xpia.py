"""Cross-prompt injection: hostile text in what the agent reads, and a harmless message that makes it read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rampart.attacks.adaptation import Adaptation
from rampart.attacks.adaptive_xpia import run_adaptive_async
from rampart.attacks.arm import Questions, run_arm_async
from rampart.attacks.control_arm import control_driver, control_note, is_static, run_control_async
from rampart.attacks.flags import check_flag
from rampart.attacks.handles import checked_handles, keys_of_handles, planted_payloads
from rampart.attacks.rewriting import Rewriting
from rampart.attacks.verdict import attack_result
from rampart.core.admission import DRIVER_MEMBERS, EVALUATOR_MEMBERS, admit
from rampart.core.judge_identity import judge_metadata
from rampart.drivers.static import prompts_of
from rampart.execution.base import BaseExecution
from rampart.execution.running import running_or_alone
from rampart.execution.trace import check_max_turns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rampart.core.adapter import AgentAdapter
    from rampart.core.evaluator import Evaluator
    from rampart.core.injection import InjectionHandle
    from rampart.core.limits import Limits
    from rampart.core.prompt_driver import PromptDriver
    from rampart.core.result import Result
    from rampart.execution.events import ExecutionEventHandler
    from rampart.execution.running import Running


class XPIAExecution(BaseExecution):
    """Plant payloads where the agent reads, send it harmless messages, and look for the attack's objective.

    DETECTED is UNSAFE, NOT_DETECTED is SAFE: an attack names what must not happen. SAFE becomes
    UNDETERMINED when no payload reached the agent, or the adapter reports too little to tell.

    Args:
        handles: What is planted, entered in this order; None or empty when the payload travels with the
            message.
        driver: Decides what to send.
        evaluator: Detects the objective of the attack; evaluated once, over all turns.
        utility: Detects that the agent did the user's job; evaluated once over the same turns, and never
            moves the verdict.
        require_delivery: True lets nothing be SAFE without proof that every payload reached the agent.
            False leaves deliveries out of the verdict. None (default) doubts a SAFE verdict only when no
            payload was delivered.
        stop_when: Ends the trace early when it is detected.
        max_turns: The most turns to make.
        benign_control: Whether the same messages are sent first in a session of their own with nothing
            planted; what came of them is `Result.control`.
        adapt: How an attacker model rewrites the payload of the first handle between attempts; None makes one
            attempt.
        event_handlers: Told how each run goes, in this order.
        limits: Time limits; they replace the configured ones as a whole.

    Raises:
        TypeError: If an argument lacks what its role needs, such as a handle to be planted with another text.
        ValueError: If `max_turns` is negative, two handles are one and the same object, or there is nothing
            to adapt.
        ConfigurationError: If the payload to be adapted is no text.
    """

    def __init__(
        self,
        *,
        handles: Sequence[InjectionHandle] | None = None,
        driver: PromptDriver,
        evaluator: Evaluator,
        utility: Evaluator | None = None,
        require_delivery: bool | None = None,
        stop_when: Evaluator | None = None,
        max_turns: int = 25,
        benign_control: bool = False,
        adapt: Adaptation | None = None,
        event_handlers: Sequence[ExecutionEventHandler] | None = None,
        limits: Limits | None = None,
    ) -> None:
        super().__init__(event_handlers=event_handlers, limits=limits)
        self._handles = checked_handles(handles)
        admit(driver, members=DRIVER_MEMBERS, role="driver")
        for role, given in (("evaluator", evaluator), ("utility", utility), ("stop_when", stop_when)):
            if given is not None or role == "evaluator":
                admit(given, members=EVALUATOR_MEMBERS, role=role)
        check_flag(require_delivery, name="require_delivery", none_allowed=True)
        check_flag(benign_control, name="benign_control")
        check_max_turns(max_turns)
        self._driver = driver
        self._questions = Questions(
            evaluator=evaluator, utility=utility, stop_when=stop_when, max_turns=max_turns
        )
        self._require_delivery = require_delivery
        self._control_driver = control_driver(driver) if benign_control else None
        self._adapt = None if adapt is None else self._checked_adaptation(adapt)

    @property
    def strategy_name(self) -> str:
        """`xpia`."""
        return "xpia"

    @property
    def isolation_keys(self) -> frozenset[str]:
        """One key a handle, its `isolation_key` or else its `surface_name`, and those of what listens."""
        return super().isolation_keys | keys_of_handles(self._handles)

    def _shown_texts(self) -> Sequence[str]:
        contents = [payload.content for payload in planted_payloads(self._handles)]
        # A wording to come may hold what the attacker is told to bring about, such as the address of a sink.
        objectives = [] if self._adapt is None else [self._adapt.objective]
        return [*contents, *prompts_of(self._driver), *objectives]

    async def _execute_async(self, *, adapter: AgentAdapter) -> Result:
        running = running_or_alone(self._limits)
        if self._control_driver is not None:
            running.control = await run_control_async(
                adapter, running, self._questions, driver=self._control_driver
            )
        result = await self._attack_async(adapter, running)
        if running.control is not None:
            result.control = running.control
            result.summary += control_note(running.control)
        return result

    async def _attack_async(self, adapter: AgentAdapter, running: Running) -> Result:
        if self._adapt is not None and is_static(self._driver):
            return await run_adaptive_async(
                adapter,
                running,
                self._questions,
                adaptation=self._adapt,
                handles=self._handles,
                driver=self._driver,
                require_delivery=self._require_delivery,
            )
        outcome = await run_arm_async(
            adapter, running, self._questions, driver=self._driver, handles=self._handles
        )
        running.failure = outcome.failure
        result = attack_result(
            outcome,
            strategy=self.strategy_name,
            injections=running.injections,
            require_delivery=self._require_delivery,
        )
        result.metadata |= judge_metadata(self._questions.evaluator)
        return result

    def _checked_adaptation(self, adapt: Adaptation) -> Adaptation:
        if not isinstance(adapt, Adaptation):
            msg = f"adapt must be an Adaptation or None, got {type(adapt).__name__}"
            raise TypeError(msg)
        if not is_static(self._driver):
            msg = (
                f"adapt sends the trigger with every attempt, and {type(self._driver).__name__} may not be "
                "asked twice: give the trigger as text, as a Request, or as a list of these"
            )
            raise TypeError(msg)
        Rewriting(self._handles, adapt.converters or ()).close()  # it refuses what cannot be rewritten
        return adapt
