"""The records, protocols and errors that everything else speaks in."""

from rampart.core.adapter import AgentAdapter, Session
from rampart.core.converter import PayloadConverter
from rampart.core.errors import (
    ConfigurationError,
    DriverError,
    EvaluatorError,
    InfrastructureError,
    RampartError,
    SchemaError,
    UnsupportedSchemaVersionError,
)
from rampart.core.evaluation import EvalContext, EvalOutcome, EvalResult
from rampart.core.evaluator import BaseEvaluator, Evaluator
from rampart.core.injection import InjectionHandle, Surface
from rampart.core.limits import Limits
from rampart.core.listener import record_result
from rampart.core.llm import ChatMessage, ChatModel, Completion, LLMConfig
from rampart.core.manifest import AppManifest, DataSource, ToolDeclaration
from rampart.core.persona import Persona
from rampart.core.population import PopulationResult
from rampart.core.prompt_driver import PromptDecision, PromptDriver
from rampart.core.report import PopulationSummary, ReportSink, TestRunReport
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
