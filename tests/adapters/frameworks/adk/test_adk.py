"""What users of Google's ADK meet, and where a verdict could lie."""

from typing import Any

import pytest
from tests.adapters.frameworks.library import need

need("google.adk")

from google.adk.plugins.base_plugin import BasePlugin  # noqa: E402 - likewise
from google.adk.runners import InMemoryRunner  # noqa: E402 - likewise
from google.adk.tools import FunctionTool, LongRunningFunctionTool  # noqa: E402 - likewise
from google.genai import types  # noqa: E402 - likewise
from tests.adapters.frameworks.adk.brain_model import answer  # noqa: E402 - likewise
from tests.adapters.frameworks.adk.scripted import (  # noqa: E402 - likewise
    agent,
    ask,
    mailing,
    say,
    turn,
)
from tests.adapters.frameworks.brain import TOOLS, send_email  # noqa: E402 - with the others

from rampart import InfrastructureError, Request  # noqa: E402 - likewise
from rampart.adapters import AdkAdapter  # noqa: E402 - below what may skip the file
from rampart.core.errors import partial_of  # noqa: E402 - likewise

pytestmark = [
    pytest.mark.framework,
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning"),
]


class TestCallsThatDoNotRun:
    @pytest.mark.parametrize("answered", [True, False])
    async def test_a_callback_of_the_agent_that_answers_for_the_tool(self, answered: bool) -> None:
        ran: list[str] = []

        def tool(to: str) -> str:
            ran.append(to)
            return "sent"

        def guard(tool: Any, args: Any, tool_context: Any) -> Any:
            return {"error": "not allowed"} if answered else None

        guarded = agent(ask("tool", to="ada"), say("Ok."), tools=[tool], before_tool_callback=guard)
        [call] = (await turn(guarded)).tool_calls
        assert call.executed is bool(ran)
        assert call.executed is not answered
        assert (call.error == "not allowed") is answered

    async def test_a_plugin_that_answers_for_the_tool(self) -> None:
        class Guard(BasePlugin):  # type: ignore[misc]  # untyped here
            async def before_tool_callback(self, **_: Any) -> Any:
                return {"error": "not allowed"}

        runner = InMemoryRunner(mailing(), plugins=[Guard(name="guard")])
        [call] = (await turn(runner)).tool_calls
        assert (call.executed, call.error) == (False, "not allowed")
        assert [plugin.name for plugin in runner.plugin_manager.plugins] == ["guard"]

    async def test_a_tool_that_waits_for_confirmation(self) -> None:
        tool = FunctionTool(send_email, require_confirmation=True)
        response = await turn(mailing(tools=[tool]))
        [call] = response.tool_calls
        assert (call.name, call.executed, call.arguments) == ("send_email", False, {"to": "ada"})
        assert response.metadata["pending"] == [{"question": "confirmation", "tool": "send_email"}]

    async def test_arguments_that_are_missing(self) -> None:
        [call] = (await turn(agent(ask("send_email"), say("Oh."), tools=[send_email]))).tool_calls
        assert call.executed is False
        assert "mandatory" in (call.error or "")

    async def test_a_tool_whose_result_looks_like_missing_arguments(self) -> None:
        def liar(to: str) -> dict[str, str]:
            return {"error": "Invoking `liar()` failed as the following mandatory input is missing"}

        [call] = (await turn(agent(ask("liar", to="a"), say("Oh."), tools=[liar]))).tool_calls
        assert call.executed is True


class TestCallsThatRun:
    async def test_a_long_running_tool(self) -> None:
        def approve(what: str) -> dict[str, str]:
            return {"status": "waits for the boss"}

        tool = LongRunningFunctionTool(approve)
        response = await turn(agent(ask("approve", what="x"), say("Asked."), tools=[tool]))
        [call] = response.tool_calls
        assert (call.executed, call.result) == (True, {"status": "waits for the boss"})
        assert response.metadata["long_running"] == ["approve"]

    async def test_an_error_that_a_callback_recovers(self) -> None:
        def recover(tool: Any, args: Any, tool_context: Any, error: Exception) -> Any:
            return {"result": "all is well"}

        explode = TOOLS[-1]
        recovering = agent(
            ask("explode", reason="x"), say("Well."), tools=[explode], on_tool_error_callback=recover
        )
        response = await turn(recovering)
        [call] = response.tool_calls
        assert call.executed is True
        assert "kaboom" in (call.error or "")
        assert response.text == "Well."

    async def test_a_raising_tool_beside_others(self) -> None:
        both = answer(
            *(
                types.Part(function_call=types.FunctionCall(id=f"c{n}", name=name, args=args))
                for n, (name, args) in enumerate(
                    [("send_email", {"to": "ada"}), ("explode", {"reason": "x"})], 1
                )
            )
        )
        async with await AdkAdapter(agent(both, tools=list(TOOLS))).create_session_async() as session:
            with pytest.raises(InfrastructureError, match="kaboom") as caught:
                await session.send_async(Request(prompt="Go."))
        partial = partial_of(caught.value)
        assert partial is not None
        mail, broken = partial.tool_calls
        assert (mail.executed, mail.result) == (True, "sent to ada")
        assert (broken.executed, broken.error) == (True, "RuntimeError: kaboom: x")

    async def test_tools_of_the_user_stay_as_they_are(self) -> None:
        tool = FunctionTool(send_email)
        before = set(vars(tool))
        given = mailing(tools=[tool])
        await turn(given)
        assert set(vars(tool)) == before
        assert given.tools == [tool]

    async def test_a_tool_that_cannot_be_copied_is_not_judged(self) -> None:
        class Alone(FunctionTool):  # type: ignore[misc]  # untyped here
            def __copy__(self) -> Any:
                msg = "there is one of me"
                raise TypeError(msg)

        [call] = (await turn(mailing(tools=[Alone(send_email)]))).tool_calls
        assert (call.executed, call.result) == (None, {"result": "sent to ada"})
