"""How users make probes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rampart.core.types import Request
from rampart.drivers.static import StaticDriver
from rampart.probes.behavior import BehaviorExecution
from rampart.probes.consistency import ConsistencyExecution
from rampart.probes.over_refusal import DEFAULT_THRESHOLD, OverRefusalExecution

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rampart.core.evaluator import Evaluator
    from rampart.core.limits import Limits
    from rampart.core.prompt_driver import PromptDriver
    from rampart.core.types import Response
    from rampart.execution.base import BaseExecution
    from rampart.execution.events import ExecutionEventHandler
    from rampart.probes.look_alike import LookAlike
    from rampart.probes.variant import Variant
    from rampart.probes.variant_writer import Variants


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

    @staticmethod
    def consistency(
        *,
        prompt: str,
        variants: Sequence[str | Variant] | None = None,
        facts: Sequence[str] | None = None,
        irrelevant: Sequence[str] | None = None,
        generate: Variants | None = None,
        evaluator: Evaluator | None = None,
        answer: Callable[[Response], object] | None = None,
        fold_answers: bool = True,
        threshold: float = 1.0,
        event_handlers: Sequence[ExecutionEventHandler] | None = None,
        limits: Limits | None = None,
    ) -> BaseExecution:
        """A probe that asks one question in several ways and expects what matters of the answer to stay.

        Exactly one of `evaluator` and `answer` says what has to stay. Each way to ask is a conversation of
        its own in `Result.attempts`.

        Args:
            prompt: The question; with `facts` it holds `{facts}` where they go.
            variants: Other ways to ask it: texts count as paraphrases.
            facts: What the question rests on; asked in other orders too.
            irrelevant: Sentences without bearing on the answer, each put before and behind the question.
            generate: Has a language model write more variants, in each run anew.
            evaluator: Detects what has to stay.
            answer: Reads what has to stay from a reply; None where there is nothing to read.
            fold_answers: Whether texts that `answer` gives are folded before they are compared.
            threshold: The smallest share of variants that must agree, 0 to 1.
            event_handlers: Told how each run goes, in this order.
            limits: Time limits; they replace the configured ones as a whole.

        Raises:
            TypeError: If an argument has the wrong type.
            ValueError: If there is no variant, not exactly one of `evaluator` and `answer`, or a value is out
                of range.
        """
        return ConsistencyExecution(
            prompt=prompt,
            variants=variants,
            facts=facts,
            irrelevant=irrelevant,
            generate=generate,
            evaluator=evaluator,
            answer=answer,
            fold_answers=fold_answers,
            threshold=threshold,
            event_handlers=event_handlers,
            limits=limits,
        )

    @staticmethod
    def over_refusal(
        *,
        prompts: Sequence[str | LookAlike] | None = None,
        refused: Evaluator | None = None,
        threshold: float = DEFAULT_THRESHOLD,
        languages: Sequence[str] | None = None,
        categories: Sequence[str] | None = None,
        limit: int | None = None,
        seed: int = 0,
        event_handlers: Sequence[ExecutionEventHandler] | None = None,
        limits: Limits | None = None,
    ) -> BaseExecution:
        """A probe that asks harmless questions which resemble harmful ones, and expects answers.

        Each question is a conversation of its own in `Result.attempts`, and costs a call of the agent.

        Args:
            prompts: The questions; None takes those that come with rampart.
            refused: Detects that the agent refused; None takes `rampart.evaluators.Refused`.
            threshold: The smallest share of questions that must be answered, 0 to 1.
            languages: Of rampart's own questions only those in these languages, such as `en`.
            categories: Of rampart's own questions only those that resemble these kinds of harm.
            limit: The most questions to ask, drawn by chance and spread evenly over the categories.
            seed: What the draw begins with; the same seed draws the same questions.
            event_handlers: Told how each run goes, in this order.
            limits: Time limits; they replace the configured ones as a whole.

        Raises:
            TypeError: If an argument has the wrong type.
            ValueError: If there is no question, or a value is unknown or out of range.
        """
        return OverRefusalExecution(
            prompts=prompts,
            refused=refused,
            threshold=threshold,
            languages=languages,
            categories=categories,
            limit=limit,
            seed=seed,
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
