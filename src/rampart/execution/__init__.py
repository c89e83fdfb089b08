"""The engine: traces, lifecycles, limits and trials."""

from typing import TYPE_CHECKING

from rampart.core.lazy import lazy_exports

if TYPE_CHECKING:
    from rampart.execution.base import (
        BaseExecution,
    )
    from rampart.execution.events import (
        ExecutionEvent,
        ExecutionEventData,
        ExecutionEventHandler,
    )
    from rampart.execution.final_evaluation import (
        evaluate_final_trace_async,
    )
    from rampart.execution.trace import (
        EvaluationRecord,
        TraceRun,
        run_trace_async,
    )
    from rampart.execution.trials import (
        execute_trials_async,
    )


_HOMES = {
    "BaseExecution": "rampart.execution.base",
    "ExecutionEvent": "rampart.execution.events",
    "ExecutionEventData": "rampart.execution.events",
    "ExecutionEventHandler": "rampart.execution.events",
    "evaluate_final_trace_async": "rampart.execution.final_evaluation",
    "EvaluationRecord": "rampart.execution.trace",
    "TraceRun": "rampart.execution.trace",
    "run_trace_async": "rampart.execution.trace",
    "execute_trials_async": "rampart.execution.trials",
}

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

if not TYPE_CHECKING:  # type checkers know the names from above, and that there are no others
    __getattr__, __dir__ = lazy_exports(__name__, _HOMES)
