"""Spans of other processes, sent over OTLP to loopback."""

import asyncio
import gzip
import json
import subprocess
import sys
import urllib.error
import urllib.request
from typing import Any

import pytest

from rampart.integrations.otel import OtelCollector
from rampart.integrations.otel.session_watch import SpanWatch

JSON = "application/json"
PROTOBUF = "application/x-protobuf"


def post(url: str, body: bytes, *, kind: str = JSON, **headers: str) -> int:
    request = urllib.request.Request(
        f"{url}/v1/traces",
        data=body,
        headers={"Content-Type": kind} | {k.replace("_", "-"): v for k, v in headers.items()},
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return int(error.code)


def span(
    name: str = "track", *, trace: str = "ab" * 16, number: int = 1, parent: str = "", arguments: Any = None
) -> dict[str, Any]:
    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name}
    return {
        "traceId": trace,
        "spanId": f"{number:016x}",
        "parentSpanId": parent,
        "name": f"execute_tool {name}",
        "startTimeUnixNano": "1700000000000000000",
        "endTimeUnixNano": "1600000000000000000",
        "attributes": [
            *({"key": key, "value": {"stringValue": value}} for key, value in attributes.items()),
            {
                "key": "gen_ai.tool.call.arguments",
                "value": {
                    "kvlistValue": {"values": [{"key": "n", "value": {"intValue": str(arguments or 0)}}]}
                },
            },
        ],
    }


def message(*spans: dict[str, Any]) -> bytes:
    scope = {"scope": {"name": "other.language"}, "spans": list(spans)}
    return json.dumps({"resourceSpans": [{"resource": {}, "scopeSpans": [scope]}]}).encode()


async def watched(collector: OtelCollector) -> tuple[SpanWatch, str]:
    watch = await collector.watch_async(own_address=True)
    return watch, watch.address.endpoint


class TestRoutes:
    async def test_fifty_sessions_with_addresses_of_their_own(self) -> None:
        async def converse(n: int) -> list[Any]:
            watch, url = await watched(collector)
            status = await asyncio.to_thread(post, url, message(span(arguments=n)))
            observation = await watch.take_async()
            assert (status, observation.missing) == (200, "")
            return [call.arguments for call in observation.tool_calls]

        with OtelCollector(in_process=False) as collector:
            found = await asyncio.gather(*(converse(n) for n in range(50)))
        assert found == [[{"n": n}] for n in range(50)]

    async def test_the_trace_of_a_turn_at_the_address_for_everybody(self) -> None:
        with OtelCollector(in_process=False, grace_s=0, silent_turns=True) as collector:
            first, second = [await collector.watch_async(own_address=False) for _ in range(2)]
            with first.turn(), second.turn():
                _, trace, parent, _ = (second.address.traceparent or "").split("-")
                assert first.address.endpoint == second.address.endpoint == collector.endpoint
                body = message(span(trace=trace, parent=parent, arguments=5))
                assert await asyncio.to_thread(post, collector.endpoint, body) == 200
            seen, none = await second.take_async(), await first.take_async()
            assert [call.arguments for call in seen.tool_calls] == [{"n": 5}]
            assert (none.tool_calls, none.missing, seen.missing) == ([], "", "")

    async def test_a_trace_of_nobody_makes_open_sessions_doubtful(self) -> None:
        with OtelCollector(in_process=False, grace_s=0, silent_turns=True) as collector:
            watch = await collector.watch_async(own_address=False)
            await asyncio.to_thread(post, collector.endpoint, message(span()))
            observation = await watch.take_async()
            assert observation.tool_calls == []
            assert "belongs to no session's trace" in observation.missing

    async def test_baggage_that_became_an_attribute(self) -> None:
        from opentelemetry.baggage import get_baggage

        with OtelCollector(in_process=False) as collector:
            watch = await collector.watch_async(own_address=False)
            with watch.turn():
                token = get_baggage("rampart.session")
            told = span(arguments=3)
            told["attributes"].append({"key": "rampart.session", "value": {"stringValue": token}})
            await asyncio.to_thread(post, collector.endpoint, message(told))
            assert [call.arguments for call in (await watch.take_async()).tool_calls] == [{"n": 3}]

    async def test_a_child_process_told_by_its_environment(self) -> None:
        code = """
import os, sys, urllib.request
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
_, trace, parent, _ = os.environ["TRACEPARENT"].split("-")
request = ExportTraceServiceRequest()
span = request.resource_spans.add().scope_spans.add().spans.add()
span.trace_id, span.span_id, span.parent_span_id = bytes.fromhex(trace), b"12345678", bytes.fromhex(parent)
span.name, span.start_time_unix_nano, span.end_time_unix_nano = "execute_tool pay", 1, 2
for key, value in {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "pay",
                   "gen_ai.tool.call.arguments": '{"to": "x"}'}.items():
    span.attributes.add(key=key).value.string_value = value
span.status.code, span.status.message = 2, "refused"
urllib.request.urlopen(urllib.request.Request(
    os.environ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"], data=request.SerializeToString(),
    headers={"Content-Type": "application/x-protobuf"})).close()
"""
        with OtelCollector(in_process=False) as collector:
            watch = await collector.watch_async(own_address=True)
            with watch.turn():
                environment = watch.address.environment
                run = [sys.executable, "-c", code]
                await asyncio.to_thread(subprocess.run, run, env=environment, check=True)
            (call,) = (await watch.take_async()).tool_calls
            assert (call.name, call.arguments, call.error) == ("pay", {"to": "x"}, "refused")
            assert watch.address.traceparent is None


class TestWaiting:
    async def test_spans_that_come_after_the_reply(self) -> None:
        with OtelCollector(in_process=False, grace_s=60) as collector:
            watch, url = await watched(collector)
            taking = asyncio.create_task(watch.take_async())
            await asyncio.sleep(0)
            assert not taking.done()
            await asyncio.to_thread(post, url, message(span()))
            assert len((await taking).tool_calls) == 1

    async def test_a_parent_that_does_not_come(self) -> None:
        with OtelCollector(in_process=False, grace_s=0) as collector:
            watch, url = await watched(collector)
            await asyncio.to_thread(post, url, message(span(parent="f" * 16)))
            observation = await watch.take_async()
            assert len(observation.tool_calls) == 1
            assert "the parent of execute_tool track did not arrive within 0 s" in observation.missing

    async def test_a_parent_in_another_program_is_not_waited_for(self) -> None:
        with OtelCollector(in_process=False, grace_s=60) as collector:
            watch, url = await watched(collector)
            await asyncio.to_thread(post, url, message(span(parent="f" * 16) | {"flags": 0x301}))
            assert (await watch.take_async()).missing == ""

    async def test_what_is_sent_again_counts_once(self) -> None:
        with OtelCollector(in_process=False, grace_s=0, silent_turns=True) as collector:
            watch, url = await watched(collector)
            for _ in range(2):
                await asyncio.to_thread(post, url, message(span()))
            assert len((await watch.take_async()).tool_calls) == 1
            await asyncio.to_thread(post, url, message(span()))
            assert (await watch.take_async()).tool_calls == []


class TestHostileRequests:
    @pytest.mark.parametrize(
        ("body", "kind", "headers", "status"),
        [
            (b"{", JSON, {}, 400),
            (b"[]", JSON, {}, 400),
            (b'{"resourceSpans": 7}', JSON, {}, 400),
            (b'{"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": "x"}]}]}]}', JSON, {}, 400),
            (b"[" * 100_000, JSON, {}, 400),
            (b"\xff" * 50, PROTOBUF, {}, 400),
            (b"\x0a\x05\x12\x03\x0a\x01\xff", PROTOBUF, {}, 400),
            (b"not zipped", JSON, {"Content_Encoding": "gzip"}, 400),
            (gzip.compress(b"{}" * 100)[:-9], JSON, {"Content_Encoding": "gzip"}, 400),
            (gzip.compress(b" " * (65 * 1024 * 1024)), JSON, {"Content_Encoding": "gzip"}, 400),
            (b"{}", JSON, {"Content_Encoding": "br"}, 400),
            (b"{}", "text/plain", {}, 415),
            (b" " * (16 * 1024 * 1024 + 1), JSON, {}, 413),
        ],
    )
    async def test_it_is_refused_and_noted(
        self, body: bytes, kind: str, headers: dict[str, str], status: int
    ) -> None:
        with OtelCollector(in_process=False, grace_s=0, silent_turns=True) as collector:
            (watch, url), (other, _) = await watched(collector), await watched(collector)
            assert await asyncio.to_thread(post, url, body, kind=kind, **headers) == status
            assert "could not be taken" in (await watch.take_async()).missing
            assert (await other.take_async()).missing == ""

    async def test_an_address_that_nobody_has(self) -> None:
        with OtelCollector(in_process=False, grace_s=0, silent_turns=True) as collector:
            watch, url = await watched(collector)
            strange = url[:-32] + "0" * 32
            assert await asyncio.to_thread(post, strange, message(span())) == 404
            assert (await watch.take_async()).missing == ""

    async def test_gzip_and_metrics_are_taken(self) -> None:
        with OtelCollector(in_process=False) as collector:
            watch, url = await watched(collector)
            body = gzip.compress(message(span()))
            assert await asyncio.to_thread(post, url, body, Content_Encoding="gzip") == 200
            assert len((await watch.take_async()).tool_calls) == 1

    async def test_a_hundred_thousand_spans_and_one(self) -> None:
        with OtelCollector(in_process=False, grace_s=0) as collector:
            watch, url = await watched(collector)
            tiny = [{"traceId": "ab" * 16, "spanId": f"{n:016x}", "name": "x"} for n in range(1, 100_001)]
            assert await asyncio.to_thread(post, url, message(*tiny, span(number=100_001))) == 200
            assert "more than 100000 spans" in (await watch.take_async()).missing

    async def test_text_that_is_no_text(self) -> None:
        with OtelCollector(in_process=False) as collector:
            watch, url = await watched(collector)
            await asyncio.to_thread(post, url, message(span(name="\ud800\x00pay")))
            (call,) = (await watch.take_async()).tool_calls
            assert call.name.endswith("pay")
