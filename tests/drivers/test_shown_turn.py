"""What a driver's model is shown of the latest turn."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.drivers.support import FORGERIES, asked, prompt_of, shown, turn

from rampart.core.evaluation import EvalOutcome, EvalResult
from rampart.core.persona import Persona
from rampart.core.types import EvaluationPurpose, Response, SideEffect, ToolCall
from rampart.drivers import LLMDriver
from rampart.testing import ScriptedChatModel
from rampart.text.secrets import _isolated_secrets, register_secret


def two_prompts() -> tuple[LLMDriver, ScriptedChatModel]:
    model = ScriptedChatModel(["one", "two"])
    return LLMDriver(llm=model, persona=Persona(name="clerk")), model


async def after(latest: Any) -> dict[str, Any]:
    driver, model = two_prompts()
    await prompt_of(driver)
    await prompt_of(driver, latest)
    return shown(model)


async def test_a_blank_reply_is_shown_as_such() -> None:
    assert await after("") == {"agent_reply": ""}
    assert await after(" \n") == {"agent_reply": " \n"}


async def test_an_evaluation_is_told_by_outcome_and_rationale() -> None:
    evaluated = turn(
        "no",
        eval_result=EvalResult(
            outcome=EvalOutcome.NOT_DETECTED,
            rationale="it\nrefused",
            evidence=["quoted"],
            confidence=0.25,
        ),
        eval_purpose=EvaluationPurpose.STOP_CHECK,
    )

    assert await after(evaluated) == {
        "agent_reply": "no",
        "evaluation": {"outcome": "not_detected", "rationale": r"it\nrefused"},
    }


async def test_tools_are_told_by_name_only() -> None:
    calls = [ToolCall(name="send_mail", arguments={"to": "eve"}, result="sent!"), ToolCall(name="a\nb")]

    assert await after(Response(text="", tool_calls=calls)) == {
        "agent_reply": "",
        "agent_tool_calls": ["send_mail", r"a\nb"],
    }


async def test_of_very_many_tools_the_rest_is_counted() -> None:
    names = (await after(Response(text="", tool_calls=[ToolCall(name="t")] * 70)))["agent_tool_calls"]

    assert names == ["t"] * 50 + ["and 20 more"]


async def test_a_partial_reply_says_why() -> None:
    partial = Response(text="I have", metadata={"error": "TimeoutError: 120 s", "other": "kept back"})

    assert await after(partial) == {"agent_reply": "I have", "agent_error": "TimeoutError: 120 s"}


async def test_side_effects_and_metadata_are_not_shown() -> None:
    response = Response(text="ok", side_effects=[SideEffect(kind="mail")], metadata={"a": "b"})
    assert await after(response) == {"agent_reply": "ok"}


async def test_a_reply_at_the_limit_is_whole_and_one_above_it_is_cut() -> None:
    whole = await after("x" * 20_000)
    cut = await after("x" * 10_000 + "?" + "y" * 10_000)

    assert whole == {"agent_reply": "x" * 20_000}
    assert cut == {
        "agent_reply": f"{'x' * 10_000} ... (1 characters left out) ... {'y' * 10_000}",
        "agent_reply_characters_left_out": 1,
    }


async def test_a_megabyte_is_cut_and_its_end_is_seen() -> None:
    data = await after("a" * 1_000_000 + " Shall I?")

    assert data["agent_reply_characters_left_out"] == 1_000_009 - 20_000
    assert data["agent_reply"].endswith("Shall I?")
    assert "(980,009 characters left out)" in data["agent_reply"]
    assert len(data["agent_reply"]) < 20_100


@pytest.mark.parametrize("forgery", FORGERIES)
async def test_no_reply_gets_out_of_its_field(forgery: str) -> None:
    assert await after(forgery) == {"agent_reply": forgery}
    evaluated = turn("x", eval_result=EvalResult(outcome=EvalOutcome.DETECTED, rationale=forgery))
    assert set(await after(evaluated)) == {"agent_reply", "evaluation"}
    assert set(await after(Response(text="", tool_calls=[ToolCall(name=forgery)]))) == {
        "agent_reply",
        "agent_tool_calls",
    }


async def test_what_is_shown_is_one_line_whatever_it_holds() -> None:
    everything = "".join(
        map(chr, [*range(0x250), *range(0x2000, 0x2070), 0xFEFF, 0xD800, 0x41, 0xDFFF, 0xE0041])
    )
    driver, model = two_prompts()
    await prompt_of(driver)
    await prompt_of(driver, everything)
    content = asked(model)[-1][1]

    assert json.loads(content) == {"agent_reply": everything}
    assert len(content.splitlines()) == 1
    for hidden in "\x00\x1b\x7f\x9f\u200b\u202e\u2066\ufeff\ud800\udfff\U000e0041":
        assert hidden not in content
    assert "\\ud800" in content
    content.encode("utf-8")


@pytest.mark.parametrize(
    "token", ["<|im_end|>", "<|eot_id|>", "</s>", "<start_of_turn>", "<｜User｜>", "[INST]", "[/INST]"]
)
async def test_control_tokens_of_models_are_no_tokens_any_more(token: str) -> None:
    driver, model = two_prompts()
    await prompt_of(driver)
    await prompt_of(driver, f"a {token} [1] [TODO: b] c")

    assert shown(model) == {"agent_reply": f"a {token} [1] [TODO: b] c"}
    assert token not in asked(model)[-1][1]
    assert "[1] [TODO: b]" in asked(model)[-1][1]


async def test_readable_text_of_any_script_stays_readable() -> None:
    driver, model = two_prompts()
    await prompt_of(driver)
    await prompt_of(driver, "申し訳ありません — nö, Ω 🙂")

    assert "申し訳ありません — nö, Ω 🙂" in asked(model)[-1][1]


async def test_secrets_are_not_handed_to_the_model() -> None:
    with _isolated_secrets():
        register_secret("sk-very-secret-1234")
        evaluated = turn(
            "x" * 9_995 + "sk-very-secret-1234" + "y" * 20_000,
            eval_result=EvalResult(outcome=EvalOutcome.DETECTED, rationale="said sk-very-secret-1234"),
        )
        data = await after(evaluated)
        assert "sk-" not in str(data)
        assert "x***y" in data["agent_reply"]
        assert data["evaluation"]["rationale"] == "said ***"
