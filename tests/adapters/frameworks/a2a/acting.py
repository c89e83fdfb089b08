"""A2A agents that act as a test says, reached without a network."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
from a2a.helpers.proto_helpers import new_task, new_text_message, new_text_part
from a2a.server.agent_execution import AgentExecutor
from a2a.server.tasks import TaskUpdater
from a2a.types import Role, TaskState
from starlette.applications import Starlette
from tests.adapters.frameworks.a2a.a2a_server import app

from rampart import Request, Response
from rampart.adapters import A2AAdapter

URL = "http://desk.test"

Act = Callable[[TaskUpdater, Any], Any]


class Acting(AgentExecutor):  # type: ignore[misc]  # untyped here
    """Does with each message what the next function says, in a task, and notes who asked."""

    def __init__(self, *acts: Act) -> None:
        self.acts = list(acts)
        self.asked: list[tuple[str, str]] = []
        self.cancelled: list[str] = []

    async def execute(self, context: Any, event_queue: Any) -> None:
        self.asked.append((context.context_id, context.task_id))
        if context.current_task is None:
            task = new_task(context.task_id, context.context_id, TaskState.TASK_STATE_SUBMITTED)
            await event_queue.enqueue_event(task)
        act = self.acts[min(len(self.asked), len(self.acts)) - 1]
        await act(TaskUpdater(event_queue, context.task_id, context.context_id), context)

    async def cancel(self, context: Any, event_queue: Any) -> None:
        self.cancelled.append(context.task_id)
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()


class Answering(AgentExecutor):  # type: ignore[misc]  # untyped here
    """Answers with a message, without a task."""

    async def execute(self, context: Any, event_queue: Any) -> None:
        message = new_text_message(
            "Hello.", context_id=context.context_id, task_id=None, role=Role.ROLE_AGENT
        )
        await event_queue.enqueue_event(message)

    async def cancel(self, context: Any, event_queue: Any) -> None:
        raise NotImplementedError


def says(state: str, *parts: Any, **metadata: Any) -> Act:
    async def act(updater: TaskUpdater, context: Any) -> None:
        message = updater.new_agent_message(list(parts), metadata=metadata or None) if parts else None
        await updater.update_status(getattr(TaskState, f"TASK_STATE_{state}"), message=message)

    return act


def text(said: str) -> Any:
    return new_text_part(said)


@asynccontextmanager
async def web(served: Starlette) -> AsyncIterator[httpx.AsyncClient]:
    try:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(served)) as http:
            yield http
    finally:
        if hasattr(served.state, "handler"):
            await served.state.handler.aclose()


@asynccontextmanager
async def reached(
    executor: AgentExecutor, *, streaming: bool = True, **options: Any
) -> AsyncIterator[A2AAdapter]:
    served = app(executor, f"{URL}/rpc", streaming=streaming)
    async with web(served) as http:
        yield A2AAdapter(URL, http_client=http, **options)


async def turns(executor: AgentExecutor, count: int = 1, **options: Any) -> list[Response]:
    async with (
        reached(executor, **options) as adapter,
        await adapter.create_session_async() as session,
    ):
        return [await session.send_async(Request(prompt=f"Go {n}.")) for n in range(count)]


def call(call_id: str, **outcome: Any) -> dict[str, Any]:
    return {"id": call_id, "name": "add", "arguments": {"n": 1}, **outcome}
