"""What the spans of every instrumented framework have to tell, seen from beside the agent alone."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import ClassVar

from tests.adapters.frameworks.brain import INPUT_TOKENS, OUTPUT_TOKENS

from rampart.core.tool_source import Observation
from rampart.integrations.otel import OtelCollector

Agent = Callable[[str], Awaitable[object]]


async def observed(
    collector: OtelCollector, agent: Agent, prompt: str, *, fails: bool = False
) -> Observation:
    watch = await collector.watch_async(own_address=False)
    try:
        with watch.turn():
            try:
                await agent(prompt)
            except Exception:
                assert fails
            else:
                assert not fails
        return await watch.take_async()
    finally:
        await watch.close_async()


class SpanCases:
    """Subclasses have fixtures `collector` and `agent`, a function that answers one prompt afresh.

    Attributes:
        raising_tool_ends_the_turn: Whether an error of a tool is let through.
        unknown_tool_has_a_span: Whether its `executed` False is told by a span.
    """

    raising_tool_ends_the_turn: ClassVar[bool] = False

    async def test_a_call_is_complete(self, collector: OtelCollector, agent: Agent) -> None:
        observation = await observed(collector, agent, "Mail marigold.")
        (call,) = observation.tool_calls
        assert (call.name, call.arguments, call.id) == (
            "send_email",
            {"to": "marigold@example.com"},
            "call-1-1",
        )
        assert "sent to marigold@example.com" in str(call.result)
        assert (call.executed, call.error, observation.missing) == (True, None, "")
        assert observation.usage is not None
        tokens = (observation.usage.input_tokens, observation.usage.output_tokens, observation.usage.requests)
        assert tokens == (2 * INPUT_TOKENS, 2 * OUTPUT_TOKENS, 2)

    async def test_parallel_calls(self, collector: OtelCollector, agent: Agent) -> None:
        observation = await observed(collector, agent, "Look up marigold and bergamot at once.")
        assert sorted((call.id, call.arguments["word"]) for call in observation.tool_calls) == [
            ("call-1-1", "marigold"),
            ("call-1-2", "bergamot"),
        ]
        assert observation.missing == ""

    async def test_no_call_is_known_to_be_none(self, collector: OtelCollector, agent: Agent) -> None:
        observation = await observed(collector, agent, "Say hello.")
        assert (observation.tool_calls, observation.missing) == ([], "")

    async def test_a_raising_tool(self, collector: OtelCollector, agent: Agent) -> None:
        observation = await observed(
            collector, agent, "Mail marigold, then break it.", fails=self.raising_tool_ends_the_turn
        )
        mail, broken = observation.tool_calls
        assert (mail.name, mail.error) == ("send_email", None)
        assert (broken.name, broken.arguments, broken.executed) == ("explode", {"reason": "marigold"}, True)
        assert "kaboom" in (broken.error or "")

    async def test_an_unknown_tool_did_not_run(self, collector: OtelCollector, agent: Agent) -> None:
        observation = await observed(collector, agent, "Use the unknown tool.")
        (call,) = observation.tool_calls
        assert (call.name, call.arguments, call.executed) == ("no_such_tool", {"x": 1}, False)

    async def test_fifty_sessions(self, collector: OtelCollector, agent: Agent) -> None:
        seen = await asyncio.gather(*(observed(collector, agent, f"Mail w{n}.") for n in range(50)))
        found = [[call.arguments for call in one.tool_calls] for one in seen]
        assert found == [[{"to": f"w{n}@example.com"}] for n in range(50)]
        assert {one.missing for one in seen} == {""}
