"""Small parts that the engine's tests build executions from."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self, TypeVar

from rampart.core.evaluation import EvalContext, EvalOutcome, EvalResult
from rampart.core.evaluator import BaseEvaluator
from rampart.core.listener import listening
from rampart.core.manifest import AppManifest
from rampart.core.prompt_driver import PromptDecision
from rampart.core.types import ObservabilityLevel, Request, Response, Turn
from rampart.execution.events import ExecutionEvent, ExecutionEventData, ExecutionEventHandler

if TYPE_CHECKING:
    from rampart.core.population import PopulationResult
    from rampart.core.result import Result

T = TypeVar("T")


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(coroutine)


class Says(BaseEvaluator):
    """Detected when a reply contains `needle`; counts its calls and keeps what it saw."""

    def __init__(self, needle: str) -> None:
        self.needle = needle
        self.contexts: list[EvalContext] = []

    async def evaluate_async(self, *, context: EvalContext) -> EvalResult:
        self.contexts.append(context)
        seen = any(self.needle in turn.response.text for turn in context.turns)
        outcome = EvalOutcome.DETECTED if seen else EvalOutcome.NOT_DETECTED
        return EvalResult(outcome=outcome, rationale=f"{self.needle!r} {'seen' if seen else 'not seen'}")


class Answers(BaseEvaluator):
    """Gives the answers it was made with, one a call; an exception is raised, a callable is awaited."""

    def __init__(self, *answers: object) -> None:
        self.answers = list(answers)

    async def evaluate_async(self, *, context: EvalContext) -> EvalResult:
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, BaseException):
            raise answer
        if isinstance(answer, EvalOutcome):
            return EvalResult(outcome=answer, rationale=f"told {answer.value}")
        if callable(answer):
            answer = await answer()
        return answer  # type: ignore[return-value]  # wrong types are what some tests are about


class Asks:
    """A driver made of a function of the history."""

    def __init__(self, decide: Callable[[list[Turn]], object | Awaitable[object]]) -> None:
        self.decide = decide
        self.histories: list[list[Turn]] = []

    async def next_prompt_async(self, *, history: list[Turn]) -> PromptDecision | None:
        self.histories.append(history)
        decision = self.decide(history)
        if isinstance(decision, Awaitable):
            decision = await decision
        if isinstance(decision, str):
            return PromptDecision(request=Request(prompt=decision))
        return decision  # type: ignore[return-value]  # wrong types are what some tests are about


class Agent:
    """An adapter made of functions, for faults that a script cannot express."""

    def __init__(
        self,
        send: Callable[[Request], Awaitable[object]],
        *,
        enter: Callable[[], Awaitable[object]] | None = None,
        leave: Callable[[], Awaitable[object]] | None = None,
        create: Callable[[], Awaitable[object]] | None = None,
        level: ObservabilityLevel = ObservabilityLevel.TOOL_AND_SIDE_EFFECTS,
    ) -> None:
        self.send, self.enter, self.leave, self.create = send, enter, leave, create
        self.manifest = AppManifest(name="agent of the tests")
        self.observability_profile = level
        self.opened = self.closed = 0

    async def create_session_async(self) -> AgentSession:
        if self.create is not None:
            return await self.create()  # type: ignore[return-value]  # wrong types are what tests are about
        return AgentSession(self)


class AgentSession:
    def __init__(self, agent: Agent) -> None:
        self.agent = agent

    async def send_async(self, request: Request, /) -> Response:
        return await self.agent.send(request)  # type: ignore[return-value]  # see Agent

    async def __aenter__(self) -> Self:
        if self.agent.enter is not None:
            await self.agent.enter()
        self.agent.opened += 1
        return self

    async def __aexit__(self, *exc_info: object) -> bool | None:
        self.agent.closed += 1
        if self.agent.leave is not None:
            return bool(await self.agent.leave())
        return None


def replies(text: str) -> Callable[[Request], Awaitable[object]]:
    async def send(request: Request) -> object:
        return Response(text=text)

    return send


async def hang() -> object:
    return await asyncio.Event().wait()


async def hang_on(request: Request) -> object:
    return await hang()


@dataclass
class Collected:
    """A listener that keeps what it is given."""

    results: list[Result] = field(default_factory=list)
    populations: list[tuple[str, PopulationResult]] = field(default_factory=list)

    def on_result(self, result: Result, /) -> None:
        self.results.append(result)

    def on_population(self, population: PopulationResult, /, *, population_id: str) -> None:
        self.populations.append((population_id, population))


def collecting() -> tuple[Collected, Any]:
    """A listener and the context manager that installs it."""
    collected = Collected()
    return collected, listening(collected)


class Events(ExecutionEventHandler):
    """Keeps the events it is told, and may do something at one of them."""

    def __init__(self, action: Callable[[ExecutionEventData], Awaitable[object]] | None = None) -> None:
        self.seen: list[ExecutionEventData] = []
        self.action = action

    async def on_event_async(self, *, event_data: ExecutionEventData) -> None:
        self.seen.append(event_data)
        if self.action is not None:
            await self.action(event_data)

    @property
    def names(self) -> list[ExecutionEvent]:
        return [data.event for data in self.seen]
