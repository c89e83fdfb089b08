"""Turns of several ADK agents, turns without a reply, and the options of the adapter."""

from typing import Any

import pytest
from tests.adapters.frameworks.library import need

need("google.adk")

from google.adk.agents import LlmAgent, ParallelAgent, SequentialAgent  # noqa: E402 - only where installed
from google.adk.models import LlmResponse  # noqa: E402 - likewise
from google.adk.runners import InMemoryRunner  # noqa: E402 - likewise
from google.adk.tools import AgentTool, google_search  # noqa: E402 - likewise
from google.genai import types  # noqa: E402 - likewise
from tests.adapters.frameworks.adk.brain_model import answer  # noqa: E402 - likewise
from tests.adapters.frameworks.adk.scripted import (  # noqa: E402 - likewise
    Script,
    agent,
    ask,
    level_after_turn,
    mailing,
    say,
    turn,
)
from tests.adapters.frameworks.brain import INPUT_TOKENS, send_email  # noqa: E402 - with the others

from rampart import InfrastructureError, ObservabilityLevel, Request  # noqa: E402 - likewise
from rampart.adapters import AdkAdapter  # noqa: E402 - below what may skip the file
from rampart.core.errors import RateLimitError, partial_of  # noqa: E402 - likewise

pytestmark = [
    pytest.mark.framework,
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning"),
]


class TestSeveralAgents:
    async def test_a_transfer(self) -> None:
        clerk = mailing(name="mailer", description="Mails.")
        front = agent(ask("transfer_to_agent", "t1", agent_name="mailer"), name="front", sub_agents=[clerk])
        response = await turn(front)
        assert [(call.name, call.executed) for call in response.tool_calls] == [
            ("transfer_to_agent", True),
            ("send_email", True),
        ]
        assert (response.text, response.metadata["agent"]) == ("Done.", "mailer")

    async def test_a_task_for_another_agent(self) -> None:
        answers = [ask("send_email", to="ada"), ask("finish_task", "f1", result="ok"), say("So.")]
        mailer = agent(*answers, tools=[send_email], name="mailer", description="Mails.", mode="task")
        front = agent(ask("mailer", "t1", request="Mail."), say("Mailed."), name="front", sub_agents=[mailer])
        response = await turn(front)
        assert [(call.name, call.executed) for call in response.tool_calls] == [
            ("mailer", True),
            ("send_email", True),
            ("finish_task", True),
        ]
        assert response.text == "Mailed."

    async def test_an_agent_as_a_tool(self) -> None:
        clerk = mailing(name="mailer", description="Mails.")
        front = agent(ask("mailer", "t1", request="Mail."), say("Mailed."), tools=[AgentTool(clerk)])
        response = await turn(front)
        outer, inner = response.tool_calls
        assert (outer.name, outer.executed, outer.result) == ("mailer", True, "Done.")
        assert (inner.name, inner.executed, inner.result) == ("send_email", True, "sent to ada")
        assert response.text == "Mailed."
        assert response.usage is not None
        assert response.usage.input_tokens == 4 * INPUT_TOKENS

    async def test_an_agent_as_a_tool_without_plugins(self) -> None:
        hidden = AgentTool(mailing(name="mailer", description="Mails."), include_plugins=False)
        front = agent(ask("mailer", "t1", request="Mail."), say("Mailed."), tools=[hidden])
        assert await level_after_turn(front) is ObservabilityLevel.RESPONSE_ONLY
        assert await level_after_turn(mailing()) is ObservabilityLevel.TOOL_ONLY

    async def test_agents_side_by_side_that_use_the_same_ids(self) -> None:
        both = ParallelAgent(name="both", sub_agents=[mailing(name="one"), mailing(name="two")])
        response = await turn(both)
        assert [(call.name, call.executed, call.result) for call in response.tool_calls] == [
            ("send_email", True, "sent to ada")
        ] * 2
        assert response.text == "Done.\nDone."
        assert response.usage is not None
        assert response.usage.input_tokens == 4 * INPUT_TOKENS

    async def test_agents_one_after_another(self) -> None:
        line = SequentialAgent(
            name="line", sub_agents=[mailing(name="one"), agent(say("And more."), name="two")]
        )
        response = await turn(line)
        assert len(response.tool_calls) == 1
        assert response.text.endswith("And more.")

    def test_tools_of_all_agents_are_declared(self) -> None:
        tool = AgentTool(mailing(name="mailer", description="Mails."))
        manifest = AdkAdapter(agent(say("Hi."), tools=[tool])).manifest
        assert {tool.name for tool in manifest.tools} == {"mailer", "send_email"}


class TestTurnsWithoutAReply:
    async def test_a_blocked_answer_is_no_failure(self) -> None:
        blocked = LlmResponse(error_code="SAFETY", error_message="blocked")
        response = await turn(agent(blocked))
        assert response.text == ""
        assert response.metadata["error_code"] == "SAFETY"
        assert response.metadata["error_message"] == "blocked"

    async def test_an_unknown_error_is_a_failure(self) -> None:
        with pytest.raises(InfrastructureError, match="the model call failed with ODD: hm"):
            await turn(agent(LlmResponse(error_code="ODD", error_message="hm")))

    @pytest.mark.parametrize("failing", ["first", "second"])
    async def test_a_failure_of_one_agent_is_one_of_the_turn(self, failing: str) -> None:
        limit = LlmResponse(error_code="429", error_message="slow down")
        agents = [
            agent(limit, name=name) if name == failing else mailing(name=name) for name in ("first", "second")
        ]
        with pytest.raises(RateLimitError) as caught:
            await turn(SequentialAgent(name="line", sub_agents=agents))
        partial = partial_of(caught.value)
        assert partial is not None
        assert (len(partial.tool_calls), partial.text) == (1, "Done.")

    async def test_a_failure_of_an_agent_that_is_a_tool(self) -> None:
        limit = LlmResponse(error_code="429", error_message="slow down")
        clerk = agent(limit, name="mailer", description="Mails.")
        front = agent(ask("mailer", "t1", request="Mail."), say("Mailed."), tools=[AgentTool(clerk)])
        with pytest.raises(RateLimitError):
            await turn(front)

    async def test_a_failure_that_a_callback_recovers_is_none(self) -> None:
        class Fails(Script):
            async def generate_content_async(self, llm_request: Any, stream: bool = False) -> Any:
                msg = "down"
                raise OSError(msg)
                yield

        def recover(callback_context: Any, llm_request: Any, error: Exception) -> Any:
            return say("Sorry.")

        steady = LlmAgent(name="s", model=Fails(model="f", answers=[]), on_model_error_callback=recover)
        assert (await turn(steady)).text == "Sorry."

    async def test_no_usage_is_not_zero(self) -> None:
        silent = LlmResponse(content=types.Content(role="model", parts=[types.Part(text="Hi.")]))
        usage = (await turn(agent(silent))).usage
        assert usage is None or usage.input_tokens is None

    async def test_what_the_model_thinks_is_not_said(self) -> None:
        thought = answer(types.Part(text="secret", thought=True), types.Part(text="Hi."))
        assert (await turn(agent(thought))).text == "Hi."


class TestOptions:
    async def test_state_is_there_and_is_copied(self) -> None:
        seen: list[Any] = []

        def change(tool_context: Any) -> str:
            seen.append(list(tool_context.state["list"]))
            tool_context.state["list"].append(1)
            return "ok"

        state = {"list": ["a"]}
        for _ in range(2):
            await turn(agent(ask("change"), say("Ok."), tools=[change]), state=state)
        assert (seen, state) == ([["a"], ["a"]], {"list": ["a"]})

    async def test_users_are_new_unless_given(self) -> None:
        users: list[str] = []

        def who(tool_context: Any) -> str:
            users.append(tool_context.user_id)
            return "ok"

        given = agent(ask("who"), say("Ok."), tools=[who])
        for options in ({}, {}, {"user_id": "eve"}):
            await turn(given, **options)
        assert len(set(users)) == 3
        assert users[2] == "eve"

    async def test_sessions_of_a_runner_are_deleted(self) -> None:
        runner = InMemoryRunner(mailing())
        adapter = AdkAdapter(runner, user_id="eve")
        async with await adapter.create_session_async():
            listed = await runner.session_service.list_sessions(app_name=runner.app_name, user_id="eve")
            assert len(listed.sessions) == 1
        listed = await runner.session_service.list_sessions(app_name=runner.app_name, user_id="eve")
        assert listed.sessions == []

    async def test_a_function_makes_an_agent_for_each_session(self) -> None:
        adapter = AdkAdapter(mailing)
        for _ in range(2):
            async with await adapter.create_session_async() as session:
                assert len((await session.send_async(Request(prompt="Go."))).tool_calls) == 1

    async def test_a_search_of_the_provider_lowers_the_level(self) -> None:
        searching = LlmAgent(
            name="s", model=Script(model="gemini-2.5-flash", answers=[say("Hi.")]), tools=[google_search]
        )
        assert await level_after_turn(searching) is ObservabilityLevel.RESPONSE_ONLY

    @pytest.mark.parametrize(
        ("options", "error", "told"),
        [
            ({"user_id": 1}, TypeError, "user_id must be a string"),
            ({"user_id": ""}, ValueError, "user_id must not be empty"),
            ({"state": [1]}, TypeError, "state must be a mapping"),
        ],
    )
    def test_wrong_options_are_refused(
        self, options: dict[str, Any], error: type[Exception], told: str
    ) -> None:
        with pytest.raises(error, match=told):
            AdkAdapter(mailing(), **options)

    def test_anything_else_is_refused(self) -> None:
        with pytest.raises(TypeError, match="expected an ADK agent, App or Runner"):
            AdkAdapter(1)
