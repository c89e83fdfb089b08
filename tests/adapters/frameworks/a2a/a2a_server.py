"""A2A agents on the SDK's own server."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import uvicorn
from a2a.helpers.proto_helpers import new_data_part, new_task, new_text_part
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill, TaskState
from starlette.applications import Starlette
from tests.adapters.frameworks.brain import TOOLS, Ask, Calls, Fail, Hang, Say, next_step

KEY = "tool_call"


class Desk(AgentExecutor):  # type: ignore[misc]  # untyped here
    """Does what the brain says, with its tools, and reports its calls in data parts."""

    def __init__(self) -> None:
        self.prompts: dict[str, list[str]] = {}
        self.cancelled: list[str] = []

    async def execute(self, context: Any, event_queue: Any) -> None:
        prompts = self.prompts.setdefault(context.context_id, [])
        prompts.append(context.get_user_input())
        if context.current_task is None:
            task = new_task(context.task_id, context.context_id, TaskState.TASK_STATE_SUBMITTED)
            await event_queue.enqueue_event(task)
        updater = TaskUpdater(event_queue, context.task_id, context.context_id)
        results: list[object] = []
        while True:
            step = next_step(prompts, results)
            if isinstance(step, Calls):
                for ask in step.asked:
                    results.append(await self.call(updater, ask))
            elif isinstance(step, Say):
                await updater.complete(updater.new_agent_message([new_text_part(step.text)]))
                return
            elif isinstance(step, Fail):
                told = updater.new_agent_message([new_text_part("no")], metadata={"status_code": step.status})
                await updater.failed(told)
                return
            elif isinstance(step, Hang):
                await asyncio.Event().wait()

    async def call(self, updater: Any, ask: Ask) -> object:
        told = {"id": ask.id, "name": ask.name, "arguments": ask.arguments}
        await self.report(updater, told)
        outcome = run(ask)
        await self.report(updater, told | outcome)
        return outcome.get("result") or outcome["error"]

    async def report(self, updater: Any, call: dict[str, Any]) -> None:
        message = updater.new_agent_message([new_data_part({KEY: call})])
        await updater.update_status(TaskState.TASK_STATE_WORKING, message=message)

    async def cancel(self, context: Any, event_queue: Any) -> None:
        self.cancelled.append(context.task_id)
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()


def run(ask: Ask) -> dict[str, Any]:
    tool = next((tool for tool in TOOLS if tool.__name__ == ask.name), None)
    if tool is None:
        return {"error": "there is no such tool", "executed": False}
    try:
        arguments = ask.arguments if isinstance(ask.arguments, dict) else json.loads(ask.arguments)
    except ValueError as error:
        return {"error": str(error), "executed": False}
    try:
        return {"result": tool(**arguments), "executed": True}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}", "executed": True}


def card(url: str, *, streaming: bool = True) -> AgentCard:
    return AgentCard(
        name="desk",
        description="A desk.",
        version="1",
        supported_interfaces=[AgentInterface(url=url, protocol_binding="JSONRPC", protocol_version="1.0")],
        capabilities=AgentCapabilities(streaming=streaming),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
        skills=[AgentSkill(id="desk", name="desk", description="Does things.", tags=["desk"])],
    )


def app(executor: AgentExecutor, url: str, *, streaming: bool = True) -> Starlette:
    described = card(url, streaming=streaming)
    handler = DefaultRequestHandler(executor, InMemoryTaskStore(), described)
    routes = [*create_agent_card_routes(described), *create_jsonrpc_routes(handler, rpc_url="/rpc")]

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        await handler.aclose()  # or else tasks that wait for a further message are left pending

    served = Starlette(routes=routes, lifespan=lifespan)
    served.state.handler = handler
    return served


@contextmanager
def served(executor: AgentExecutor, port: int) -> Iterator[str]:
    """The agent on a loopback port, in a thread of its own."""
    url = f"http://127.0.0.1:{port}"
    config = uvicorn.Config(
        app(executor, f"{url}/rpc"), port=port, log_level="critical", ws="none", timeout_graceful_shutdown=2
    )
    ready = threading.Event()

    class Server(uvicorn.Server):
        async def startup(self, *args: Any, **options: Any) -> None:
            await super().startup(*args, **options)
            ready.set()

    server = Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    assert ready.wait(20)
    try:
        yield url
    finally:
        server.should_exit = True
        thread.join(10)
