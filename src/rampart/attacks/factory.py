"""How users make attacks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from rampart.attacks.xpia import XPIAExecution
from rampart.core.evaluator import detected_is_absorbing
from rampart.drivers.coerce import coerce_driver

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rampart.core.evaluator import Evaluator
    from rampart.core.injection import InjectionHandle
    from rampart.core.limits import Limits
    from rampart.core.prompt_driver import PromptDriver
    from rampart.core.types import Request
    from rampart.execution.base import BaseExecution
    from rampart.execution.events import ExecutionEventHandler


class Attacks:
    """Factories of attacks: checks that an agent cannot be made to do what it must not."""

    @staticmethod
    def xpia(
        *,
        inject: InjectionHandle | Sequence[InjectionHandle] | None = None,
        require_delivery: bool | None = None,
        trigger: str | list[str] | Request | list[Request] | PromptDriver,
        evaluator: Evaluator,
        utility: Evaluator | None = None,
        stop_when: Evaluator | Literal["auto"] | None = "auto",
        max_turns: int = 5,
        benign_control: bool = False,
        event_handlers: Sequence[ExecutionEventHandler] | None = None,
        limits: Limits | None = None,
    ) -> BaseExecution:
        """A cross-prompt injection: the agent reads hostile text while it does what a user asked for.

        Args:
            inject: What is planted and where, as `surface.inject(payload=...)` gives it; a list plants in
                several places at once. None plants nothing: the payload travels with the trigger, as an
                attachment.
            require_delivery: True lets nothing be SAFE without proof that every payload reached the agent.
                False leaves deliveries out of the verdict. None (default) doubts a SAFE verdict only when
                no payload was delivered.
            trigger: The harmless message, or several, that makes the agent read what was planted.
            evaluator: Detects the objective of the attack; DETECTED is UNSAFE.
            utility: Detects that the agent did the user's job. Its answer is `Result.utility`, and never
                moves the verdict.
            stop_when: `"auto"` ends the trace as soon as the objective is detected, where later turns cannot
                change that answer and no `utility` needs the rest of the trace. None never stops early; an
                evaluator is used as it is.
            max_turns: The most turns to make.
            benign_control: Whether the same trigger is sent first with nothing planted, in a session of its
                own; what came of it is `Result.control`.
            event_handlers: Told how each run goes, in this order.
            limits: Time limits; they replace the configured ones as a whole.

        Raises:
            ValueError: If `stop_when` is another text, `max_turns` is negative, or `inject` is an empty list.
            TypeError: If an argument has the wrong type.
        """
        return XPIAExecution(
            handles=_handles(inject),
            driver=_driver(trigger),
            evaluator=evaluator,
            utility=utility,
            require_delivery=require_delivery,
            stop_when=_stop_condition(stop_when, evaluator, utility),
            max_turns=max_turns,
            benign_control=benign_control,
            event_handlers=event_handlers,
            limits=limits,
        )


def _stop_condition(given: object, evaluator: Evaluator, utility: Evaluator | None) -> Evaluator | None:
    if isinstance(given, str):
        if given != "auto":
            msg = f"stop_when must be 'auto', None or an evaluator, got {given!r}"
            raise ValueError(msg)
        return evaluator if utility is None and detected_is_absorbing(evaluator) else None
    return given  # type: ignore[return-value]  # XPIAExecution looks at it as at every evaluator


def _driver(trigger: object) -> PromptDriver:
    driver = coerce_driver(trigger)
    if not hasattr(driver, "next_prompt_async"):
        msg = (
            f"trigger must be a text, a Request, a list of these, or a driver, got {type(trigger).__name__}: "
            'trigger="Summarise my mail."'
        )
        raise TypeError(msg)
    return driver


def _handles(given: object) -> list[InjectionHandle]:
    """What was given as a list; XPIAExecution looks at each."""
    if given is None:
        return []
    if isinstance(given, list | tuple) and not given:
        msg = (
            "inject is empty, so nothing would be planted: give it what surface.inject(payload=...) makes, "
            "or leave it out where the payload travels with the trigger"
        )
        raise ValueError(msg)
    return list(given) if isinstance(given, list | tuple) else [given]  # type: ignore[list-item]  # as above
