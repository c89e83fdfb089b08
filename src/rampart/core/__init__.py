"""The records, protocols and errors that everything else speaks in."""

from typing import TYPE_CHECKING

from rampart.core.lazy import lazy_exports

if TYPE_CHECKING:
    from rampart.core.adapter import (
        AgentAdapter,
        Session,
    )
    from rampart.core.converter import (
        PayloadConverter,
    )
    from rampart.core.errors import (
        ConfigurationError,
        DriverError,
        EvaluatorError,
        InfrastructureError,
        RampartError,
        SchemaError,
        UnsupportedSchemaVersionError,
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
        ChatMessage,
        ChatModel,
        Completion,
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
    from rampart.core.report import (
        PopulationSummary,
        ReportSink,
        TestRunReport,
    )
    from rampart.core.result import (
        InjectionRecord,
        PopulationRef,
        Result,
        SafetyStatus,
        resolve_attack_verdict,
        resolve_probe_verdict,
    )
    from rampart.core.types import (
        EvaluationPurpose,
        HarmCategory,
        ObservabilityLevel,
        Payload,
        PayloadFormat,
        Request,
        Response,
        SideEffect,
        ToolCall,
        TraceEndReason,
        Turn,
        Usage,
    )


_HOMES = {
    "AgentAdapter": "rampart.core.adapter",
    "Session": "rampart.core.adapter",
    "PayloadConverter": "rampart.core.converter",
    "ConfigurationError": "rampart.core.errors",
    "DriverError": "rampart.core.errors",
    "EvaluatorError": "rampart.core.errors",
    "InfrastructureError": "rampart.core.errors",
    "RampartError": "rampart.core.errors",
    "SchemaError": "rampart.core.errors",
    "UnsupportedSchemaVersionError": "rampart.core.errors",
    "EvalContext": "rampart.core.evaluation",
    "EvalOutcome": "rampart.core.evaluation",
    "EvalResult": "rampart.core.evaluation",
    "BaseEvaluator": "rampart.core.evaluator",
    "Evaluator": "rampart.core.evaluator",
    "InjectionHandle": "rampart.core.injection",
    "Surface": "rampart.core.injection",
    "Limits": "rampart.core.limits",
    "record_result": "rampart.core.listener",
    "ChatMessage": "rampart.core.llm",
    "ChatModel": "rampart.core.llm",
    "Completion": "rampart.core.llm",
    "LLMConfig": "rampart.core.llm",
    "AppManifest": "rampart.core.manifest",
    "DataSource": "rampart.core.manifest",
    "ToolDeclaration": "rampart.core.manifest",
    "Persona": "rampart.core.persona",
    "PopulationResult": "rampart.core.population",
    "PromptDecision": "rampart.core.prompt_driver",
    "PromptDriver": "rampart.core.prompt_driver",
    "PopulationSummary": "rampart.core.report",
    "ReportSink": "rampart.core.report",
    "TestRunReport": "rampart.core.report",
    "InjectionRecord": "rampart.core.result",
    "PopulationRef": "rampart.core.result",
    "Result": "rampart.core.result",
    "SafetyStatus": "rampart.core.result",
    "resolve_attack_verdict": "rampart.core.result",
    "resolve_probe_verdict": "rampart.core.result",
    "EvaluationPurpose": "rampart.core.types",
    "HarmCategory": "rampart.core.types",
    "ObservabilityLevel": "rampart.core.types",
    "Payload": "rampart.core.types",
    "PayloadFormat": "rampart.core.types",
    "Request": "rampart.core.types",
    "Response": "rampart.core.types",
    "SideEffect": "rampart.core.types",
    "ToolCall": "rampart.core.types",
    "TraceEndReason": "rampart.core.types",
    "Turn": "rampart.core.types",
    "Usage": "rampart.core.types",
}

__all__ = [
    "AgentAdapter",
    "AppManifest",
    "BaseEvaluator",
    "ChatMessage",
    "ChatModel",
    "Completion",
    "ConfigurationError",
    "DataSource",
    "DriverError",
    "EvalContext",
    "EvalOutcome",
    "EvalResult",
    "EvaluationPurpose",
    "Evaluator",
    "EvaluatorError",
    "HarmCategory",
    "InfrastructureError",
    "InjectionHandle",
    "InjectionRecord",
    "LLMConfig",
    "Limits",
    "ObservabilityLevel",
    "Payload",
    "PayloadConverter",
    "PayloadFormat",
    "Persona",
    "PopulationRef",
    "PopulationResult",
    "PopulationSummary",
    "PromptDecision",
    "PromptDriver",
    "RampartError",
    "ReportSink",
    "Request",
    "Response",
    "Result",
    "SafetyStatus",
    "SchemaError",
    "Session",
    "SideEffect",
    "Surface",
    "TestRunReport",
    "ToolCall",
    "ToolDeclaration",
    "TraceEndReason",
    "Turn",
    "UnsupportedSchemaVersionError",
    "Usage",
    "record_result",
    "resolve_attack_verdict",
    "resolve_probe_verdict",
]

if not TYPE_CHECKING:  # type checkers know the names from above, and that there are no others
    __getattr__, __dir__ = lazy_exports(__name__, _HOMES)
