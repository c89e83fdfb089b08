"""The cases that every adapter has to pass on the real framework, besides the public conformance suite.

Subclass `AgentCases` in `tests/adapters/frameworks/<framework>/`, with a fixture `make_adapter`: a function
`(**options) -> adapter` whose agent has the tools of `brain.TOOLS` and a model that does what
`brain.next_step` says. The class attributes say what the framework itself does in the cases in which
frameworks differ.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, ClassVar, Literal

import pytest
from tests.adapters.frameworks.brain import INPUT_TOKENS, OUTPUT_TOKENS

from rampart import (
    AgentAdapter,
    ConfigurationError,
    InfrastructureError,
    ObservabilityLevel,
    Probes,
    Request,
    Response,
    SafetyStatus,
    ToolCall,
    execute_trials_async,
)
from rampart.core.errors import ExecutionTimeoutError, RateLimitError, partial_of
from rampart.evaluators import ToolCalled, ToolExecuted
from rampart.testing import AdapterConformance

MakeAdapter = Callable[..., Any]
Outcome = Literal["ends the turn", "is told to the model"]

SESSIONS = 50


class AgentCases(AdapterConformance):
    """Each method is a case of the table in the docs, by its docstring's first line.

    Attributes:
        raising_tool: What the framework makes of a tool that raises.
        unknown_tool: What it makes of a tool that there is not.
        bad_arguments: What it makes of arguments that are no JSON; None where its model cannot write such.
        keeps_ids: Whether calls have the ids that the model gave them.
        reports_usage: Whether the framework counts tokens at all.
        error_names_cause: Whether the text of the tool's exception can be known.
    """

    prompt: ClassVar[str] = "Say hello."
    memory_prompts: ClassVar[tuple[str, str] | None] = ("Remember the word {word}.", "Which word?")
    tool_prompt: ClassVar[str | None] = "Mail {word}."
    expected_tools: ClassVar[tuple[str, ...]] = ("send_email",)
    failing_prompt: ClassVar[str | None] = "Hit the limit."

    raising_tool: ClassVar[Outcome] = "is told to the model"
    unknown_tool: ClassVar[Outcome] = "is told to the model"
    bad_arguments: ClassVar[Outcome | None] = "is told to the model"
    keeps_ids: ClassVar[bool] = True
    reports_usage: ClassVar[bool] = True
    error_names_cause: ClassVar[bool] = True

    @pytest.fixture
    def adapter(self, make_adapter: MakeAdapter) -> AgentAdapter:
        adapter: AgentAdapter = make_adapter()
        return adapter

    async def test_a_call_is_complete(self, adapter: AgentAdapter) -> None:
        """A call has its id, name, arguments and result, and is known to have run."""
        [response] = await _converse(adapter, "Mail marigold.")
        [call] = response.tool_calls
        self._expect_mail([call], "marigold", call_id="call-1-1")
        assert "marigold" in response.text

    async def test_nested_arguments_are_parsed(self, adapter: AgentAdapter) -> None:
        """Nested arguments arrive parsed."""
        [response] = await _converse(adapter, "Order paper.")
        [call] = response.tool_calls
        assert call.arguments == {"lines": ["paper", "glue"], "note": {"express": True}}
        assert call.raw_arguments is None
        assert "express: True" in _text(call.result)

    async def test_each_turn_reports_its_own_calls(self, adapter: AgentAdapter) -> None:
        """Every turn reports its own calls, and no earlier ones."""
        first, second, third = await _converse(adapter, "Mail marigold.", "Mail bergamot.", "Say hello.")
        self._expect_mail(first.tool_calls, "marigold", call_id="call-1-1")
        self._expect_mail(second.tool_calls, "bergamot", call_id="call-2-1")
        assert third.tool_calls == []

    async def test_parallel_calls(self, adapter: AgentAdapter) -> None:
        """Parallel calls are all there, each with its own result, in the order of the request."""
        [response] = await _converse(adapter, "Look up marigold and bergamot at once.")
        first, second = response.tool_calls
        self._expect_lookup(first, "marigold", call_id="call-1-1")
        self._expect_lookup(second, "bergamot", call_id="call-1-2")

    async def test_calls_one_after_another(self, adapter: AgentAdapter) -> None:
        """Calls of several steps are all there, in order."""
        [response] = await _converse(adapter, "Look up marigold, then bergamot.")
        first, second = response.tool_calls
        self._expect_lookup(first, "marigold", call_id="call-1-1")
        self._expect_lookup(second, "bergamot", call_id="call-1-2")

    async def test_usage_is_of_the_turn(self, adapter: AgentAdapter) -> None:
        """Usage is that of the turn, never cumulative."""
        responses = await _converse(adapter, "Mail marigold.", "Say hello.", "Mail bergamot.")
        if not self.reports_usage:
            assert [response.usage for response in responses] == [None, None, None]
            return
        counted = [(r.usage.input_tokens, r.usage.output_tokens) for r in responses if r.usage is not None]
        assert counted == [(steps * INPUT_TOKENS, steps * OUTPUT_TOKENS) for steps in (2, 1, 2)]

    async def test_a_raising_tool(self, adapter: AgentAdapter) -> None:
        """A tool that raises: the call is there with its error, and those before it too."""
        response = await self._turn(adapter, "Mail marigold, then break it.", self.raising_tool)
        mail, broken = response.tool_calls
        self._expect_mail([mail], "marigold", call_id="call-1-1")
        assert (broken.name, broken.arguments) == ("explode", {"reason": "marigold"})
        assert broken.executed is True
        assert broken.error
        assert not self.error_names_cause or "kaboom: marigold" in broken.error

    async def test_an_unknown_tool(self, adapter: AgentAdapter) -> None:
        """An unknown tool: the call is there and is known not to have run."""
        response = await self._turn(adapter, "Use the unknown tool.", self.unknown_tool)
        [call] = response.tool_calls
        assert (call.name, call.arguments, call.executed) == ("no_such_tool", {"x": 1}, False)

    async def test_malformed_arguments(self, adapter: AgentAdapter) -> None:
        """Arguments that are no JSON: the call is there with the text, and is known not to have run."""
        if self.bad_arguments is None:
            pytest.skip("the framework's model cannot write such arguments")
        response = await self._turn(adapter, "Write bad arguments.", self.bad_arguments)
        [call] = response.tool_calls
        assert (call.name, call.arguments, call.executed) == ("lookup", {}, False)
        assert (call.raw_arguments or "").startswith('{"word":')

    async def test_a_rate_limit(self, adapter: AgentAdapter) -> None:
        """A rate limit is a RateLimitError that may be tried again; what was done before it is kept."""
        async with await adapter.create_session_async() as session:
            with pytest.raises(RateLimitError) as caught:
                await session.send_async(Request(prompt="Mail marigold, then hit the limit."))
        assert caught.value.retryable
        self._expect_mail(_partial(caught.value).tool_calls, "marigold", call_id="call-1-1")

    async def test_refused_credentials(self, adapter: AgentAdapter) -> None:
        """Refused credentials are a ConfigurationError."""
        async with await adapter.create_session_async() as session:
            with pytest.raises(ConfigurationError):
                await session.send_async(Request(prompt="Be refused."))

    async def test_a_time_out(self, make_adapter: MakeAdapter) -> None:
        """A turn out of time is an ExecutionTimeoutError; what was done before it is kept."""
        adapter = make_adapter(timeout_s=2.5)
        async with await adapter.create_session_async() as session:
            with pytest.raises(ExecutionTimeoutError) as caught:
                await session.send_async(Request(prompt="Mail marigold, then hang."))
        self._expect_mail(_partial(caught.value).tool_calls, "marigold", call_id="call-1-1")

    async def test_a_cancellation(self, adapter: AgentAdapter) -> None:
        """A turn that is cancelled carries what was done before."""
        async with await adapter.create_session_async() as session:
            turn = asyncio.create_task(session.send_async(Request(prompt="Mail marigold, then hang.")))
            await asyncio.sleep(1)
            turn.cancel()
            with pytest.raises(asyncio.CancelledError) as caught:
                await turn
        self._expect_mail(_partial(caught.value).tool_calls, "marigold", call_id="call-1-1")

    async def test_no_message_after_an_error(self, adapter: AgentAdapter) -> None:
        """A session that failed takes no further message; a new one works."""
        async with await adapter.create_session_async() as session:
            with pytest.raises(RateLimitError):
                await session.send_async(Request(prompt="Hit the limit."))
            with pytest.raises(RuntimeError, match="failed in an earlier turn"):
                await session.send_async(Request(prompt="Say hello."))
        [response] = await _converse(adapter, "Say hello.")
        assert response.text == "Hello."

    async def test_fifty_sessions(self, adapter: AgentAdapter) -> None:
        """Fifty sessions at once: no call is lost, doubled or in the wrong session."""
        everybody = asyncio.Barrier(SESSIONS)

        async def converse(number: int) -> list[Response]:
            async with await adapter.create_session_async() as session:
                await everybody.wait()
                return [
                    await session.send_async(Request(prompt=prompt))
                    for prompt in (
                        f"Mail a{number}.",
                        f"Look up b{number} and c{number} at once.",
                        "Say hello.",
                    )
                ]

        for number, replies in enumerate(await asyncio.gather(*map(converse, range(SESSIONS)))):
            calls = [
                [(call.name, *call.arguments.values()) for call in reply.tool_calls] for reply in replies
            ]
            mail = [("send_email", f"a{number}@example.com")]
            assert calls == [mail, [("lookup", f"b{number}"), ("lookup", f"c{number}")], []]

    async def test_the_manifest_declares_the_tools(self, adapter: AgentAdapter) -> None:
        """The manifest declares the agent's tools with their parameters."""
        tool = adapter.manifest.get_tool("send_email")
        assert tool is not None
        assert "to" in tool.parameters
        assert adapter.manifest.declares_tool("explode")

    async def test_under_the_engine(self, adapter: AgentAdapter) -> None:
        """Probes over it are judged right, in trials too."""
        assert adapter.observability_profile is not ObservabilityLevel.RESPONSE_ONLY

        def mails() -> Any:
            return Probes.behavior(
                prompt="Mail ada.", evaluator=ToolExecuted("send_email", to="ada@example.com")
            )

        population = await execute_trials_async(execution_factory=mails, adapter=adapter, n=6)
        assert [result.status for result in population.results] == [SafetyStatus.SAFE] * 6
        harmless = await Probes.behavior(
            prompt="Say hello.", evaluator=ToolCalled("send_email")
        ).execute_async(adapter=adapter)
        assert harmless.status is SafetyStatus.UNSAFE

    def _expect_mail(self, calls: list[ToolCall], word: str, *, call_id: str) -> None:
        [call] = calls
        to = f"{word}@example.com"
        self._expect(call, "send_email", {"to": to}, f"sent to {to}", call_id)

    def _expect_lookup(self, call: ToolCall, word: str, *, call_id: str) -> None:
        self._expect(call, "lookup", {"word": word}, f"{word} is {word[::-1]} backwards", call_id)

    def _expect(
        self, call: ToolCall, name: str, arguments: dict[str, Any], result: str, call_id: str
    ) -> None:
        assert (call.name, call.arguments, call.raw_arguments) == (name, arguments, None)
        assert call.id == call_id or (not self.keeps_ids and call.id)
        assert (call.executed, call.error) == (True, None)
        assert result in _text(call.result)
        assert call.timestamp is None or call.timestamp.tzinfo is not None

    async def _turn(self, adapter: AgentAdapter, prompt: str, outcome: Outcome) -> Response:
        """The response, or the partial one of a turn that has to fail."""
        async with await adapter.create_session_async() as session:
            if outcome == "is told to the model":
                return await session.send_async(Request(prompt=prompt))
            with pytest.raises(InfrastructureError) as caught:
                await session.send_async(Request(prompt=prompt))
        return _partial(caught.value)


async def _converse(adapter: AgentAdapter, *prompts: str) -> list[Response]:
    async with await adapter.create_session_async() as session:
        return [await session.send_async(Request(prompt=prompt)) for prompt in prompts]


def _partial(error: BaseException) -> Response:
    partial = partial_of(error)
    assert partial is not None
    return partial


def _text(result: object) -> str:
    return result if isinstance(result, str) else repr(result)
