"""What `rampart judge check` does."""

from __future__ import annotations

import asyncio
import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rampart.calibration.calibration_file import refuse_unknown_judge, write_calibration
from rampart.calibration.check import check_judge_async
from rampart.calibration.check_json import check_object
from rampart.calibration.check_text import check_lines
from rampart.calibration.judge_source import judge_named, judge_on
from rampart.calibration.labels import read_labels, shipped_labels
from rampart.core.errors import ConfigurationError
from rampart.core.llm import LLMConfig
from rampart.text.secrets import MIN_SECRET_LENGTH, redact, register_secret

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rampart.calibration.judge_check import JudgeCheck, Judged
    from rampart.core.evaluator import Evaluator


@dataclass(frozen=True, kw_only=True)
class CheckRequest:
    """What the user asked for.

    Attributes:
        labels: The file of labelled transcripts; None for the set that comes with rampart.
        model: The name of the model that judges.
        endpoint: The base URL of its service.
        max_retries: Retries of each call.
        reference: `module:attribute` of a judge of the user's own, in place of `model`.
        output: Where to write a calibration file.
        concurrency: How many transcripts are judged at once.
        timeout_s: Seconds for each answer.
        limit: How many transcripts are judged; None for all.
        as_json: Whether the text is JSON.
    """

    labels: Path | None
    model: str | None
    endpoint: str | None
    max_retries: int | None
    reference: str | None
    output: Path | None
    concurrency: int
    timeout_s: float
    limit: int | None
    as_json: bool


@dataclass(frozen=True, kw_only=True)
class CheckDone:
    """What came of it.

    Attributes:
        text: What to print.
        problems: Why the check does not cover everything, a line each; empty if it does.
    """

    text: str
    problems: list[str]


def run_check(request: CheckRequest, *, on_judged: Callable[[Judged], None] | None = None) -> CheckDone:
    """Check a judge, and write the calibration file where one is wanted.

    Args:
        request: What the user asked for.
        on_judged: Told of each answer as it comes.

    Raises:
        ConfigurationError: If there is no judge to ask, or a file cannot be read or written.
        SchemaError: If the labels do not follow their format.
    """
    _hide_key()
    judge_for = _judge(request)
    labels = (shipped_labels() if request.labels is None else read_labels(request.labels)).first(
        request.limit
    )
    if request.output is not None:
        refuse_unknown_judge(judge_for(labels.transcripts[0].objective))
    check = asyncio.run(
        check_judge_async(
            judge_for=judge_for,
            labels=labels,
            concurrency=request.concurrency,
            timeout_s=request.timeout_s,
            on_judged=on_judged,
        )
    )
    problems = _problems(check)
    if request.output is not None and check.confusion.decided:
        write_calibration(request.output, check)
    elif request.output is not None:
        problems.append(f"{request.output} is not written: the judge has decided nothing")
    text = (
        json.dumps(check_object(check), ensure_ascii=False, indent=2)
        if request.as_json
        else "\n".join(check_lines(check))
    )
    return CheckDone(text=redact(text), problems=problems)


def _judge(request: CheckRequest) -> Callable[[str], Evaluator]:
    if (request.model is None) == (request.reference is None):
        msg = "name the judge with either --model NAME or --judge MODULE:ATTRIBUTE"
        raise ConfigurationError(msg)
    if request.reference is not None:
        if request.endpoint is not None or request.max_retries is not None:
            msg = "--endpoint and --max-retries belong to --model; a judge of your own brings its own"
            raise ConfigurationError(msg)
        return judge_named(request.reference)
    assert request.model is not None
    retries = LLMConfig.max_retries if request.max_retries is None else request.max_retries
    return judge_on(LLMConfig(model=request.model, endpoint=request.endpoint, max_retries=retries))


def _hide_key() -> None:
    """Blank out the key wherever text leaves rampart; what a service answers may repeat it."""
    key = os.environ.get("OPENAI_API_KEY", "")
    if len(key.strip()) >= MIN_SECRET_LENGTH:
        register_secret(key)


def _problems(check: JudgeCheck) -> list[str]:
    failed = [one for one in check.judged if one.outcome is None]
    if not failed:
        return []
    reasons: dict[str, int] = {}
    for one in failed:
        reasons[one.rationale] = reasons.get(one.rationale, 0) + 1
    told = [f"{count} x {reason}" for reason, count in reasons.items()]
    return [f"the judge failed on {len(failed)} of {len(check.judged)} transcripts", *told]
