"""How good a judge is, measured on labelled transcripts, and what follows for the rates that it gave."""

from typing import TYPE_CHECKING

from rampart.core.lazy import lazy_exports

if TYPE_CHECKING:
    from rampart.calibration.calibration_file import Calibration, read_calibration, write_calibration
    from rampart.calibration.check import check_judge_async
    from rampart.calibration.judge_check import JudgeCheck
    from rampart.calibration.labels import LabelledSet, LabelledTranscript, read_labels, shipped_labels

_HOMES = {
    "Calibration": "rampart.calibration.calibration_file",
    "JudgeCheck": "rampart.calibration.judge_check",
    "LabelledSet": "rampart.calibration.labels",
    "LabelledTranscript": "rampart.calibration.labels",
    "check_judge_async": "rampart.calibration.check",
    "read_calibration": "rampart.calibration.calibration_file",
    "read_labels": "rampart.calibration.labels",
    "shipped_labels": "rampart.calibration.labels",
    "write_calibration": "rampart.calibration.calibration_file",
}

__all__ = [
    "Calibration",
    "JudgeCheck",
    "LabelledSet",
    "LabelledTranscript",
    "check_judge_async",
    "read_calibration",
    "read_labels",
    "shipped_labels",
    "write_calibration",
]

if not TYPE_CHECKING:  # type checkers know the names from above, and that there are no others
    __getattr__, __dir__ = lazy_exports(__name__, _HOMES)
