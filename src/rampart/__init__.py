"""pytest-native testing of how AI agents behave: probes, trials and verdicts that never lie."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rampart.core.adapter import AgentAdapter, Session
from rampart.core.errors import (
    ConfigurationError,
    DriverError,
    EvaluatorError,
    InfrastructureError,
    RampartError,
)
from rampart.core.evaluation import EvalContext, EvalOutcome, EvalResult
from rampart.core.evaluator import BaseEvaluator, Evaluator
from rampart.core.injection import InjectionHandle, Surface
from rampart.core.limits import Limits
from rampart.core.listener import record_result
from rampart.core.llm import LLMConfig
from rampart.core.manifest import AppManifest, DataSource, ToolDeclaration
from rampart.core.persona import Persona
from rampart.core.population import PopulationResult
from rampart.core.prompt_driver import PromptDecision, PromptDriver
from rampart.core.result import InjectionRecord, PopulationRef, Result, SafetyStatus
from rampart.core.types import (
    HarmCategory,
    ObservabilityLevel,
    Payload,
    PayloadFormat,
    Request,
    Response,
    SideEffect,
    ToolCall,
    Turn,
    Usage,
)
from rampart.execution.base import BaseExecution
from rampart.execution.events import ExecutionEvent, ExecutionEventData, ExecutionEventHandler
from rampart.execution.trials import execute_trials_async

if TYPE_CHECKING:
    from rampart.evaluators import ResponseScope
    from rampart.probes import Probes

__lazy_imports__: dict[str, tuple[str, str]] = {
    "Probes": ("rampart.probes", "Probes"),
    "ResponseScope": ("rampart.evaluators", "ResponseScope"),
}
"""Names that are imported at their first use: where they live and what they are called there."""

__all__ = [
    "AgentAdapter",
    "AppManifest",
    "BaseEvaluator",
    "BaseExecution",
    "ConfigurationError",
    "DataSource",
    "DriverError",
    "EvalContext",
    "EvalOutcome",
    "EvalResult",
    "Evaluator",
    "EvaluatorError",
    "ExecutionEvent",
    "ExecutionEventData",
    "ExecutionEventHandler",
    "HarmCategory",
    "InfrastructureError",
    "InjectionHandle",
    "InjectionRecord",
    "LLMConfig",
    "Limits",
    "ObservabilityLevel",
    "Payload",
    "PayloadFormat",
    "Persona",
    "PopulationRef",
    "PopulationResult",
    "Probes",
    "PromptDecision",
    "PromptDriver",
    "RampartError",
    "Request",
    "Response",
    "ResponseScope",
    "Result",
    "SafetyStatus",
    "Session",
    "SideEffect",
    "Surface",
    "ToolCall",
    "ToolDeclaration",
    "Turn",
    "Usage",
    "execute_trials_async",
    "record_result",
]


def __getattr__(name: str) -> Any:
    """Import a lazy name at its first use and keep it."""
    try:
        module, attribute = __lazy_imports__[name]
    except KeyError:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg) from None
    value = globals()[name] = getattr(import_module(module), attribute)
    return value


def __dir__() -> list[str]:
    """The names of the module, lazy ones included."""
    return sorted({*globals(), *__all__})
