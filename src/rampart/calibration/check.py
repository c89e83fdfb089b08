"""Asking a judge about transcripts whose answer is known."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from rampart.calibration.judge_check import JudgeCheck, Judged
from rampart.core.admission import EVALUATOR_MEMBERS, admit
from rampart.core.errors import ConfigurationError
from rampart.core.evaluator import asked, checked_evaluation
from rampart.core.judge_identity import JudgeIdentity, judge_of
from rampart.core.result import check_count
from rampart.core.spending import Spending, spend_on
from rampart.text.oneline import quote
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from rampart.calibration.labels import LabelledSet, LabelledTranscript
    from rampart.core.evaluator import Evaluator

DEFAULT_CONCURRENCY = 8
DEFAULT_TIMEOUT_S = 300.0


async def check_judge_async(
    *,
    judge_for: Callable[[str], Evaluator],
    labels: LabelledSet,
    concurrency: int = DEFAULT_CONCURRENCY,
    timeout_s: float = DEFAULT_TIMEOUT_S,
    on_judged: Callable[[Judged], None] | None = None,
) -> JudgeCheck:
    """Let a judge answer for each transcript of a labelled set, and keep its answers beside the labels.

    The judge sees the objective and the conversation, nothing of the labels. Where it fails on a transcript,
    or gives no answer in time, that is an error of that transcript; the others are asked all the same.

    Args:
        judge_for: Makes the judge that looks for an objective; called once for each objective.
        labels: The labelled set.
        concurrency: How many transcripts are judged at once.
        timeout_s: Seconds for each answer, retries included.
        on_judged: Told of each answer as it comes.

    Raises:
        ConfigurationError: If the judge cannot be asked at all, if it is not one and the same for all
            objectives, or if it is a negated one.
        TypeError: If `concurrency` is no int, or `judge_for` gives no evaluator.
        ValueError: If `concurrency` is below 1.
    """
    check_count(concurrency, name="concurrency")
    judges = _judges(judge_for, labels.transcripts)
    work = _Work(judges, timeout_s, on_judged)
    pending = iter(labels.transcripts)
    async with asyncio.TaskGroup() as group:
        for _ in range(min(concurrency, len(labels.transcripts))):
            group.create_task(work.run_async(pending))
    if work.fatal is not None:
        raise work.fatal
    return JudgeCheck(
        judge=_identity(judges.values()),
        labels_name=labels.name,
        labels_sha256=labels.sha256,
        judged=tuple(work.answers[transcript.id] for transcript in labels.transcripts),
        usage=work.spending.total(),
    )


class _Work:
    """What the tasks share that ask the judge."""

    def __init__(
        self, judges: dict[str, Evaluator], timeout_s: float, on_judged: Callable[[Judged], None] | None
    ) -> None:
        self.answers: dict[str, Judged] = {}
        self.fatal: ConfigurationError | None = None
        self.spending = Spending()
        self._judges = judges
        self._timeout_s = timeout_s
        self._on_judged = on_judged

    async def run_async(self, pending: Iterator[LabelledTranscript]) -> None:
        """Judge what is pending, until there is no more or nothing can be judged."""
        spend_on(self.spending)
        for transcript in pending:
            if self.fatal is not None:
                return
            judged = await self._judged_async(transcript)
            self.answers[transcript.id] = judged
            if self._on_judged is not None:
                self._on_judged(judged)

    async def _judged_async(self, transcript: LabelledTranscript) -> Judged:
        judge = self._judges[transcript.objective]
        limit = asyncio.timeout(self._timeout_s)
        try:
            async with limit:
                answer = checked_evaluation(await asked(judge, transcript.context()), evaluator=judge)
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            return _failed(transcript, f"{type(error).__name__} out of the judge itself")
        except Exception as error:
            if limit.expired():
                return _failed(transcript, f"no answer within {self._timeout_s:g} s")
            # A judge wraps what its model raises. Without a key or a library no other answer will come.
            for one in (error, error.__cause__):
                if isinstance(one, ConfigurationError):
                    self.fatal = one
            return _failed(transcript, f"{type(error).__name__}: {safe_str(error)}")
        return Judged(
            transcript=transcript, outcome=answer.outcome, rationale=quote(safe_str(answer.rationale))
        )


def _failed(transcript: LabelledTranscript, what: str) -> Judged:
    return Judged(transcript=transcript, outcome=None, rationale=quote(what))


def _judges(
    judge_for: Callable[[str], Evaluator], transcripts: Iterable[LabelledTranscript]
) -> dict[str, Evaluator]:
    judges = {}
    for objective in dict.fromkeys(transcript.objective for transcript in transcripts):
        judge = judges[objective] = judge_for(objective)
        admit(judge, members=EVALUATOR_MEMBERS, role="evaluator")
    _identity(judges.values())  # a mixture is refused before anything is paid for
    return judges


def _identity(judges: Iterable[Evaluator]) -> JudgeIdentity | None:
    known = [judge_of(judge) for judge in judges]
    if any(one is not None and one["negated"] for one in known):
        msg = "the judge is negated with ~, which turns its answers round; give the judge itself"
        raise ConfigurationError(msg)
    identities = {
        None if one is None else JudgeIdentity(model=one["model"], instructions=one["instructions"])
        for one in known
    }
    if len(identities) > 1:
        shown = ", ".join(
            sorted("one that does not tell" if one is None else quote(one.model) for one in identities)
        )
        msg = (
            f"a check is about one judge, but the objectives got {len(identities)} with different models or "
            f"instructions: {shown}; use one model and one persona for all"
        )
        raise ConfigurationError(msg)
    return identities.pop()
