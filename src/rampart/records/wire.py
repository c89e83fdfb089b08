"""The shape of `rampart.trace.v1` as JSON: what the decoder accepts and the schema is made from.

The structs mirror the records of `rampart.core` key by key. Adding an optional key keeps the version;
removing, renaming, retyping or moving one, or accepting less of it, needs a new one.
"""

from datetime import datetime
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from rampart.core.evaluation import EvalOutcome
from rampart.core.result import SafetyStatus
from rampart.core.types import EvaluationPurpose, ObservabilityLevel, TraceEndReason

TRACE_SCHEMA_VERSION = "rampart.trace.v1"
"""The version that every record declares."""

# `$` would let a final line break pass.
_PAYLOAD_ID = r"^(?!\.{1,2}(?![\s\S]))[A-Za-z0-9._-]{1,128}(?![\s\S])"
_INSTANT = r"^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:?\d\d)?(?![\s\S])"

PayloadId = Annotated[str, Meta(pattern=_PAYLOAD_ID)]
Instant = Annotated[datetime, Meta(extra_json_schema={"format": "date-time", "pattern": _INSTANT})]
Number = int | float
Index = Annotated[int, Meta(ge=0)]
Count = Annotated[int, Meta(ge=0)]
Fraction = Annotated[float, Meta(ge=0.0, le=1.0)]
NonEmpty = Annotated[str, Meta(min_length=1)]


class Evaluation(Struct, kw_only=True):
    """An evaluator's answer; a null confidence is one that was no finite number."""

    outcome: EvalOutcome
    confidence: float | None = 1.0
    evidence: list[str] = []
    rationale: str = ""
    undetermined_operands: list[str] = []


class Payload(Struct, kw_only=True):
    """Content that travelled with a request; a binary one is represented by its description."""

    content: str
    id: PayloadId
    format: Literal["text", "html", "markdown"] = "text"
    artifact: None = None
    metadata: dict[str, Any] = {}


class Request(Struct, kw_only=True):
    """What the agent was asked: a prompt, attachments, or both."""

    prompt: str | None = None
    attachments: list[Payload] = []

    def __post_init__(self) -> None:
        """Refuse a request that asks nothing."""
        if self.prompt is None and not self.attachments:
            raise ValueError("a prompt or an attachment is needed")


class ToolCall(Struct, kw_only=True):
    """One call of a tool, as the agent asked for it."""

    name: str
    arguments: dict[str, Any] = {}
    raw_arguments: str | None = None
    id: str | None = None
    result: Any = None
    error: str | None = None
    executed: bool | None = None
    timestamp: Instant | None = None


class SideEffect(Struct, kw_only=True):
    """Something the agent changed or caused outside of its reply."""

    kind: str
    details: dict[str, Any] = {}


class Usage(Struct, kw_only=True):
    """What one response consumed; null where it is not known."""

    input_tokens: Number | None = None
    cached_input_tokens: Number | None = None
    output_tokens: Number | None = None
    reasoning_tokens: Number | None = None
    requests: Number | None = None
    cost_usd: Number | None = None


class Response(Struct, kw_only=True):
    """What the agent said and did in one turn."""

    text: str
    tool_calls: list[ToolCall] = []
    side_effects: list[SideEffect] = []
    usage: Usage | None = None
    metadata: dict[str, Any] = {}


class Turn(Struct, kw_only=True):
    """One exchange with the agent."""

    request: Request
    response: Response
    eval_result: Evaluation | None = None
    eval_purpose: EvaluationPurpose | None = None
    turn_number: int = 0
    timestamp: Instant | None = None
    duration_seconds: float | None = None
    driver_reasoning: str = ""

    def __post_init__(self) -> None:
        """Refuse a purpose that has nothing to be the purpose of."""
        if self.eval_purpose is not None and self.eval_result is None:
            raise ValueError("eval_purpose needs an eval_result")


class Injection(Struct, kw_only=True):
    """That a payload was planted, where, and whether it reached the agent."""

    payload_id: PayloadId | None
    surface_name: str
    delivery: str = "unknown"


class PopulationRef(Struct, kw_only=True):
    """The place of a result among the trials of one population; the index is below the size."""

    id: NonEmpty
    index: Index
    size: Annotated[int, Meta(ge=1)]
    threshold: Fraction

    def __post_init__(self) -> None:
        """Refuse an index outside of the population."""
        if self.index >= self.size:
            raise ValueError("index must be between 0 and size - 1")


class Arm(Struct, kw_only=True):
    """One arm of an execution: a verdict with everything it rests on."""

    status: SafetyStatus
    summary: str
    observability_level: ObservabilityLevel
    final_trace_evaluation: Evaluation | None = None
    turns: list[Turn] = []
    trace_end_reason: TraceEndReason | None = None
    duration_seconds: float = 0.0
    harm_category: str | None = None
    strategy: str = ""
    utility: Evaluation | None = None
    injections: list[Injection] = []
    population: PopulationRef | None = None
    metadata: dict[str, Any] = {}


class Attempt(Struct, kw_only=True):
    """One conversation of an attack that holds several; `parent` is the position of the one before it."""

    outcome: str
    parent: Index | None = None
    turns: list[Turn] = []
    evaluation: Evaluation | None = None
    score: float | None = None
    trace_end_reason: TraceEndReason | None = None
    injections: list[Injection] = []
    metadata: dict[str, Any] = {}


class Result(Arm, kw_only=True):
    """The verdict of one execution; `control` is the arm in which nothing was planted."""

    control: Arm | None = None
    attempts: list[Attempt] = []
    usage: dict[str, Usage] = {}


class Loss(Struct, kw_only=True):
    """One value that could not be kept as it was, and why."""

    path: str
    reason: str


class Record(Struct, kw_only=True):
    """One result with where it came from and what it lost on the way."""

    version: Literal["rampart.trace.v1"]
    result: Result
    pytest_nodeid: str | None = None
    result_index: Index | None = None
    losses: list[Loss] = []
    truncated: bool = False


class Rate(Struct, kw_only=True):
    """How many of how many, and the interval for the true rate."""

    count: Count
    total: Annotated[int, Meta(ge=1)]
    rate: Fraction
    interval: tuple[Fraction, Fraction]


class AttackRates(Struct, kw_only=True):
    """Attack success and utility over a population; null where no member was asked."""

    attack_success: Rate | None = None
    utility_under_attack: Rate | None = None
    benign_utility: Rate | None = None
    control_success: Rate | None = None


class Population(Struct, kw_only=True, omit_defaults=True):
    """The figures of one population; a null status is one that was cut short without a verdict."""

    id: NonEmpty
    pytest_nodeid: str | None
    size: Annotated[int, Meta(ge=1)]
    executed: Count
    safe_count: Count
    threshold: Fraction
    pass_rate: Fraction
    decided_early: bool
    interval: tuple[Fraction, Fraction] | None
    status: SafetyStatus | None
    attack_rates: AttackRates | None = None


class Line(Struct, kw_only=True):
    """One line of a journal: a record, or a population when its trials are over."""

    version: Literal["rampart.trace.v1"]
    result: Result | UnsetType = UNSET
    population: Population | UnsetType = UNSET
    pytest_nodeid: str | None = None
    result_index: Index | None = None
    losses: list[Loss] = []
    truncated: bool = False

    def __post_init__(self) -> None:
        """Refuse a line that says nothing, or two things."""
        if self.result is UNSET and self.population is UNSET:
            raise ValueError("a result or a population is needed")
        if self.result is not UNSET and self.population is not UNSET:
            raise ValueError("a result and a population have a line each")


class Versioned(Struct, kw_only=True):
    """Whatever declares a version; used to tell a newer record from a broken one."""

    version: Any = None
