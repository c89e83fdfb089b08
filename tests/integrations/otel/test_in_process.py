"""Spans of this process: whose they are, what is missing, and what stays behind."""

import asyncio
import subprocess
import sys
import threading
from typing import Any

import pytest
from tests.integrations.otel.spans import provider, tool_span

from rampart.core.errors import ConfigurationError
from rampart.core.tool_source import ToolSource, ToolWatch
from rampart.integrations.otel import OtelCollector
from rampart.integrations.otel.live_spans import attached_to


async def test_it_is_a_tool_source() -> None:
    with OtelCollector(tracer_provider=provider()) as collector:
        watch = await collector.watch_async(own_address=False)
        assert isinstance(collector, ToolSource)
        assert isinstance(watch, ToolWatch)
        assert collector.tells_sessions_apart


class TestTurns:
    async def test_each_turn_has_its_own_calls(self) -> None:
        made = provider()
        tracer = made.get_tracer("t")
        with OtelCollector(tracer_provider=made) as collector:
            watch = await collector.watch_async(own_address=False)
            for word in ("a", "b"):
                with watch.turn(), tool_span(tracer, "look", {"word": word}):
                    pass
                observation = await watch.take_async()
                assert [call.arguments for call in observation.tool_calls] == [{"word": word}]
                assert observation.missing == ""

    async def test_fifty_sessions_at_once(self) -> None:
        made = provider()
        tracer = made.get_tracer("t")

        def in_thread(n: int) -> None:
            with tool_span(tracer, "threaded", {"n": n}, gen_ai__tool__call__id="call-2"):
                pass

        async def converse(collector: OtelCollector, n: int) -> list[Any]:
            watch = await collector.watch_async(own_address=False)
            found = []
            for turn in range(2):
                with watch.turn():
                    with tool_span(tracer, "plain", {"n": n}, gen_ai__tool__call__id="call-1"):
                        await asyncio.sleep(0)
                    await asyncio.to_thread(in_thread, n)
                observation = await watch.take_async()
                assert observation.missing == "", turn
                found += [(call.name, call.id, call.arguments["n"]) for call in observation.tool_calls]
            await watch.close_async()
            return found

        with OtelCollector(tracer_provider=made) as collector:
            all_found = await asyncio.gather(*(converse(collector, n) for n in range(50)))
        for n, found in enumerate(all_found):
            assert found == [("plain", "call-1", n), ("threaded", "call-2", n)] * 2

    async def test_a_new_root_in_the_context_belongs_to_the_session(self) -> None:
        from opentelemetry.context import get_current
        from opentelemetry.trace import INVALID_SPAN, set_span_in_context

        made = provider()
        with OtelCollector(tracer_provider=made) as collector:
            watch = await collector.watch_async(own_address=False)
            with watch.turn():
                rootless = set_span_in_context(INVALID_SPAN, get_current())
                made.get_tracer("t").start_span(
                    "execute_tool a",
                    context=rootless,
                    attributes={
                        "gen_ai.operation.name": "execute_tool",
                        "gen_ai.tool.name": "a",
                        "gen_ai.tool.call.arguments": "{}",
                    },
                ).end()
            assert [call.name for call in (await watch.take_async()).tool_calls] == ["a"]

    async def test_no_span_of_rampart_is_made(self) -> None:
        from opentelemetry.sdk.trace.export import SimpleSpanProcessor
        from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

        made, exporter = provider(), InMemorySpanExporter()
        made.add_span_processor(SimpleSpanProcessor(exporter))
        with OtelCollector(tracer_provider=made) as collector:
            watch = await collector.watch_async(own_address=False)
            with watch.turn(), tool_span(made.get_tracer("t"), "a", {}):
                pass
        assert [span.name for span in exporter.get_finished_spans()] == ["execute_tool a"]


class TestMissing:
    async def test_a_call_outside_of_the_trace_makes_open_sessions_doubtful(self) -> None:
        made = provider()

        def stray() -> None:
            with tool_span(made.get_tracer("t"), "stray", {}):
                pass

        with OtelCollector(tracer_provider=made, silent_turns=True) as collector:
            watch = await collector.watch_async(own_address=False)
            with watch.turn():
                thread = threading.Thread(target=stray)
                thread.start()
                thread.join()
            observation = await watch.take_async()
            assert observation.tool_calls == []
            assert "execute_tool stray of a tool call belongs to no session's trace" in observation.missing
            assert (await watch.take_async()).missing == ""

    async def test_other_spans_outside_of_it_do_not(self) -> None:
        made = provider()
        with OtelCollector(tracer_provider=made, silent_turns=True) as collector:
            watch = await collector.watch_async(own_address=False)
            made.get_tracer("t").start_span("GET /").end()
            assert (await watch.take_async()).missing == ""

    async def test_one_session_at_a_time_has_them_all(self) -> None:
        made = provider()
        with OtelCollector(tracer_provider=made, one_session_at_a_time=True) as collector:
            assert not collector.tells_sessions_apart
            watch = await collector.watch_async(own_address=False)
            with tool_span(made.get_tracer("t"), "stray", {}):
                pass
            observation = await watch.take_async()
            assert [call.name for call in observation.tool_calls] == ["stray"]
            assert observation.missing == ""

    async def test_a_call_that_still_runs_is_told_once(self) -> None:
        made = provider()
        tracer = made.get_tracer("t")
        with OtelCollector(tracer_provider=made, grace_s=0, silent_turns=True) as collector:
            watch = await collector.watch_async(own_address=False)
            with watch.turn():
                running = tool_span(tracer, "slow", {"n": 1})
                running.__enter__()
                observation = await watch.take_async()
                running.__exit__(None, None, None)
            assert [(c.name, c.executed, c.result) for c in observation.tool_calls] == [("slow", True, None)]
            assert "execute_tool slow had not ended when the agent replied" in observation.missing
            later = await watch.take_async()
            assert (later.tool_calls, later.missing) == ([], "")

    async def test_one_that_ends_soon_is_waited_for(self) -> None:
        made = provider()
        with OtelCollector(tracer_provider=made, grace_s=60) as collector:
            watch = await collector.watch_async(own_address=False)
            with watch.turn():
                running = tool_span(made.get_tracer("t"), "slow", {"n": 1})
                span = running.__enter__()
                asyncio.get_running_loop().call_later(0.05, span.end)
            assert (await watch.take_async()).missing == ""

    async def test_dropped_spans_are_not_taken_for_silence(self) -> None:
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.sampling import ALWAYS_OFF

        made = TracerProvider(sampler=ALWAYS_OFF, shutdown_on_exit=False)
        with OtelCollector(tracer_provider=made) as collector:
            watch = await collector.watch_async(own_address=False)
            with watch.turn(), tool_span(made.get_tracer("t"), "a", {}):
                pass
            assert "no span of the agent arrived" in (await watch.take_async()).missing


class TestTheEnd:
    async def test_a_closed_collector_gathers_nothing(self) -> None:
        made = provider()
        collector = OtelCollector(tracer_provider=made, silent_turns=True)
        watch = await collector.watch_async(own_address=False)
        collector.close()
        collector.close()
        with watch.turn(), tool_span(made.get_tracer("t"), "a", {}):
            pass
        assert (await watch.take_async()).tool_calls == []
        with pytest.raises(ConfigurationError, match="closed; make another one"):
            collector.open()

    def test_a_provider_gets_one_processor(self) -> None:
        made = provider()
        for _ in range(3):
            OtelCollector(tracer_provider=made).open()
        assert len(made._active_span_processor._span_processors) == 1
        assert attached_to(made) is attached_to(made)

    async def test_late_spans_of_a_closed_session_harm_nobody(self) -> None:
        made = provider()
        with OtelCollector(tracer_provider=made, silent_turns=True) as collector:
            old, new = [await collector.watch_async(own_address=False) for _ in range(2)]
            with old.turn():
                late = tool_span(made.get_tracer("t"), "late", {})
                late.__enter__()
                await old.close_async()
                late.__exit__(None, None, None)
            observation = await new.take_async()
            assert (observation.tool_calls, observation.missing) == ([], "")


class TestProviders:
    def test_one_that_takes_no_processor(self) -> None:
        with pytest.raises(ConfigurationError, match="_NoProvider takes no span processor"):
            OtelCollector(tracer_provider=_NoProvider()).open()

    def test_a_negative_grace(self) -> None:
        with pytest.raises(ValueError, match=r"grace_s must be 0 or more seconds, got -1"):
            OtelCollector(grace_s=-1)

    @pytest.mark.parametrize("first", ["TracerProvider()", "None"])
    def test_the_global_one_is_used_or_made(self, first: str) -> None:
        code = f"""
import asyncio
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from rampart.integrations.otel import OtelCollector
first = {first}
if first is not None:
    trace.set_tracer_provider(first)
async def main():
    with OtelCollector() as collector:
        assert first is None or trace.get_tracer_provider() is first
        watch = await collector.watch_async(own_address=False)
        with watch.turn():
            with trace.get_tracer("t").start_as_current_span("x") as span:
                span.set_attribute("gen_ai.operation.name", "execute_tool")
                span.set_attribute("gen_ai.tool.name", "a")
        print([call.name for call in (await watch.take_async()).tool_calls])
asyncio.run(main())
"""
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert run.stdout == "['a']\n"


class _NoProvider:
    pass
