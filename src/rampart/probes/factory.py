"""How users make probes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rampart.core.types import Request
from rampart.drivers.static import StaticDriver
from rampart.probes.behavior import BehaviorExecution

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rampart.core.evaluator import Evaluator
    from rampart.core.limits import Limits
    from rampart.core.prompt_driver import PromptDriver
    from rampart.execution.base import BaseExecution
    from rampart.execution.events import ExecutionEventHandler


class Probes:
    """Factories of probes: checks that an agent does what it should."""

    @staticmethod
    def behavior(
        *,
        prompt: str | None = None,
        prompts: list[str] | tuple[str, ...] | None = None,
        driver: PromptDriver | None = None,
        evaluator: Evaluator,
        stop_when: Evaluator | None = None,
        max_turns: int = 25,
        event_handlers: Sequence[ExecutionEventHandler] | None = None,
        limits: Limits | None = None,
    ) -> BaseExecution:
        """A probe that expects `evaluator` to detect its condition.

        Exactly one of `prompt`, `prompts` and `driver` says what the agent is asked.

        Args:
            prompt: One message.
            prompts: Several messages, sent one after another in one session.
            driver: Decides what to send turn by turn.
            evaluator: Detects the expected behaviour; evaluated once, over all turns.
            stop_when: Ends the trace early when it is detected; probes never stop early by themselves.
            max_turns: The most turns to make.
            event_handlers: Told how each run goes, in this order.
            limits: Time limits; they replace the configured ones as a whole.

        Raises:
            ValueError: If not exactly one of the three is given, or `max_turns` is negative.
            TypeError: If an argument has the wrong type.
        """
        if sum(given is not None for given in (prompt, prompts, driver)) != 1:
            msg = "Specify exactly one of 'prompt', 'prompts', or 'driver'."
            raise ValueError(msg)
        return BehaviorExecution(
            driver=_driver(prompt, prompts, driver),
            evaluator=evaluator,
            stop_when=stop_when,
            max_turns=max_turns,
            event_handlers=event_handlers,
            limits=limits,
        )


def _driver(prompt: object, prompts: object, driver: PromptDriver | None) -> PromptDriver:
    if driver is not None:
        return driver
    if prompts is None:
        if not isinstance(prompt, str):
            msg = (
                f"prompt must be a str, got {type(prompt).__name__}; "
                "Requests go into driver=StaticDriver(prompts=[...])"
            )
            raise TypeError(msg)
        return StaticDriver(prompts=[prompt])
    if not isinstance(prompts, list | tuple):
        msg = f"prompts must be a list or tuple of str, got {type(prompts).__name__}{_advice(prompts)}"
        raise TypeError(msg)
    for position, item in enumerate(prompts):
        if not isinstance(item, str):
            msg = (
                f"prompts must be a list or tuple of str, got {type(item).__name__} at position {position}; "
                "Requests go into driver=StaticDriver(prompts=[...])"
            )
            raise TypeError(msg)
    return StaticDriver(prompts=list(prompts))


def _advice(prompts: object) -> str:
    if isinstance(prompts, str):
        return "; for one message use prompt=, or put it into a list"
    if isinstance(prompts, Request):
        return "; Requests go into driver=StaticDriver(prompts=[...])"
    return "; make a list of it first" if isinstance(prompts, Iterable) else ""
