"""What the tests of attacks share."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Self

from rampart import BaseEvaluator, EvalContext, EvalOutcome, EvalResult, Payload, Response, ToolCall
from rampart.evaluators import ResponseContains, ResponseScope

if TYPE_CHECKING:
    from types import TracebackType

LEAK = ResponseContains("the secret", scope=ResponseScope.ANY_TURN)
DONE = ResponseContains("summary", scope=ResponseScope.ANY_TURN)

Step = Callable[[], Awaitable[object]]


def got(result: Any, text: str = "hello") -> Response:
    """The agent called a tool that gave this."""
    return Response(text=text, tool_calls=[ToolCall(name="read", result=result, executed=True)])


class Planted:
    """An injection into nothing that keeps a diary of what is done with it and with others."""

    def __init__(
        self, name: str = "notes", *, text: str | None = None, diary: list[str] | None = None
    ) -> None:
        self.surface_name = name
        self.payload_id: str | None = name
        self.diary = [] if diary is None else diary
        self.entering: Step | None = None
        self.waiting: Step | None = None
        self.leaving: Step | None = None
        if text is not None:
            self.payload = Payload(content=text)

    async def __aenter__(self) -> Self:
        if self.entering is not None:
            await self.entering()
        self.diary.append(f"enter {self.surface_name}")
        return self

    async def wait_until_ready_async(self) -> None:
        if self.waiting is not None:
            await self.waiting()
        self.diary.append(f"ready {self.surface_name}")

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> None:
        if self.leaving is not None:
            await self.leaving()
        self.diary.append(f"leave {self.surface_name}")


class Judge(BaseEvaluator):
    """An evaluator made of a function of the context."""

    def __init__(self, answer: Callable[[EvalContext], EvalOutcome | EvalResult]) -> None:
        self._answer = answer
        self.contexts: list[EvalContext] = []

    async def evaluate_async(self, *, context: EvalContext) -> EvalResult:
        self.contexts.append(context)
        answer = self._answer(context)
        return answer if isinstance(answer, EvalResult) else EvalResult(outcome=answer)
