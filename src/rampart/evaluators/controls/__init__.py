"""Controls: traces about which it is known what an evaluator has to answer, as data, and how they are run."""

from rampart.evaluators.controls.control import Control
from rampart.evaluators.controls.control_run import ControlOutcome, run_control_async
from rampart.evaluators.controls.reading import read_controls, shipped_controls

__all__ = ["Control", "ControlOutcome", "read_controls", "run_control_async", "shipped_controls"]
