"""How users make attacks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from rampart.attacks.crescendo import CrescendoExecution
from rampart.attacks.direct import PromptExecution
from rampart.attacks.goat import GoatExecution
from rampart.attacks.handles import handle_list
from rampart.attacks.memory import MemoryExecution
from rampart.attacks.pair import PairExecution
from rampart.attacks.stop_condition import stop_condition
from rampart.attacks.tap import TapExecution
from rampart.attacks.xpia import XPIAExecution
from rampart.core.evaluator import detected_is_absorbing
from rampart.core.types import Payload, Request
from rampart.drivers.coerce import coerce_driver

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rampart.attacks.adaptation import Adaptation
    from rampart.core.converter import PayloadConverter
    from rampart.core.evaluator import Evaluator
    from rampart.core.injection import InjectionHandle
    from rampart.core.limits import Limits
    from rampart.core.prompt_driver import PromptDriver
    from rampart.execution.base import BaseExecution
    from rampart.execution.events import ExecutionEventHandler


class Attacks:
    """Factories of attacks: checks that an agent cannot be made to do what it must not."""

    crescendo = CrescendoExecution
    goat = GoatExecution
    memory = MemoryExecution
    pair = PairExecution
    tap = TapExecution

    @staticmethod
    def prompt(
        *,
        prompt: str | Payload | Request | Sequence[str | Payload | Request],
        converters: PayloadConverter | Sequence[PayloadConverter] | None = None,
        evaluator: Evaluator,
        stop_at_first: bool = True,
        event_handlers: Sequence[ExecutionEventHandler] | None = None,
        limits: Limits | None = None,
    ) -> BaseExecution:
        """Hostile messages to the agent itself, each in a session of its own.

        Args:
            prompt: The message, or several: texts, payloads such as those of a library family, or requests.
            converters: Applied to each message, one after another, such as `Base64Converter()`.
            evaluator: Detects the objective of the attack; evaluated once a message, and DETECTED is UNSAFE.
            stop_at_first: Whether the first message that reaches the objective ends the attack. False sends
                all, so that `Result.attempts` tells which of them do.
            event_handlers: Told how each run goes, in this order.
            limits: Time limits; they replace the configured ones as a whole.

        Raises:
            TypeError: If an argument has the wrong type.
            ValueError: If there is no message.
        """
        return PromptExecution(
            prompts=[prompt] if isinstance(prompt, str | Payload | Request) else list(prompt),
            converters=_converters(converters),
            evaluator=evaluator,
            stop_at_first=stop_at_first,
            event_handlers=event_handlers,
            limits=limits,
        )

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
        adapt: Adaptation | None = None,
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
            adapt: How an attacker model rewrites the payload of the first injection between attempts, until
                the agent obeys or the attempts are used up; None makes one attempt.
            event_handlers: Told how each run goes, in this order.
            limits: Time limits; they replace the configured ones as a whole.

        Raises:
            ValueError: If `stop_when` is another text, `max_turns` is negative, or `inject` is an empty list.
            TypeError: If an argument has the wrong type.
        """
        return XPIAExecution(
            handles=handle_list(inject),
            driver=_driver(trigger),
            evaluator=evaluator,
            utility=utility,
            require_delivery=require_delivery,
            stop_when=stop_condition(stop_when, auto=_stable(evaluator) if utility is None else None),
            max_turns=max_turns,
            benign_control=benign_control,
            adapt=adapt,
            event_handlers=event_handlers,
            limits=limits,
        )


def _converters(given: object) -> Sequence[PayloadConverter] | None:
    """What was given as a list; PromptExecution looks at each."""
    if given is None or isinstance(given, list | tuple):
        return given
    return [given]  # type: ignore[list-item]  # as above


def _stable(evaluator: Evaluator) -> Evaluator | None:
    """The evaluator, if later turns cannot change that it was detected."""
    return evaluator if detected_is_absorbing(evaluator) else None


def _driver(trigger: object) -> PromptDriver:
    driver = coerce_driver(trigger)
    if not hasattr(driver, "next_prompt_async"):
        msg = (
            f"trigger must be a text, a Request, a list of these, or a driver, got {type(trigger).__name__}: "
            'trigger="Summarise my mail."'
        )
        raise TypeError(msg)
    return driver
