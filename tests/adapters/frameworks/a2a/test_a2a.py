"""What users of A2A agents meet, and where a verdict could lie."""

from typing import Any

import pytest
from tests.adapters.frameworks.library import need

need("a2a")

from a2a.helpers.proto_helpers import (  # noqa: E402 - likewise
    new_data_part,
)
from a2a.server.tasks import TaskUpdater  # noqa: E402 - likewise
from tests.adapters.frameworks.a2a.a2a_server import KEY  # noqa: E402 - likewise
from tests.adapters.frameworks.a2a.acting import (  # noqa: E402 - likewise
    Acting,
    Answering,
    call,
    reached,
    says,
    text,
    turns,
)

from rampart import (  # noqa: E402 - below what may skip the file
    InfrastructureError,
    ObservabilityLevel,
    Request,
)

pytestmark = [pytest.mark.framework, pytest.mark.filterwarnings("ignore::DeprecationWarning")]


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
