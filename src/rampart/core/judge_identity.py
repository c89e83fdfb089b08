"""Which judge gave a verdict, so that what is known of that judge can be told beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rampart.core.evaluator import Evaluator, without_negation


@dataclass(frozen=True, kw_only=True)
class JudgeIdentity:
    """A model and what it is told, but for the objective.

    Attributes:
        model: The model's name.
        instructions: A fingerprint of the judge's instructions; equal for equal ones.
    """

    model: str
    instructions: str


def judge_of(evaluator: Evaluator, /) -> dict[str, Any] | None:
    """The judge that alone decides what `evaluator` answers; None where there is none, or more decides.

    Returns:
        `model` and `instructions` of the judge, and `negated`: whether DETECTED means that the judge did not
        detect its objective. This is what results keep as `metadata["judge"]`.
    """
    inner, negated = without_negation(evaluator)
    identity = getattr(inner, "judge_identity", None)
    if not isinstance(identity, JudgeIdentity):
        return None
    return {"model": identity.model, "instructions": identity.instructions, "negated": negated}


def judge_metadata(evaluator: Evaluator, /) -> dict[str, Any]:
    """What the metadata of a result says of the one judge behind its verdict; empty where there is none."""
    judge = judge_of(evaluator)
    return {} if judge is None else {"judge": judge}
