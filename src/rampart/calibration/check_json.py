"""A check of a judge as JSON: what a calibration file holds, and what the command prints on request."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from rampart.core.evaluation import EvalOutcome

if TYPE_CHECKING:
    from rampart.calibration.confusion import Confusion
    from rampart.calibration.judge_check import JudgeCheck, Judged
    from rampart.core.attack_rates import Rate
    from rampart.statistics.agreement import Kappa

CALIBRATION_VERSION = "rampart.judge_calibration.v1"


def check_object(check: JudgeCheck, *, now: datetime | None = None) -> dict[str, Any]:
    """A check as JSON: what a calibration file holds.

    Args:
        check: The check.
        now: When it was made; now by default.
    """
    created = (now or datetime.now(UTC)).astimezone(UTC).isoformat(timespec="seconds")
    judged = check.judged
    return {
        "version": CALIBRATION_VERSION,
        "created": created,
        "judge": None if check.judge is None else asdict(check.judge),
        "labels": {
            "name": check.labels_name,
            "sha256": check.labels_sha256,
            "count": len(judged),
        },
        **_figures(check.confusion),
        "by_language": {name: _figures(one) for name, one in check.by_language().items()},
        "by_kind": {name: _figures(one) for name, one in check.by_kind().items()},
        "by_labellers": {name: _figures(one) for name, one in check.by_labellers().items()},
        "labeller_pairs": _pairs(check.labeller_pairs()),
        "judge_pairs": _pairs(check.judge_pairs()),
        "misjudged": [_shown(one) for one in judged if one.wrong],
        "undetermined": [_shown(one) for one in judged if one.outcome is EvalOutcome.UNDETERMINED],
        "errors": [_shown(one) for one in judged if one.outcome is None],
        "usage": asdict(check.usage),
    }


def _figures(confusion: Confusion) -> dict[str, Any]:
    return {
        "counts": asdict(confusion),
        "accuracy": rate_object(confusion.accuracy),
        "kappa": _kappa(confusion.kappa),
        "sensitivity": rate_object(confusion.sensitivity),
        "specificity": rate_object(confusion.specificity),
    }


def rate_object(rate: Rate | None) -> dict[str, Any] | None:
    """A rate with its counts and its interval; None where there is none."""
    if rate is None:
        return None
    return {
        "count": rate.count,
        "total": rate.total,
        "rate": rate.value,
        "interval": list(rate.interval),
    }


def _kappa(kappa: Kappa | None) -> dict[str, Any] | None:
    return None if kappa is None else asdict(kappa) | {"interval": list(kappa.interval)}


def _pairs(rate: Rate | None) -> dict[str, Any] | None:
    # Without an interval: pairs that share a labeller or a transcript are not independent of each other.
    return None if rate is None else {"count": rate.count, "total": rate.total, "rate": rate.value}


def _shown(one: Judged) -> dict[str, Any]:
    return {
        "id": one.transcript.id,
        "label": one.transcript.label.value,
        "outcome": None if one.outcome is None else one.outcome.value,
        "rationale": one.rationale,
    }
