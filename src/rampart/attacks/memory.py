"""Memory poisoning: what is planted in one session, and does harm in another."""

from __future__ import annotations

import inspect
import math
from typing import TYPE_CHECKING, Literal

from rampart.attacks.arm import Questions
from rampart.attacks.control_arm import is_static
from rampart.attacks.flags import check_flag
from rampart.attacks.handles import checked_handles, handle_list, keys_of_handles, planted_payloads
from rampart.attacks.memory_course import MEMORY, STRATEGY
from rampart.attacks.memory_phases import run_phases_async
from rampart.attacks.memory_plan import MemoryPlan, NotJudged
from rampart.attacks.planted import planting_driver
from rampart.attacks.recall import Recall
from rampart.attacks.stop_condition import stop_condition
from rampart.core.admission import DRIVER_MEMBERS, EVALUATOR_MEMBERS, admit
from rampart.core.evaluator import detected_is_absorbing
from rampart.core.judge_identity import judge_metadata
from rampart.core.result import check_count
from rampart.drivers.coerce import coerce_driver
from rampart.drivers.static import StaticDriver, prompts_of
from rampart.execution.base import BaseExecution
from rampart.execution.running import running_or_alone
from rampart.text.safe import safe_float

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rampart.core.adapter import AgentAdapter
    from rampart.core.evaluator import Evaluator
    from rampart.core.injection import InjectionHandle
    from rampart.core.limits import Limits
    from rampart.core.prompt_driver import PromptDriver
    from rampart.core.result import Result
    from rampart.core.types import Payload, Request
    from rampart.execution.events import ExecutionEventHandler


class MemoryExecution(BaseExecution):
    """Plant something in the agent's memory in one session, and see what it does in another.

    Each phase is a session of its own, kept as an attempt: the trigger before anything is planted (baseline),
    the planting, the trigger, the question whether the memory kept it, and after the memory was told to
    forget once more a look whether it did.

    DETECTED in the trigger's session, or while planting, is UNSAFE. SAFE becomes UNDETERMINED when the memory
    did not keep what was planted. An agent that reaches the objective in the baseline gets nothing planted,
    and the attack is UNDETERMINED: that it does harm by itself says nothing about its memory.

    Such attacks are described by S. Dong et al., "Memory Injection Attacks on LLM Agents via Query-Only
    Interaction", 2025 (arXiv:2503.03704), and by J. Rehberger for the memory of ChatGPT, "Spyware Injection
    Into Your ChatGPT's Long-Term Memory (SpAIware)", 2024; the proofs of persistence and cleanup are
    rampart's own.

    Args:
        plant: The messages of the planting session: a text, a payload, a request, a list of these, or a
            driver. With `inject` they are harmless ones that make the agent read and remember.
        trigger: The harmless message, or several, of a later session; a driver with `baseline=False` only.
        evaluator: Detects the objective of the attack; asked of each of these sessions by itself.
        inject: What is planted where the agent reads, as `surface.inject(payload=...)` gives it; it is gone
            again before the trigger. None or a list will do.
        persisted: Detects that the memory kept what was planted: an evaluator over the trigger's session, or
            a `Recall` that is asked in one of its own. None looks for the planted text in what the trigger's
            session shows, as for the delivery of payloads.
        forget: What makes the memory forget: a function without parameters, sync or async, or messages for a
            session of their own. None cleans up nothing.
        baseline: Whether the trigger is sent first with nothing planted.
        judge_planting: Whether reaching the objective while planting counts, and when the agent is asked what
            it remembers or told to forget. False for objectives that it seems to reach by repeating what it
            is to remember.
        require_persistence: True lets nothing be SAFE without proof that the memory kept what was planted.
            False leaves that out of the verdict. None (default) doubts a SAFE verdict only when it is known
            not to have kept it.
        settle_s: Seconds to wait between planting and trigger, for memories that are written later.
        isolation_key: Trials with the same key never overlap, since they share a memory; None for agents that
            give each trial a memory of its own.
        stop_when: Ends the trigger's session when it is detected. `"auto"` takes the evaluator where later
            turns cannot change its answer; None never stops early.
        max_turns: The most turns in the trigger's session, and in the planting one where a driver plants.
        event_handlers: Told how each run goes, in this order.
        limits: Time limits; they replace the configured ones as a whole.

    Raises:
        TypeError: If an argument has the wrong type, or a driver is to be asked twice.
        ValueError: If an argument is empty or out of range.
    """

    def __init__(
        self,
        *,
        plant: str | Payload | Request | Sequence[str | Payload | Request] | PromptDriver,
        trigger: str | Request | Sequence[str | Request] | PromptDriver,
        evaluator: Evaluator,
        inject: InjectionHandle | Sequence[InjectionHandle] | None = None,
        persisted: Evaluator | Recall | None = None,
        forget: Callable[[], object] | str | Request | Sequence[str | Request] | None = None,
        baseline: bool = True,
        judge_planting: bool = True,
        require_persistence: bool | None = None,
        settle_s: float = 0.0,
        isolation_key: str | None = MEMORY,
        stop_when: Evaluator | Literal["auto"] | None = "auto",
        max_turns: int = 5,
        event_handlers: Sequence[ExecutionEventHandler] | None = None,
        limits: Limits | None = None,
    ) -> None:
        super().__init__(event_handlers=event_handlers, limits=limits)
        admit(evaluator, members=EVALUATOR_MEMBERS, role="evaluator")
        check_count(max_turns, name="max_turns")
        planting, triggering = planting_driver(plant), _trigger_driver(trigger)
        shown = None if isinstance(persisted, Recall) else persisted
        if shown is not None:
            admit(shown, members=EVALUATOR_MEMBERS, role="evaluator")
        check_flag(baseline, name="baseline")
        check_flag(judge_planting, name="judge_planting")
        check_flag(require_persistence, name="require_persistence", none_allowed=True)
        if baseline and not is_static(triggering):
            msg = (
                f"the baseline sends the trigger twice, and {type(triggering).__name__} may not be asked "
                "twice: give the trigger as text, as a Request, or as a list of these, or set baseline=False"
            )
            raise TypeError(msg)
        self._require_persistence = require_persistence
        self._isolation_key = _checked_key(isolation_key)
        auto = evaluator if detected_is_absorbing(evaluator) else None
        self._plan = MemoryPlan(
            baseline=baseline,
            handles=checked_handles(handle_list(inject)),
            plant=planting,
            planting=Questions(
                evaluator=evaluator if judge_planting else NotJudged(),
                utility=None,
                stop_when=None,
                # A fixed list is sent to its end.
                max_turns=len(planting.requests) + 1 if is_static(planting) else max_turns,
            ),
            settle_s=_checked_seconds(settle_s),
            trigger=triggering,
            triggering=Questions(
                evaluator=evaluator,
                utility=shown,
                stop_when=stop_condition(stop_when, auto=auto),
                max_turns=max_turns,
            ),
            recall=persisted if isinstance(persisted, Recall) else None,
            forget=_forgetting(forget),
        )

    @property
    def strategy_name(self) -> str:
        """`memory`."""
        return STRATEGY

    @property
    def isolation_keys(self) -> frozenset[str]:
        """That of the memory, one a handle, and those of what listens."""
        own: frozenset[str] = frozenset() if self._isolation_key is None else frozenset({self._isolation_key})
        return super().isolation_keys | own | keys_of_handles(self._plan.handles)

    def _shown_texts(self) -> Sequence[str]:
        plan = self._plan
        contents = [payload.content for payload in planted_payloads(plan.handles)]
        return [*contents, *prompts_of(plan.plant), *prompts_of(plan.trigger)]

    async def _execute_async(self, *, adapter: AgentAdapter) -> Result:
        running = running_or_alone(self._limits)
        course = await run_phases_async(adapter, running, self._plan)
        result = course.result(require_persistence=self._require_persistence)
        result.metadata |= judge_metadata(self._plan.triggering.evaluator)
        result.attempts = list(running.attempts)
        return result


def _trigger_driver(trigger: object) -> PromptDriver:
    driver = coerce_driver(trigger)
    if is_static(driver) and not driver.requests:
        msg = "trigger is empty: give the harmless message of a later session"
        raise ValueError(msg)
    admit(driver, members=DRIVER_MEMBERS, role="driver")
    return driver


def _forgetting(forget: object) -> Callable[[], object] | StaticDriver | None:
    if forget is None:
        return None
    if callable(forget):
        _check_needs_nothing(forget)
        return forget
    driver: object = coerce_driver(forget)
    if not is_static(driver):
        msg = (
            "forget must be a function without parameters, or messages that make the agent forget, got "
            f"{type(forget).__name__}"
        )
        raise TypeError(msg)
    if not driver.requests:
        msg = "forget is empty: give a function or messages, or leave it out"
        raise ValueError(msg)
    return driver


def _check_needs_nothing(forget: Callable[..., object]) -> None:
    try:
        inspect.signature(forget).bind()
    except TypeError as error:
        msg = (
            f"forget is called without arguments, and this function needs some ({error}): give "
            "functools.partial(function, ...) or a lambda that holds them"
        )
        raise TypeError(msg) from None
    except ValueError:  # some functions written in C do not tell
        return


def _checked_seconds(given: object) -> float:
    seconds = None if isinstance(given, bool) else safe_float(given)
    if seconds is None or not math.isfinite(seconds) or seconds < 0:
        msg = f"settle_s must be a number of seconds, 0 or more, got {given!r}"
        raise ValueError(msg)
    return seconds


def _checked_key(given: object) -> str | None:
    if given is not None and not isinstance(given, str):
        msg = f"isolation_key must be a str or None, got {type(given).__name__}"
        raise TypeError(msg)
    if given is not None and not given.strip():
        msg = "isolation_key is blank: name the memory, or give None where each trial has one of its own"
        raise ValueError(msg)
    return given
