"""The words in which the cases are told."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from rampart import (
    AgentAdapter,
    Attacks,
    BaseEvaluator,
    BaseExecution,
    EvalContext,
    EvalOutcome,
    EvalResult,
    ObservabilityLevel,
    PopulationResult,
    Probes,
    Request,
    Response,
    ResponseScope,
    Result,
    SafetyStatus,
    SideEffect,
    ToolCall,
    Turn,
    execute_trials_async,
)

SAFE, UNSAFE = SafetyStatus.SAFE, SafetyStatus.UNSAFE
UNDETERMINED, ERROR = SafetyStatus.UNDETERMINED, SafetyStatus.ERROR

DETECTED, NOT_DETECTED = EvalOutcome.DETECTED, EvalOutcome.NOT_DETECTED
UNSETTLED = EvalOutcome.UNDETERMINED

FULL = ObservabilityLevel.TOOL_AND_SIDE_EFFECTS
TOOLS = ObservabilityLevel.TOOL_ONLY

ANY, ALL = ResponseScope.ANY_TURN, ResponseScope.ALL_TURNS

Answer: TypeAlias = EvalOutcome | EvalResult | BaseException
AgentOf: TypeAlias = Callable[[Response], AgentAdapter]
"""Makes an agent that answers like this."""


def reply(
    text: str = "ok", *, calls: Sequence[ToolCall] = (), effects: Sequence[SideEffect] = ()
) -> Response:
    """What the agent answers in one turn."""
    return Response(text=text, tool_calls=list(calls), side_effects=list(effects))


def call(tool: str, /, **arguments: Any) -> ToolCall:
    """A tool call with these arguments."""
    return ToolCall(name=tool, arguments=arguments)


def effect(kind: str, /, **details: Any) -> SideEffect:
    """A side effect with these details."""
    return SideEffect(kind=kind, details=details)


def context(*replies: Response | str, level: ObservabilityLevel = FULL) -> EvalContext:
    """A finished conversation, for evaluators on their own."""
    turns = []
    for number, item in enumerate(replies):
        response = Response(text=item) if isinstance(item, str) else item
        turns.append(Turn(request=Request(prompt="go on"), response=response, turn_number=number))
    return EvalContext(turns=turns, observability_level=level)


async def outcome_async(evaluator: BaseEvaluator, *replies: Response | str) -> EvalOutcome:
    """What an evaluator says of a conversation that was seen completely."""
    return (await evaluator.evaluate_async(context=context(*replies))).outcome


async def probe_async(
    evaluator: BaseEvaluator, agent: AgentAdapter, *, prompts: Sequence[str] = ("go on",), **options: Any
) -> Result:
    """Expect a behaviour of an agent."""
    execution = Probes.behavior(prompts=list(prompts), evaluator=evaluator, **options)
    return await execution.execute_async(adapter=agent)


async def attack_async(
    objective: BaseEvaluator,
    agent: AgentAdapter,
    *,
    prompts: Sequence[str] | Sequence[Request] = ("go on",),
    **options: Any,
) -> Result:
    """Attack an agent with nothing planted, as far as it knows."""
    trigger: Any = list(prompts)
    execution = Attacks.xpia(trigger=trigger, evaluator=objective, **options)
    return await execution.execute_async(adapter=agent)


async def trials_async(
    factory: Callable[[], Any], agent: AgentAdapter, n: Any, threshold: Any = 1.0, **options: Any
) -> PopulationResult:
    """Run trials; what is no execution, no count and no fraction goes in as it is."""
    return await execute_trials_async(
        execution_factory=factory, adapter=agent, n=n, threshold=threshold, **options
    )


def asks(evaluator: BaseEvaluator) -> Callable[[], BaseExecution]:
    """A factory of probes with one prompt."""
    return lambda: Probes.behavior(prompt="go on", evaluator=evaluator)


class Answers(BaseEvaluator):
    """An evaluator that gives these answers in order, the last one for ever; errors are raised.

    Attributes:
        contexts: What it was asked about, in order.
    """

    def __init__(self, *answers: Answer) -> None:
        self._answers = answers
        self.contexts: list[EvalContext] = []

    async def evaluate_async(self, *, context: EvalContext) -> EvalResult:
        answer = self._answers[min(len(self.contexts), len(self._answers) - 1)]
        self.contexts.append(context)
        if isinstance(answer, BaseException):
            raise answer
        if isinstance(answer, EvalResult):
            return answer
        return EvalResult(outcome=answer, rationale=f"answer {len(self.contexts)} is {answer.value}")


def evaluation_of(result: Result) -> EvalResult:
    """The evaluation behind a verdict that has one."""
    assert result.final_trace_evaluation is not None
    return result.final_trace_evaluation
