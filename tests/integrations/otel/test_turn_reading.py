"""What the spans of a turn mean: which calls there were, and whether some may be missing."""

from typing import Any

import pytest
from tests.integrations.otel.spans import asking, model, saying, span, tool

from rampart.core.tool_source import Observation
from rampart.core.types import ToolCall, Usage
from rampart.integrations.otel.collected_span import MAX_TEXT, CollectedSpan
from rampart.integrations.otel.turn_reading import observe


def seen(*spans: CollectedSpan, **options: Any) -> Observation:
    return observe(spans, silent_turns=options.pop("silent_turns", False), **options)


def only(observation: Observation) -> ToolCall:
    (call,) = observation.tool_calls
    return call


class TestCalls:
    def test_a_span_of_a_tool_is_a_call_that_ran(self) -> None:
        call = only(
            seen(tool(1, "track", {"parcel": 17}, id="c1", attributes={"gen_ai.tool.call.result": "Utrecht"}))
        )
        assert (call.name, call.arguments, call.id, call.result) == ("track", {"parcel": 17}, "c1", "Utrecht")
        assert (call.executed, call.error) == (True, None)
        assert call.timestamp is not None
        assert call.timestamp.timestamp() == 1

    def test_calls_come_in_the_order_in_which_they_began(self) -> None:
        observation = seen(tool(3, "c", {}), tool(1, "a", {}), tool(2, "b", {}))
        assert [call.name for call in observation.tool_calls] == ["a", "b", "c"]
        assert observation.missing == ""

    def test_an_exception_is_the_error(self) -> None:
        broken = tool(1, "explode", {}, failed=True)
        broken.add_event(
            "exception", {"exception.type": "RuntimeError", "exception.message": "kaboom"}.items()
        )
        assert only(seen(broken)).error == "RuntimeError: kaboom"

    @pytest.mark.parametrize(
        ("attributes", "more", "error"),
        [
            ({"error.type": "ValueError"}, {}, "ValueError"),
            ({}, {"failed": True, "status_text": "no such parcel"}, "no such parcel"),
            ({}, {"failed": True}, "the span failed, and does not say why"),
        ],
    )
    def test_failures_are_errors(self, attributes: dict[str, Any], more: dict[str, Any], error: str) -> None:
        assert only(seen(tool(1, "explode", {}, attributes=attributes, **more))).error == error

    def test_a_message_tells_arguments_and_id_that_the_span_hides(self) -> None:
        observation = seen(model(1, asking(("c1", "track", {"parcel": 17}))), tool(2, "track"))
        assert (only(observation).arguments, only(observation).id) == ({"parcel": 17}, "c1")
        assert observation.missing == ""

    def test_a_call_without_a_span_may_not_have_run(self) -> None:
        observation = seen(model(1, asking(("c1", "track", {"parcel": 17}))), model(2, saying("Done.")))
        assert (only(observation).executed, only(observation).arguments) == (None, {"parcel": 17})

    def test_a_tool_that_nobody_offered_never_ran(self) -> None:
        offered = {"gen_ai.tool.definitions": '[{"type": "function", "name": "track"}]'}
        observation = seen(model(1, asking(("c1", "no_such_tool", {})), attributes=offered))
        assert only(observation).executed is False

    def test_two_equal_calls_are_two(self) -> None:
        asked = asking(("c1", "track", {"parcel": 1}), ("c2", "track", {"parcel": 1}))
        observation = seen(
            model(1, asked),
            tool(2, "track", {"parcel": 1}, id="c1"),
            tool(3, "track", {"parcel": 1}, id="c2"),
        )
        assert [call.id for call in observation.tool_calls] == ["c1", "c2"]

    def test_an_earlier_turn_in_the_history_is_no_call_of_this_one(self) -> None:
        history = {"gen_ai.input.messages": asking(("old", "track", {"parcel": 1}))}
        assert seen(model(1, saying("Hello."), attributes=history)).tool_calls == []

    def test_an_answer_that_was_there_before_the_question_is_not_its_result(self) -> None:
        answer = '[{"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "result": "old"}]}]'
        before = {"gen_ai.input.messages": answer}
        assert only(seen(model(1, asking(("c1", "track", {})), attributes=before))).result is None
        assert (
            only(seen(model(1, asking(("c1", "track", {}))), model(2, saying("x"), attributes=before))).result
            == "old"
        )


class TestOnceEach:
    def test_two_instrumentations_see_one_call(self) -> None:
        outer = tool(1, "track", {"parcel": 17})
        inner = tool(2, "track", parent=1, scope="mcp", attributes={"gen_ai.tool.call.result": "Utrecht"})
        call = only(seen(outer, inner))
        assert (call.arguments, call.result) == ({"parcel": 17}, "Utrecht")

    def test_the_server_of_a_tool_may_stand_before_its_name(self) -> None:
        assert (
            only(seen(tool(1, "parcels_track", {}), tool(2, "track", parent=1, scope="mcp"))).name
            == "parcels_track"
        )

    def test_beside_each_other_they_are_told_by_their_id(self) -> None:
        assert (
            only(seen(tool(1, "track", {}, id="c1"), tool(2, "track", {}, id="c1", scope="other"))).id == "c1"
        )

    @pytest.mark.parametrize(
        "inner",
        [
            tool(2, "track", {}, parent=1),
            tool(2, "lookup", {}, parent=1, scope="other"),
            tool(2, "track", {}, parent=1, scope="other", id="c2"),
        ],
        ids=["the same instrumentation", "another tool", "another id"],
    )
    def test_what_differs_is_two_calls(self, inner: CollectedSpan) -> None:
        assert len(seen(tool(1, "track", {}, id="c1"), inner).tool_calls) == 2

    def test_a_sub_agents_call_is_not_that_of_the_tool_that_it_is(self) -> None:
        agent = span(2, {"gen_ai.operation.name": "invoke_agent"}, parent=1)
        observation = seen(tool(1, "track", {}), agent, tool(3, "track", {}, parent=2, scope="other"))
        assert len(observation.tool_calls) == 2

    def test_one_tool_that_calls_a_server_twice_made_two_calls(self) -> None:
        spans = [tool(1, "track", {}), *(tool(n, "track", {}, parent=1, scope="mcp") for n in (2, 3))]
        assert len(seen(*spans).tool_calls) == 2


class TestUsage:
    def test_models_are_summed_and_agents_left_out(self) -> None:
        agent = span(1, {"gen_ai.operation.name": "invoke_agent", "gen_ai.usage.input_tokens": 20})
        usage = seen(agent, model(2, saying("a"), parent=1), model(3, saying("b"), parent=1)).usage
        assert usage == Usage(input_tokens=20, output_tokens=10, requests=2)

    def test_a_model_within_a_model_is_the_same_one(self) -> None:
        usage = seen(model(1, saying("a")), model(2, saying("a"), parent=1, scope="openai")).usage
        assert usage == Usage(input_tokens=10, output_tokens=5, requests=1)

    def test_what_one_model_does_not_tell_is_not_known(self) -> None:
        usage = seen(model(1, saying("a")), model(2, saying("b"), tokens=None)).usage
        assert usage == Usage(requests=2)

    def test_agents_count_where_no_model_is_seen(self) -> None:
        outer = span(1, {"gen_ai.operation.name": "invoke_agent", "gen_ai.usage.input_tokens": 20})
        inner = span(2, {"gen_ai.operation.name": "invoke_agent", "gen_ai.usage.input_tokens": 8}, parent=1)
        assert seen(outer, inner).usage == Usage(input_tokens=20)

    def test_nothing_told_is_nothing_known(self) -> None:
        assert seen(tool(1, "track", {})).usage is None


class TestMissing:
    def test_no_span_at_all(self) -> None:
        assert seen().missing.startswith("no span of the agent arrived in this turn")
        assert seen(silent_turns=True).missing == ""

    def test_spans_of_other_things_say_nothing(self) -> None:
        assert "no span of the agent" in seen(span(1, {"http.request.method": "GET"})).missing

    def test_hidden_arguments_and_how_to_show_them(self) -> None:
        observation = seen(tool(1, "track", scope="agent_framework"))
        assert only(observation).arguments == {}
        assert "the arguments of track are not in the spans" in observation.missing
        assert "enable_sensitive_telemetry" in observation.missing

    def test_a_reply_that_is_not_shown(self) -> None:
        assert "does not show its reply" in seen(model(1)).missing
        assert seen(model(1, attributes={"gen_ai.response.finish_reasons": ["stop"]})).missing == ""

    def test_tools_that_were_asked_for_and_are_nowhere(self) -> None:
        wants = {"gen_ai.response.finish_reasons": ["tool_calls"]}
        assert "no span shows the calls" in seen(model(1, attributes=wants)).missing
        assert seen(model(1, attributes=wants), tool(2, "track", {})).missing == ""

    def test_an_attribute_that_is_too_long(self) -> None:
        observation = seen(tool(1, "track", {"text": "x" * (MAX_TEXT + 1)}))
        assert "held more than is kept" in observation.missing
        assert len(only(observation).raw_arguments or "") == MAX_TEXT


class TestHostileSpans:
    def test_parents_in_a_circle(self) -> None:
        observation = seen(tool(1, "a", {}, parent=2), tool(2, "b", {}, parent=1), tool(3, "c", {}, parent=3))
        assert [call.name for call in observation.tool_calls] == ["a", "b", "c"]

    def test_a_time_that_cannot_be(self) -> None:
        call = only(seen(tool(1, "a", {}, start_ns=2**64 - 1)))
        assert call.executed is True

    def test_ten_thousand_calls_below_each_other(self) -> None:
        spans = [tool(n, f"t{n}", {}, parent=n - 1, scope=f"s{n % 3}") for n in range(1, 10_001)]
        assert len(seen(*spans).tool_calls) == 10_000

    def test_messages_and_spans_that_do_not_fit_each_other(self) -> None:
        asked = asking(*((f"m{n}", "track", {"n": n}) for n in range(3_000)))
        spans = [tool(n, "track", {"n": -n}, id=f"s{n}") for n in range(2, 3_002)]
        assert len(seen(model(1, asked), *spans).tool_calls) == 6_000

    def test_arguments_that_are_no_json(self) -> None:
        call = only(seen(tool(1, "a", attributes={"gen_ai.tool.call.arguments": '{"word": '})))
        assert (call.arguments, call.raw_arguments) == ({}, '{"word": ')

    @pytest.mark.parametrize(
        "output", ["[" * 5000, '{"a": 1}', "17", "null", '[{"type": "tool_call", "name": 7}]']
    )
    def test_messages_that_are_none(self, output: str) -> None:
        assert seen(model(1, output)).tool_calls == []

    def test_what_arguments_hold_is_no_call(self) -> None:
        inner = {"tool_calls": [{"type": "tool_call", "id": "x", "name": "pay", "arguments": {}}]}
        assert [call.name for call in seen(model(1, asking(("c1", "note", inner)))).tool_calls] == ["note"]
