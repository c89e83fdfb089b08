"""What users of A2A agents meet, and where a verdict could lie."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from tests.adapters.frameworks.library import need

need("a2a")

import httpx  # noqa: E402 - only where it is installed
from a2a.client import ClientConfig, create_client  # noqa: E402 - likewise
from a2a.helpers.proto_helpers import (  # noqa: E402 - likewise
    new_data_part,
    new_task,
    new_text_message,
    new_text_part,
)
from a2a.server.agent_execution import AgentExecutor  # noqa: E402 - likewise
from a2a.server.tasks import TaskUpdater  # noqa: E402 - likewise
from a2a.types import Role, TaskState  # noqa: E402 - likewise
from starlette.applications import Starlette  # noqa: E402 - likewise
from starlette.responses import JSONResponse, PlainTextResponse  # noqa: E402 - likewise
from starlette.routing import Route  # noqa: E402 - likewise
from tests.adapters.frameworks.a2a.a2a_server import KEY, app, card  # noqa: E402 - likewise

from rampart import (  # noqa: E402 - below what may skip the file
    ConfigurationError,
    InfrastructureError,
    ObservabilityLevel,
    Request,
    Response,
)
from rampart.adapters import A2AAdapter  # noqa: E402 - likewise
from rampart.core.errors import ExecutionTimeoutError, RateLimitError, partial_of  # noqa: E402 - likewise

pytestmark = [pytest.mark.framework, pytest.mark.filterwarnings("ignore::DeprecationWarning")]

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


@pytest.fixture(params=[True, False], ids=["streaming", "at once"])
def streaming(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


class TestWhereTheTextIs:
    async def test_in_a_message(self, streaming: bool) -> None:
        [response] = await turns(Answering(), streaming=streaming)
        assert (response.text, response.tool_calls, response.usage) == ("Hello.", [], None)

    async def test_in_the_status(self, streaming: bool) -> None:
        [response] = await turns(Acting(says("COMPLETED", text("Done."))), streaming=streaming)
        assert response.text == "Done."
        assert response.metadata["task_state"] == "completed"

    async def test_in_an_artifact_and_again_in_the_status(self, streaming: bool) -> None:
        async def act(updater: TaskUpdater, context: Any) -> None:
            await updater.start_work(updater.new_agent_message([text("Thinking.")]))
            await updater.add_artifact([text("Report.")], artifact_id="a")
            await updater.complete(updater.new_agent_message([text("Report.")]))

        [response] = await turns(Acting(act), streaming=streaming)
        assert response.text == "Report."
        assert response.metadata["progress"] == ["Thinking."]

    async def test_in_chunks_of_an_artifact(self, streaming: bool) -> None:
        async def act(updater: TaskUpdater, context: Any) -> None:
            await updater.add_artifact([text("One, ")], artifact_id="a")
            await updater.add_artifact([text("two.")], artifact_id="a", append=True)
            await updater.complete()

        [response] = await turns(Acting(act), streaming=streaming)
        assert response.text == "One, two."

    async def test_nowhere(self, streaming: bool) -> None:
        [response] = await turns(Acting(says("COMPLETED")), streaming=streaming)
        assert (response.text, response.metadata["task_state"]) == ("", "completed")

    async def test_in_what_it_said_while_it_worked(self, streaming: bool) -> None:
        async def act(updater: TaskUpdater, context: Any) -> None:
            await updater.start_work(updater.new_agent_message([text("It is four.")]))
            await updater.complete()

        [response] = await turns(Acting(act), streaming=streaming)
        assert response.text == "It is four."


class TestContextsAndTasks:
    async def test_equal_artifacts_of_two_tasks_are_two(self, streaming: bool) -> None:
        async def act(updater: TaskUpdater, context: Any) -> None:
            await updater.add_artifact([text("Done."), new_data_part({KEY: call("1")})], artifact_id="a")
            await updater.complete()

        replies = await turns(Acting(act), 2, streaming=streaming, tool_calls=KEY)
        assert [(reply.text, len(reply.tool_calls)) for reply in replies] == [("Done.", 1)] * 2

    async def test_a_task_goes_on_only_where_input_is_required(self, streaming: bool) -> None:
        executor = Acting(
            says("INPUT_REQUIRED", text("Which?")), says("COMPLETED", text("That.")), says("COMPLETED")
        )
        replies = await turns(executor, 3, streaming=streaming)
        assert [reply.text for reply in replies] == ["Which?", "That.", ""]
        (first, asked), (second, same), (third, other) = executor.asked
        assert first == second == third
        assert asked == same != other

    async def test_artifacts_of_earlier_turns_are_not_said_again(self, streaming: bool) -> None:
        async def ask(updater: TaskUpdater, context: Any) -> None:
            await updater.add_artifact([text("Draft."), new_data_part({KEY: call("1")})], artifact_id="a")
            await updater.requires_input(updater.new_agent_message([text("Fine?")]))

        async def finish(updater: TaskUpdater, context: Any) -> None:
            await updater.add_artifact([text("Final."), new_data_part({KEY: call("2")})], artifact_id="b")
            await updater.complete()

        first, second = await turns(Acting(ask, finish), 2, streaming=streaming, tool_calls=KEY)
        assert (first.text, second.text) == ("Draft.\nFine?", "Final.")
        assert [[one.id for one in reply.tool_calls] for reply in (first, second)] == [["1"], ["2"]]

    async def test_each_session_has_a_context_of_its_own(self) -> None:
        executor = Acting(says("COMPLETED"))
        async with reached(executor) as adapter:
            for _ in range(2):
                async with await adapter.create_session_async() as session:
                    await session.send_async(Request(prompt="Go."))
        (one, _), (other, _) = executor.asked
        assert one != other


def call(call_id: str, **outcome: Any) -> dict[str, Any]:
    return {"id": call_id, "name": "add", "arguments": {"n": 1}, **outcome}


class TestCallsInDataParts:
    async def test_by_default_none_is_read(self) -> None:
        act = says("COMPLETED", new_data_part({KEY: call("1", result=2)}))
        async with reached(Acting(act)) as adapter:
            assert adapter.observability_profile is ObservabilityLevel.RESPONSE_ONLY
        [response] = await turns(Acting(act))
        assert response.tool_calls == []

    async def test_a_call_and_its_result_are_one(self, streaming: bool) -> None:
        async def act(updater: TaskUpdater, context: Any) -> None:
            for told in (call("1"), call("1", result={"sum": 3}, executed=True)):
                message = updater.new_agent_message([new_data_part({KEY: told})])
                await updater.start_work(message)
            await updater.complete()

        [response] = await turns(Acting(act), streaming=streaming, tool_calls=KEY)
        [seen] = response.tool_calls
        assert (seen.id, seen.name, seen.arguments) == ("1", "add", {"n": 1})
        assert (seen.result, seen.executed) == ({"sum": 3}, True)
        assert isinstance(seen.arguments["n"], int)

    async def test_a_function_finds_them(self) -> None:
        def find(data: Any) -> Any:
            return [{"name": step["do"], "arguments": {}} for step in data["steps"]]

        act = says("COMPLETED", new_data_part({"steps": [{"do": "look"}, {"do": "leap"}]}))
        [response] = await turns(Acting(act), tool_calls=find)
        assert [one.name for one in response.tool_calls] == ["look", "leap"]

    async def test_what_describes_no_call_is_an_error(self) -> None:
        act = says("COMPLETED", new_data_part({KEY: {"nom": "add"}}))
        with pytest.raises(InfrastructureError, match="name"):
            await turns(Acting(act), tool_calls=KEY)


class TestTasksThatDoNotComplete:
    @pytest.mark.parametrize("state", ["FAILED", "CANCELED"])
    async def test_failed_and_cancelled(self, state: str, streaming: bool) -> None:
        act = says(state, text("Sorry."), new_data_part({KEY: call("1", result=2, executed=True)}))
        with pytest.raises(InfrastructureError, match=f"ended as {state.lower()}: Sorry") as caught:
            await turns(Acting(act), streaming=streaming, tool_calls=KEY)
        partial = partial_of(caught.value)
        assert partial is not None
        assert (partial.text, len(partial.tool_calls)) == ("Sorry.", 1)

    async def test_a_rejection_is_a_reply(self, streaming: bool) -> None:
        [response] = await turns(Acting(says("REJECTED", text("I will not."))), streaming=streaming)
        assert (response.text, response.metadata["task_state"]) == ("I will not.", "rejected")

    async def test_credentials_are_asked_for(self, streaming: bool) -> None:
        with pytest.raises(ConfigurationError, match="asks for credentials"):
            await turns(Acting(says("AUTH_REQUIRED", text("Log in."))), streaming=streaming)

    @pytest.mark.parametrize(("status", "error"), [(429, RateLimitError), (401, ConfigurationError)])
    async def test_a_status_in_the_metadata(self, status: int, error: type[Exception]) -> None:
        with pytest.raises(error):
            await turns(Acting(says("FAILED", text("no"), status_code=status)))


def answering(status: int) -> Starlette:
    async def refuse(_: Any) -> Any:
        return PlainTextResponse("no", status_code=status)

    async def told(_: Any) -> Any:
        from a2a.server.routes.agent_card_routes import agent_card_to_dict

        return JSONResponse(agent_card_to_dict(card(f"{URL}/rpc")))

    return Starlette(
        routes=[Route("/.well-known/agent-card.json", told), Route("/rpc", refuse, methods=["POST"])]
    )


class TestTheConnection:
    @pytest.mark.parametrize(
        ("status", "error", "retryable"),
        [
            (429, RateLimitError, True),
            (401, ConfigurationError, None),
            (503, InfrastructureError, True),
        ],
    )
    async def test_a_status_of_http(
        self, status: int, error: type[Exception], retryable: bool | None
    ) -> None:
        async with (
            web(answering(status)) as http,
            await A2AAdapter(URL, http_client=http).create_session_async() as session,
        ):
            with pytest.raises(error) as caught:
                await session.send_async(Request(prompt="Go."))
        assert retryable is None or getattr(caught.value, "retryable", None) is retryable

    async def test_a_task_that_the_session_leaves_is_cancelled(self) -> None:
        executor = Acting(says("WORKING", text("Still at it.")))
        async with web(app(executor, f"{URL}/rpc", streaming=False)) as http:
            client = await create_client(URL, ClientConfig(httpx_client=http, polling=True))
            polling = A2AAdapter(client, poll_s=0.01, timeout_s=1)
            async with await polling.create_session_async() as session:
                with pytest.raises(ExecutionTimeoutError):
                    await session.send_async(Request(prompt="Go."))
        assert executor.cancelled == [task for _, task in executor.asked]

    async def test_a_time_out_of_the_client(self) -> None:
        def late(_: httpx.Request) -> httpx.Response:
            msg = "late"
            raise httpx.ReadTimeout(msg)

        async with httpx.AsyncClient(transport=httpx.MockTransport(late)) as http:
            adapter = A2AAdapter(card(f"{URL}/rpc"), http_client=http)
            async with await adapter.create_session_async() as session:
                with pytest.raises(InfrastructureError, match="A2AClientTimeoutError") as caught:
                    await session.send_async(Request(prompt="Go."))
        assert caught.value.retryable

    async def test_no_card(self) -> None:
        async with web(Starlette()) as http:
            session = await A2AAdapter(URL, http_client=http).create_session_async()
            with pytest.raises(ConfigurationError, match="AgentCardResolutionError"):
                await session.__aenter__()
            assert not http.is_closed

    async def test_a_client_that_is_given_stays_open(self) -> None:
        served = app(Answering(), f"{URL}/rpc")
        async with web(served) as http:
            client = await create_client(URL, ClientConfig(httpx_client=http))
            adapter = A2AAdapter(client)
            for _ in range(2):
                async with await adapter.create_session_async() as session:
                    assert (await session.send_async(Request(prompt="Go."))).text == "Hello."

    async def test_a_task_that_goes_on_after_the_answer_is_asked_about(self) -> None:
        served = app(Acting(says("COMPLETED", text("Done."))), f"{URL}/rpc", streaming=False)
        async with web(served) as http:
            config = ClientConfig(httpx_client=http, polling=True)
            client = await create_client(URL, config)
            async with await A2AAdapter(client, poll_s=0.01).create_session_async() as session:
                assert (await session.send_async(Request(prompt="Go."))).text == "Done."


class TestOptions:
    @pytest.mark.parametrize(
        ("agent", "options", "error", "told"),
        [
            ("ftp://x", {}, ValueError, "begins with http"),
            (1, {}, TypeError, "expected the URL of an A2A agent"),
            (URL, {"tool_calls": 1}, TypeError, "tool_calls must be a key"),
            (URL, {"tool_calls": ""}, ValueError, "must not be an empty key"),
            (URL, {"poll_s": 0}, ValueError, "poll_s must be above 0"),
            (URL, {"poll_s": "1"}, TypeError, "poll_s must be a number"),
        ],
    )
    def test_wrong_ones_are_refused(
        self, agent: Any, options: dict[str, Any], error: type[Exception], told: str
    ) -> None:
        with pytest.raises(error, match=told):
            A2AAdapter(agent, **options)
