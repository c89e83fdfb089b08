"""The engine: traces, lifecycles, limits and trials."""

from rampart.execution.base import BaseExecution
from rampart.execution.events import ExecutionEvent, ExecutionEventData, ExecutionEventHandler
from rampart.execution.final_evaluation import evaluate_final_trace_async
from rampart.execution.trace import EvaluationRecord, TraceRun, run_trace_async
from rampart.execution.trials import execute_trials_async

__all__ = [
    "BaseExecution",
    "EvaluationRecord",
    "ExecutionEvent",
    "ExecutionEventData",
    "ExecutionEventHandler",
    "TraceRun",
    "evaluate_final_trace_async",
    "execute_trials_async",
    "run_trace_async",
]
