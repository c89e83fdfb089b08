"""A probe: does the answer stay when the question is put in other words?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rampart.core.admission import EVALUATOR_MEMBERS, admit
from rampart.core.evaluation import EvalOutcome
from rampart.core.result import checked_threshold
from rampart.drivers.static import StaticDriver
from rampart.execution.attempts import Attempts
from rampart.execution.base import BaseExecution
from rampart.execution.running import running_or_alone
from rampart.probes.consistency_verdict import Answer, Findings, consistency_result
from rampart.probes.question import question_of
from rampart.probes.same_answer import SameAnswer
from rampart.probes.variant_writer import Variants

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rampart.core.adapter import AgentAdapter
    from rampart.core.evaluator import Evaluator
    from rampart.core.limits import Limits
    from rampart.core.result import Result
    from rampart.core.types import Response
    from rampart.execution.events import ExecutionEventHandler
    from rampart.probes.variant import Variant

_ONE_TURN = 1
ORIGINAL = "original"


class ConsistencyExecution(BaseExecution):
    """Ask the same question in several ways, each in a session of its own, and compare the answers.

    What has to stay is told in one of two ways: an evaluator that has to detect its condition in the answer
    to the original and to each variant, or a function that reads from a reply what has to be the same in all.

    SAFE says that the original passed and that enough variants agree with it. The original is asked first;
    if it does not pass, or its answer cannot be read, the variants are not asked.

    Args:
        prompt: The question; with `facts` it holds `{facts}` where they go.
        variants: Other ways to ask it: texts count as paraphrases.
        facts: What the question rests on; asked in other orders too.
        irrelevant: Sentences without bearing on the answer, each put before and behind the question.
        generate: Has a language model write more variants, in each run anew.
        evaluator: Detects what has to stay.
        answer: Reads what has to stay from a reply; None where there is nothing to read.
        fold_answers: Whether texts that `answer` gives are folded before they are compared: case, width,
            quotes and white space do not count then.
        threshold: The smallest share of variants that must agree, 0 to 1.
        event_handlers: Told how each run goes, in this order.
        limits: Time limits; they replace the configured ones as a whole.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If there is no variant, not exactly one of `evaluator` and `answer`, or a value is out of
            range.
    """

    def __init__(
        self,
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
    ) -> None:
        super().__init__(event_handlers=event_handlers, limits=limits)
        self._question = question_of(prompt, variants=variants, facts=facts, irrelevant=irrelevant)
        if generate is not None and not isinstance(generate, Variants):
            msg = f"generate must be Variants(llm=...), got {type(generate).__name__}"
            raise TypeError(msg)
        if generate is None and not self._question.variants:
            msg = "no variant to ask: give variants, facts, irrelevant, or generate=Variants(llm=...)"
            raise ValueError(msg)
        if (evaluator is None) is (answer is None):
            msg = "say what has to stay with exactly one of 'evaluator' and 'answer'"
            raise ValueError(msg)
        if evaluator is not None:
            admit(evaluator, members=EVALUATOR_MEMBERS, role="evaluator")
        elif not callable(answer):
            msg = f"answer must be a function of a Response, got {type(answer).__name__}"
            raise TypeError(msg)
        if not isinstance(fold_answers, bool):
            msg = f"fold_answers must be True or False, got {fold_answers!r}"
            raise TypeError(msg)
        self._generate = generate
        self._evaluator = evaluator
        self._answer = answer
        self._fold_answers = fold_answers
        self._threshold = checked_threshold(threshold, name="threshold")

    @property
    def strategy_name(self) -> str:
        """`consistency`."""
        return "consistency"

    def _shown_texts(self) -> Sequence[str]:
        return [self._question.prompt, *(variant.prompt for variant in self._question.variants)]

    async def _execute_async(self, *, adapter: AgentAdapter) -> Result:
        running = running_or_alone(self._limits)
        course = _Course(
            attempts=Attempts(adapter, running),
            findings=Findings(threshold=self._threshold),
            judge=_judge(self._evaluator, self._answer, folding=self._fold_answers),
        )
        with course.attempts.keeping_verdict(course.findings.settled):
            await self._ask_all_async(course)
        return consistency_result(course.findings, course.attempts, strategy=self.strategy_name)

    async def _ask_all_async(self, course: _Course) -> None:
        findings, attempts = course.findings, course.attempts
        findings.planned = len(self._question.variants)
        if self._generate is not None:
            findings.planned += sum(count for *_, count in self._generate.jobs())
        original: dict[str, object] = {"kind": ORIGINAL, "prompt": self._question.prompt}
        findings.original = await course.ask_async(self._question.prompt, original, "passed", "not passed")
        if course.original_ends_it or attempts.left_behind:
            return
        variants = [*self._question.variants, *await self._written_async(attempts)]
        for variant in variants:
            facts = variant.as_metadata()
            answer = await course.ask_async(variant.prompt, facts, "agrees", "differs")
            answer.name = variant.named()
            findings.variants.append(answer)
            if attempts.left_behind:
                return

    async def _written_async(self, attempts: Attempts) -> list[Variant]:
        """The variants that the language model writes for this run."""
        if self._generate is None:
            return []
        known = list(self._question.variants)
        written: list[Variant] = []
        for kind, language, count in self._generate.jobs():
            writing = self._generate.write_one_kind_async(
                self._question.prompt, kind=kind, language=language, count=count, others=[*known, *written]
            )
            written += await attempts.between_async("the writing of variants", writing)
        return written


@dataclass(kw_only=True)
class _Course:
    """One run: what is asked of the agent, and what came of it."""

    attempts: Attempts
    findings: Findings
    judge: Evaluator

    @property
    def original_ends_it(self) -> bool:
        """Whether no variant can change what the answer to the original says."""
        original = self.findings.original
        if original is None or original.evaluation.outcome is EvalOutcome.NOT_DETECTED:
            return True
        return isinstance(self.judge, SameAnswer) and self.judge.expected is None

    async def ask_async(self, prompt: str, metadata: dict[str, object], good: str, bad: str) -> Answer:
        """Ask one question and say what was found."""
        held = await self.attempts.hold_async(
            StaticDriver(prompts=[prompt]), evaluator=self.judge, max_turns=_ONE_TURN, metadata=metadata
        )
        assert held.evaluation is not None  # one prompt makes one turn
        outcome = held.evaluation.outcome
        words = {EvalOutcome.DETECTED: good, EvalOutcome.NOT_DETECTED: bad}
        held.attempt.outcome = words.get(outcome, "undetermined")
        if isinstance(self.judge, SameAnswer):
            held.attempt.metadata["answer"] = self.judge.latest
        return Answer(held=held, evaluation=held.evaluation, prompt=prompt)


def _judge(
    evaluator: Evaluator | None, answer: Callable[[Response], object] | None, *, folding: bool
) -> Evaluator:
    if evaluator is not None:
        return evaluator
    assert answer is not None  # exactly one of the two is given
    return SameAnswer(answer, folding=folding)
