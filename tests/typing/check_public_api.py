"""How users' code types under a strict checker. This file is checked and never run.

An `assert_type` says what a user's editor shows. A `type: ignore` says that a mistake is caught: the
checker complains when it has nothing to ignore.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, assert_type

import rampart
from rampart import (
    AgentAdapter,
    AppManifest,
    BaseEvaluator,
    BaseExecution,
    EvalContext,
    EvalOutcome,
    EvalResult,
    Evaluator,
    ExecutionEventData,
    ExecutionEventHandler,
    HarmCategory,
    InfrastructureError,
    InjectionHandle,
    Limits,
    LLMConfig,
    ObservabilityLevel,
    Payload,
    PayloadFormat,
    PopulationRef,
    PopulationResult,
    Probes,
    PromptDecision,
    PromptDriver,
    Request,
    Response,
    ResponseScope,
    Result,
    SafetyStatus,
    Session,
    Surface,
    ToolCall,
    ToolDeclaration,
    Turn,
    execute_trials_async,
    record_result,
)
from rampart.core import (
    ChatMessage,
    ChatModel,
    Completion,
    PayloadConverter,
    PopulationSummary,
    ReportSink,
    TestRunReport,
    TraceEndReason,
    resolve_attack_verdict,
    resolve_probe_verdict,
)
from rampart.drivers import StaticDriver
from rampart.evaluators import (
    MISSING,
    ResponseContains,
    SideEffectOccurred,
    ToolCalled,
    ToolExecuted,
    namespaced,
)
from rampart.execution import TraceRun, evaluate_final_trace_async, run_trace_async
from rampart.reporting import JsonFileReportSink
from rampart.statistics import wilson_interval
from rampart.testing import ScriptedAgent, ScriptedChatModel
from rampart.text import redact, safe_float, safe_str, safe_str_list, strip_ansi

if TYPE_CHECKING:
    from types import TracebackType

    from rampart.pytest_plugin import TrialConfig


class MySession:
    """A session of a user, who inherits nothing."""

    async def send_async(self, request: Request, /) -> Response:
        call = ToolCall(name="search", arguments={"q": request.prompt}, executed=True)
        return Response(text="found", tool_calls=[call])

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> None:
        return None


class MyAdapter:
    """An adapter of a user, with plain attributes where the protocol has properties."""

    manifest = AppManifest(name="mine", tools=[ToolDeclaration(name="search", parameters={"q": "str"})])
    observability_profile = ObservabilityLevel.TOOL_ONLY

    async def create_session_async(self) -> MySession:
        return MySession()


class MyHandle:
    """A handle of a user."""

    payload_id = "p1"
    surface_name = "inbox"

    async def wait_until_ready_async(self) -> None: ...

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc_info: object) -> None: ...


class MySurface:
    """A surface of a user."""

    def inject(self, *, payload: Payload) -> MyHandle:
        return MyHandle()


class MyDriver:
    """A driver of a user."""

    async def next_prompt_async(self, *, history: list[Turn]) -> PromptDecision | None:
        return PromptDecision(request=Request(prompt="more")) if len(history) < 3 else None


class MyEvaluator(BaseEvaluator):
    """An evaluator of a user that composes."""

    async def evaluate_async(self, *, context: EvalContext) -> EvalResult:
        assert_type(context.current_turn, Turn)
        assert_type(context.text, str)
        assert_type(context.all_tool_calls, list[ToolCall])
        assert_type(context.manifest, AppManifest | None)
        return EvalResult(outcome=EvalOutcome.DETECTED, evidence=["seen"])


class PlainEvaluator:
    """An evaluator of a user that inherits nothing."""

    async def evaluate_async(self, *, context: EvalContext) -> EvalResult:
        return EvalResult(outcome=EvalOutcome.UNDETERMINED)


class MyConverter:
    """A converter of a user."""

    async def convert_async(self, *, payload: Payload) -> Payload:
        return payload


class MyModel:
    """A language model of a user."""

    async def complete_async(
        self, *, messages: list[ChatMessage], response_schema: dict[str, Any] | None = None
    ) -> Completion:
        return Completion(text=messages[-1].content)


class MySink:
    """A sink of a user."""

    async def emit_async(self, *, report: TestRunReport) -> None:
        assert_type(report.population_summary(harm_category="own"), PopulationSummary)
        assert_type(report.by_harm_category(), dict[str, list[Result]])
        assert_type(report.population_summary().attack_success_rate, float | None)


class MyHandler(ExecutionEventHandler):
    """An event handler of a user."""

    async def on_event_async(self, *, event_data: ExecutionEventData) -> None:
        assert_type(event_data.result, Result | None)
        assert_type(event_data.error, BaseException | None)


class MyExecution(BaseExecution):
    """A strategy of a user."""

    @property
    def strategy_name(self) -> str:
        return "mine"

    async def _execute_async(self, *, adapter: AgentAdapter) -> Result:
        return Result(
            status=SafetyStatus.SAFE, summary="fine", observability_level=adapter.observability_profile
        )


def objects_of_users_fit_the_protocols() -> None:
    session: Session = MySession()
    adapter: AgentAdapter = MyAdapter()
    handle: InjectionHandle = MyHandle()
    surface: Surface = MySurface()
    driver: PromptDriver = MyDriver()
    evaluators: list[Evaluator] = [MyEvaluator(), PlainEvaluator()]
    converter: PayloadConverter = MyConverter()
    model: ChatModel = MyModel()
    sink: ReportSink = MySink()
    del session, adapter, handle, surface, driver, evaluators, converter, model, sink


def objects_of_rampart_fit_the_protocols() -> None:
    adapter: AgentAdapter = ScriptedAgent(["a", Response(text="b"), TimeoutError])
    driver: PromptDriver = StaticDriver(prompts=["a"])
    model: ChatModel = ScriptedChatModel(["a"])
    sink: ReportSink = JsonFileReportSink(output_dir=Path())
    del adapter, driver, model, sink


def what_does_not_fit_is_caught() -> None:
    adapter: AgentAdapter = MySession()  # type: ignore[assignment]  # a session is no adapter
    evaluator: Evaluator = len  # type: ignore[assignment]  # a function is no evaluator
    session: Session = MyAdapter()  # type: ignore[assignment]  # an adapter is no session
    del adapter, evaluator, session


def evaluators_compose() -> None:
    called = ToolCalled("send_email", to="a@b.example", urgent=lambda value: bool(value), cc=MISSING)
    ran = ToolExecuted(namespaced("send_email"), tool_name="keywords stay free for arguments")
    changed = SideEffectOccurred(re.compile("http_.*"), kind="free too")
    said = ResponseContains(re.compile("no"), scope=ResponseScope.ALL_TURNS, case_sensitive=True)
    assert_type(called | ran, BaseEvaluator)
    assert_type(called & ~said | changed, BaseEvaluator)
    assert_type(~MyEvaluator(), BaseEvaluator)
    assert_type(called | PlainEvaluator(), BaseEvaluator)
    ResponseContains(lambda text: "I can't" in text, scope=ResponseScope.ANY_TURN)


def mistakes_in_evaluators_are_caught() -> None:
    ResponseContains("no")  # type: ignore[call-arg]  # the scope has no default
    ResponseContains("no", scope="any_turn")  # type: ignore[arg-type]  # nor is it a string
    ToolCalled(tool_name="send_email")  # type: ignore[call-arg]  # a keyword is an argument of the tool
    PlainEvaluator() | MyEvaluator()  # type: ignore[operator]  # the left one has to compose
    MyEvaluator() | "refused"  # type: ignore[operator]  # the right one has to be an evaluator


async def probes_and_trials(trial_config: TrialConfig) -> None:
    handler = MyHandler()
    probe = Probes.behavior(prompt="hello", evaluator=MyEvaluator(), event_handlers=[handler])
    assert_type(probe, BaseExecution)
    Probes.behavior(prompts=["a", "b"], evaluator=PlainEvaluator(), stop_when=MyEvaluator(), max_turns=3)
    Probes.behavior(prompts=("a", "b"), evaluator=MyEvaluator(), limits=Limits(turn_timeout_s=None))
    Probes.behavior(driver=MyDriver(), evaluator=MyEvaluator())
    Probes.behavior(driver=StaticDriver(prompts=[Request(prompt="a")]), evaluator=MyEvaluator())

    result = await probe.execute_async(adapter=MyAdapter())
    assert_type(result, Result)
    assert_type(result.status, SafetyStatus)
    assert_type(result.safe, bool)
    assert_type(result.summary, str)
    assert_type(result.turns, list[Turn])
    assert_type(result.turn_evaluations, list[EvalResult])
    assert_type(result.final_trace_evaluation, EvalResult | None)
    assert_type(result.trace_end_reason, TraceEndReason | None)
    assert_type(result.harm_category, HarmCategory | str | None)
    assert_type(result.population, PopulationRef | None)
    result.status = SafetyStatus.UNSAFE
    record_result(result)
    assert result, result.summary

    population = await execute_trials_async(
        execution_factory=lambda: MyExecution(event_handlers=[handler]),
        adapter=MyAdapter(),
        n=trial_config.n,
        threshold=trial_config.threshold,
        concurrency=2,
        stop_when_decided=True,
    )
    assert_type(population, PopulationResult)
    assert_type(population.status, SafetyStatus)
    assert_type(population.pass_rate, float)
    assert_type(population.interval, tuple[float, float] | None)
    assert_type(population.results, list[Result])
    assert_type(population.requested_count, int | None)
    assert population, population.summary


async def mistakes_around_executions_are_caught(adapter: MyAdapter) -> None:
    probe = Probes.behavior(prompts="ab", evaluator=MyEvaluator())  # type: ignore[arg-type]  # one text is no list
    Probes.behavior("hello", evaluator=MyEvaluator())  # type: ignore[call-arg]  # keywords only
    Probes.behavior(prompt="hello")  # type: ignore[call-arg]  # nothing to look for
    await probe.execute_async(adapter)  # type: ignore[call-arg]  # keywords only
    await probe.execute_async(adapter=MySession())  # type: ignore[arg-type]  # no adapter
    await execute_trials_async(execution_factory=probe, adapter=adapter, n=3)  # type: ignore[arg-type]  # no factory
    result = await probe.execute_async(adapter=adapter)
    result.safe = True  # type: ignore[misc]  # read-only
    Result(safe=True, summary="", observability_level=ObservabilityLevel.TOOL_ONLY)  # type: ignore[call-arg]  # a status is needed
    Limits(cleanup_timeout_s=None)  # type: ignore[arg-type]  # cleanup has a limit
    rampart.Nope  # type: ignore[attr-defined]  # noqa: B018  # no such name


async def the_parts_of_the_engine() -> None:
    driver = StaticDriver(prompts=("a", Request(prompt="b", attachments=[Payload(content="c")])))
    async with await MyAdapter().create_session_async() as session:
        run = await run_trace_async(
            session=session, driver=driver, max_turns=2, observability_level=ObservabilityLevel.TOOL_ONLY
        )
        assert_type(run, TraceRun)
        assert_type(await evaluate_final_trace_async(evaluator=MyEvaluator(), run=run), EvalResult | None)


def records_and_errors(evaluation: EvalResult) -> None:
    assert_type(Payload(content="a", format=PayloadFormat.PDF, artifact=Path("a.pdf")).artifact, Path | None)
    assert_type(resolve_probe_verdict(evaluation=evaluation), SafetyStatus)
    assert_type(resolve_attack_verdict(evaluation=evaluation), SafetyStatus)
    error = InfrastructureError("down", partial=Response(text="half"), retryable=True)
    assert_type(error.partial, Response | None)
    assert_type(LLMConfig(model="m").api_key, str | None)
    ChatMessage(role="robot", content="")  # type: ignore[arg-type]  # no such role


def pure_functions(anything: object) -> None:
    assert_type(wilson_interval(3, 5), tuple[float, float])
    assert_type(strip_ansi("a"), str)
    assert_type(redact("a"), str)
    assert_type(safe_str(anything), str)
    assert_type(safe_str_list(anything), list[str])
    assert_type(safe_float(anything), float | None)


def lazy_names_are_typed() -> None:
    assert_type(rampart.ResponseScope("any_turn"), ResponseScope)
    assert_type(rampart.Probes.behavior(prompt="a", evaluator=MyEvaluator()), BaseExecution)
    assert_type(rampart.__lazy_imports__, dict[str, tuple[str, str]])
