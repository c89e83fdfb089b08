"""Detectors: each says whether a condition was seen in a trace, never whether that is good or bad."""

from rampart.evaluators.judge_panel import JudgePanel
from rampart.evaluators.missing import MISSING
from rampart.evaluators.namespaced_names import namespaced
from rampart.evaluators.response_contains import ResponseContains
from rampart.evaluators.response_scope import ResponseScope
from rampart.evaluators.side_effect_occurred import SideEffectOccurred
from rampart.evaluators.tool_called import ToolCalled
from rampart.evaluators.tool_executed import ToolExecuted

__all__ = [
    "MISSING",
    "JudgePanel",
    "ResponseContains",
    "ResponseScope",
    "SideEffectOccurred",
    "ToolCalled",
    "ToolExecuted",
    "namespaced",
]
