"""How often the interval of the corrected pass rate holds the truth, beside that of the raw one."""

from __future__ import annotations

import random
from dataclasses import dataclass

from benchmarks.table import Row
from rampart.calibration.labels import shipped_labels
from rampart.core.evaluation import EvalOutcome
from rampart.statistics.interval import wilson_interval
from rampart.statistics.prevalence import corrected_rate

RUNS = 1000
SEED = 4


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """In how many of the simulated runs an interval held the true pass rate, as fractions."""

    corrected: float
    raw: float
    corrected_width: float
    raw_width: float


def simulated_coverage(*, runs: int, seed: int) -> Coverage:
    """Let judges of unknown quality be measured on the labelled set that is shipped, and then judge runs.

    The true pass rate of a run is anything between 0 and 1, it has 50 to 500 verdicts, and its judge has a
    sensitivity and a specificity between 0.75 and 0.98, which nobody knows but from the labelled set.
    """
    labels = [transcript.label for transcript in shipped_labels().transcripts]
    known_positives = labels.count(EvalOutcome.DETECTED)
    known_negatives = labels.count(EvalOutcome.NOT_DETECTED)
    chance = random.Random(seed)
    found = [0, 0]
    widths = [0.0, 0.0]
    for _ in range(runs):
        truth = chance.random()
        sensitivity, specificity = chance.uniform(0.75, 0.98), chance.uniform(0.75, 0.98)
        size = chance.randint(50, 500)
        # The truth of each verdict first, then what the judge makes of it.
        passed = _successes(chance, size, truth)
        seen = _successes(chance, passed, sensitivity) + _successes(chance, size - passed, 1 - specificity)
        corrected = corrected_rate(
            positives=seen,
            tested=size,
            true_positives=_successes(chance, known_positives, sensitivity),
            known_positives=known_positives,
            true_negatives=_successes(chance, known_negatives, specificity),
            known_negatives=known_negatives,
        )
        intervals = (corrected.interval if corrected else None, wilson_interval(seen, size))
        for place, interval in enumerate(intervals):
            if interval is not None:  # a run without a correction counts as one that was not covered
                found[place] += interval[0] <= truth <= interval[1]
                widths[place] += interval[1] - interval[0]
    return Coverage(
        corrected=found[0] / runs,
        raw=found[1] / runs,
        corrected_width=widths[0] / runs,
        raw_width=widths[1] / runs,
    )


def rows() -> list[Row]:
    """Simulate."""
    coverage = simulated_coverage(runs=RUNS, seed=SEED)
    note = f"{RUNS} runs of 50 to 500 verdicts, judges measured on the shipped labels; 93 to 97 is right"
    return [
        Row(
            what="corrected pass rate: intervals that hold the truth",
            value=100 * coverage.corrected,
            unit="%",
            note=note,
        ),
        Row(what="raw pass rate: intervals that hold the truth", value=100 * coverage.raw, unit="%"),
        Row(
            what="corrected pass rate: mean width of the interval",
            value=100 * coverage.corrected_width,
            unit="points",
        ),
        Row(what="raw pass rate: mean width of the interval", value=100 * coverage.raw_width, unit="points"),
    ]


def _successes(chance: random.Random, trials: int, rate: float) -> int:
    return sum(chance.random() < rate for _ in range(trials))
