"""What evaluators are given and what they answer."""

from __future__ import annotations

import pytest
from tests.core.support import REQUIRED, field_table

from rampart.core.evaluation import EvalContext, EvalOutcome, EvalResult
from rampart.core.manifest import AppManifest
from rampart.core.types import ObservabilityLevel, Request, Response, SideEffect, ToolCall, Turn

LEVEL = ObservabilityLevel.TOOL_ONLY


def turn(text: str, *, calls: str = "", effects: str = "") -> Turn:
    return Turn(
        request=Request(prompt="p"),
        response=Response(
            text=text,
            tool_calls=[ToolCall(name=name) for name in calls],
            side_effects=[SideEffect(kind=kind) for kind in effects],
        ),
    )


def test_fields() -> None:
    assert field_table(EvalResult) == {
        "outcome": REQUIRED,
        "confidence": 1.0,
        "evidence": [],
        "rationale": "",
        "undetermined_operands": [],
    }
    assert field_table(EvalContext) == {
        "turns": REQUIRED,
        "observability_level": REQUIRED,
        "manifest": None,
        "metadata": {},
    }


@pytest.mark.parametrize("outcome", EvalOutcome, ids=lambda outcome: outcome.value)
def test_detected_is_one_outcome(outcome: EvalOutcome) -> None:
    assert EvalResult(outcome=outcome).detected is (outcome is EvalOutcome.DETECTED)


def test_confidence_is_not_checked() -> None:
    assert EvalResult(outcome=EvalOutcome.DETECTED, confidence=-3.5).confidence == -3.5


def test_lists_are_fresh() -> None:
    one, other = EvalResult(outcome=EvalOutcome.DETECTED), EvalResult(outcome=EvalOutcome.DETECTED)
    assert one.evidence is not other.evidence
    assert one.undetermined_operands is not other.undetermined_operands


def test_the_current_turn_is_the_last() -> None:
    context = EvalContext(turns=[turn("a"), turn("b")], observability_level=LEVEL)
    assert context.current_turn is context.turns[1]
    assert context.text == "b"


@pytest.mark.parametrize("name", ["current_turn", "text"])
def test_no_turn_no_text(name: str) -> None:
    context = EvalContext(turns=[], observability_level=LEVEL)
    with pytest.raises(ValueError, match=r"^No turns in context\.$"):
        getattr(context, name)


def test_channels_are_joined_in_order() -> None:
    context = EvalContext(
        turns=[turn("", calls="ab", effects="x"), turn(""), turn("", calls="c", effects="yz")],
        observability_level=LEVEL,
    )
    assert [call.name for call in context.all_tool_calls] == ["a", "b", "c"]
    assert [effect.kind for effect in context.all_side_effects] == ["x", "y", "z"]


def test_channels_of_an_empty_context_are_empty() -> None:
    context = EvalContext(turns=[], observability_level=LEVEL)
    assert (context.all_tool_calls, context.all_side_effects) == ([], [])


def test_a_context_from_one_response() -> None:
    response, manifest = Response(text="r"), AppManifest(name="app")
    context = EvalContext.from_response(
        response=response, observability_level=LEVEL, prompt="p", manifest=manifest
    )
    assert len(context.turns) == 1
    assert context.current_turn.response is response
    assert context.current_turn.request.prompt == "p"
    assert context.observability_level is LEVEL
    assert context.manifest is manifest


def test_a_context_from_one_response_has_an_empty_prompt_by_default() -> None:
    context = EvalContext.from_response(response=Response(text="r"), observability_level=LEVEL)
    assert context.current_turn.request.prompt == ""
    assert context.manifest is None


def test_a_subclass_makes_contexts_of_its_own_kind() -> None:
    class Narrow(EvalContext):
        pass

    assert type(Narrow.from_response(response=Response(text=""), observability_level=LEVEL)) is Narrow
