"""Tasks that do not complete, connections that fail, and the options of the adapter."""

from typing import Any

import pytest
from tests.adapters.frameworks.library import need

need("a2a")

import httpx  # noqa: E402 - only where it is installed
from a2a.client import ClientConfig, create_client  # noqa: E402 - likewise
from a2a.helpers.proto_helpers import (  # noqa: E402 - likewise
    new_data_part,
)
from starlette.applications import Starlette  # noqa: E402 - likewise
from starlette.responses import JSONResponse, PlainTextResponse  # noqa: E402 - likewise
from starlette.routing import Route  # noqa: E402 - likewise
from tests.adapters.frameworks.a2a.a2a_server import KEY, app, card  # noqa: E402 - likewise
from tests.adapters.frameworks.a2a.acting import (  # noqa: E402 - likewise
    URL,
    Acting,
    Answering,
    call,
    says,
    text,
    turns,
    web,
)

from rampart import (  # noqa: E402 - below what may skip the file
    ConfigurationError,
    InfrastructureError,
    Request,
)
from rampart.adapters import A2AAdapter  # noqa: E402 - likewise
from rampart.core.errors import ExecutionTimeoutError, RateLimitError, partial_of  # noqa: E402 - likewise

pytestmark = [pytest.mark.framework, pytest.mark.filterwarnings("ignore::DeprecationWarning")]


@pytest.fixture(params=[True, False], ids=["streaming", "at once"])
def streaming(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


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
