"""pytest-native testing of how AI agents behave: probes, attacks, trials and verdicts that never lie."""

from typing import TYPE_CHECKING

from rampart.core.lazy import lazy_exports

if TYPE_CHECKING:
    from rampart.attacks import (
        Attacks,
    )
    from rampart.core.adapter import (
        AgentAdapter,
        Session,
    )
    from rampart.core.errors import (
        ConfigurationError,
        DriverError,
        EvaluatorError,
        InfrastructureError,
        RampartError,
    )
    from rampart.core.evaluation import (
        EvalContext,
        EvalOutcome,
        EvalResult,
    )
    from rampart.core.evaluator import (
        BaseEvaluator,
        Evaluator,
    )
    from rampart.core.injection import (
        InjectionHandle,
        Surface,
    )
    from rampart.core.limits import (
        Limits,
    )
    from rampart.core.listener import (
        record_result,
    )
    from rampart.core.llm import (
        LLMConfig,
    )
    from rampart.core.manifest import (
        AppManifest,
        DataSource,
        ToolDeclaration,
    )
    from rampart.core.persona import (
        Persona,
    )
    from rampart.core.population import (
        PopulationResult,
    )
    from rampart.core.prompt_driver import (
        PromptDecision,
        PromptDriver,
    )
    from rampart.core.result import (
        InjectionRecord,
        PopulationRef,
        Result,
        SafetyStatus,
    )
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
    from rampart.drivers.llm import (
        LLMDriver,
    )
    from rampart.evaluators import (
        LLMJudge,
        ResponseScope,
        TranscriptScope,
    )
    from rampart.execution.base import (
        BaseExecution,
    )
    from rampart.execution.events import (
        ExecutionEvent,
        ExecutionEventData,
        ExecutionEventHandler,
    )
    from rampart.execution.trials import (
        execute_trials_async,
    )
    from rampart.probes import (
        Probes,
    )

__lazy_imports__: dict[str, tuple[str, str]] = {
    "Attacks": ("rampart.attacks", "Attacks"),
    "LLMDriver": ("rampart.drivers.llm", "LLMDriver"),
    "LLMJudge": ("rampart.evaluators", "LLMJudge"),
    "Probes": ("rampart.probes", "Probes"),
    "ResponseScope": ("rampart.evaluators", "ResponseScope"),
    "TranscriptScope": ("rampart.evaluators", "TranscriptScope"),
}
"""The names whose home is above the core: where they live and what they are called there."""

_HOMES = {
    "Attacks": "rampart.attacks",
    "AgentAdapter": "rampart.core.adapter",
    "Session": "rampart.core.adapter",
    "ConfigurationError": "rampart.core.errors",
    "DriverError": "rampart.core.errors",
    "EvaluatorError": "rampart.core.errors",
    "InfrastructureError": "rampart.core.errors",
    "RampartError": "rampart.core.errors",
    "EvalContext": "rampart.core.evaluation",
    "EvalOutcome": "rampart.core.evaluation",
    "EvalResult": "rampart.core.evaluation",
    "BaseEvaluator": "rampart.core.evaluator",
    "Evaluator": "rampart.core.evaluator",
    "InjectionHandle": "rampart.core.injection",
    "Surface": "rampart.core.injection",
    "Limits": "rampart.core.limits",
    "record_result": "rampart.core.listener",
    "LLMConfig": "rampart.core.llm",
    "AppManifest": "rampart.core.manifest",
    "DataSource": "rampart.core.manifest",
    "ToolDeclaration": "rampart.core.manifest",
    "Persona": "rampart.core.persona",
    "PopulationResult": "rampart.core.population",
    "PromptDecision": "rampart.core.prompt_driver",
    "PromptDriver": "rampart.core.prompt_driver",
    "InjectionRecord": "rampart.core.result",
    "PopulationRef": "rampart.core.result",
    "Result": "rampart.core.result",
    "SafetyStatus": "rampart.core.result",
    "HarmCategory": "rampart.core.types",
    "ObservabilityLevel": "rampart.core.types",
    "Payload": "rampart.core.types",
    "PayloadFormat": "rampart.core.types",
    "Request": "rampart.core.types",
    "Response": "rampart.core.types",
    "SideEffect": "rampart.core.types",
    "ToolCall": "rampart.core.types",
    "Turn": "rampart.core.types",
    "Usage": "rampart.core.types",
    "LLMDriver": "rampart.drivers.llm",
    "LLMJudge": "rampart.evaluators",
    "ResponseScope": "rampart.evaluators",
    "TranscriptScope": "rampart.evaluators",
    "BaseExecution": "rampart.execution.base",
    "ExecutionEvent": "rampart.execution.events",
    "ExecutionEventData": "rampart.execution.events",
    "ExecutionEventHandler": "rampart.execution.events",
    "execute_trials_async": "rampart.execution.trials",
    "Probes": "rampart.probes",
}

__all__ = [
    "AgentAdapter",
    "AppManifest",
    "Attacks",
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
    "LLMDriver",
    "LLMJudge",
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
    "TranscriptScope",
    "Turn",
    "Usage",
    "execute_trials_async",
    "record_result",
]

if not TYPE_CHECKING:  # type checkers know the names from above, and that there are no others
    __getattr__, __dir__ = lazy_exports(__name__, _HOMES)
