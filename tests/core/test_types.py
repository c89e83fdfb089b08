"""Enums, payloads, requests, responses and turns."""

from __future__ import annotations

import re
import uuid
from dataclasses import FrozenInstanceError, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pytest
from tests.core.support import REQUIRED, field_table

from rampart.core.evaluation import EvalOutcome, EvalResult
from rampart.core.result import SafetyStatus
from rampart.core.types import (
    EvaluationPurpose,
    HarmCategory,
    ObservabilityLevel,
    Payload,
    PayloadFormat,
    Request,
    Response,
    SideEffect,
    ToolCall,
    TraceEndReason,
    Turn,
    Usage,
    new_payload_id,
    validate_payload_id,
)
from rampart.text import register_secret
from rampart.text.secrets import _isolated_secrets

if TYPE_CHECKING:
    from enum import Enum
    from pathlib import Path

LOWER_CASE_NAMES: dict[type[Enum], list[str]] = {
    ObservabilityLevel: ["TOOL_AND_SIDE_EFFECTS", "TOOL_ONLY", "RESPONSE_ONLY"],
    EvalOutcome: ["DETECTED", "NOT_DETECTED", "UNDETERMINED"],
    EvaluationPurpose: ["STOP_CHECK"],
    TraceEndReason: ["DRIVER_EXHAUSTED", "MAX_TURNS_REACHED", "STOP_CONDITION_MET"],
    SafetyStatus: ["SAFE", "UNSAFE", "UNDETERMINED", "ERROR"],
    HarmCategory: [
        "MEMORY_POISONING",
        "PROMPT_INJECTION",
        "JAILBREAK",
        "DATA_EXFILTRATION",
        "OVER_PERMISSIVE_ACTION",
        "DATA_LEAKAGE",
        "CONTENT_SAFETY",
        "HALLUCINATION",
        "BEHAVIORAL_REGRESSION",
    ],
    PayloadFormat: ["TEXT", "HTML", "MARKDOWN", "IMAGE", "PDF", "DOCX", "XLSX", "AUDIO"],
}


@pytest.mark.parametrize("enum", LOWER_CASE_NAMES, ids=lambda enum: enum.__name__)
def test_members_and_values_are_fixed(enum: type[Enum]) -> None:
    names = LOWER_CASE_NAMES[enum]
    assert {member.name: member.value for member in enum} == {name: name.lower() for name in names}


@pytest.mark.parametrize(
    ("level", "tools", "effects"),
    [
        pytest.param(ObservabilityLevel.TOOL_AND_SIDE_EFFECTS, True, True, id="everything"),
        pytest.param(ObservabilityLevel.TOOL_ONLY, True, False, id="tools"),
        pytest.param(ObservabilityLevel.RESPONSE_ONLY, False, False, id="replies"),
    ],
)
def test_levels_say_which_channels_are_observed(
    level: ObservabilityLevel, tools: bool, effects: bool
) -> None:
    assert level.observes_tool_calls is tools
    assert level.observes_side_effects is effects


def test_harm_categories_are_strings() -> None:
    assert {"jailbreak": 1}[HarmCategory.JAILBREAK] == 1
    assert str(HarmCategory.JAILBREAK) == "jailbreak"
    assert not hasattr(HarmCategory, "XPIA")


class TestPayloadFormat:
    @pytest.mark.parametrize(
        ("payload_format", "text", "extension"),
        [
            (PayloadFormat.TEXT, True, ".txt"),
            (PayloadFormat.HTML, True, ".html"),
            (PayloadFormat.MARKDOWN, True, ".md"),
            (PayloadFormat.IMAGE, False, ".png"),
            (PayloadFormat.PDF, False, ".pdf"),
            (PayloadFormat.DOCX, False, ".docx"),
            (PayloadFormat.XLSX, False, ".xlsx"),
            (PayloadFormat.AUDIO, False, ".wav"),
        ],
        ids=lambda value: value.value if isinstance(value, PayloadFormat) else None,
    )
    def test_kind_and_extension(self, payload_format: PayloadFormat, text: bool, extension: str) -> None:
        assert payload_format.is_text is text
        assert payload_format.is_binary is not text
        assert payload_format.extension == extension

    def test_the_table_covers_every_format(self) -> None:
        assert all(member.extension.startswith(".") for member in PayloadFormat)


class TestPayload:
    def test_fields(self) -> None:
        table = field_table(Payload)
        assert re.fullmatch(r"[0-9a-f]{12}", table.pop("id"))
        assert table == {"content": REQUIRED, "format": PayloadFormat.TEXT, "artifact": None, "metadata": {}}

    def test_each_payload_has_an_id_and_metadata_of_its_own(self) -> None:
        one, other = Payload(content="a"), Payload(content="a")
        assert one.id != other.id
        assert one.metadata is not other.metadata

    @pytest.mark.parametrize(
        "payload_id",
        ["a", "A-9_.x", "...", ".hidden", "a" * 128],
        ids=["one", "every-kind", "three-dots", "leading-dot", "longest"],
    )
    def test_legal_ids(self, payload_id: str) -> None:
        assert Payload(content="x", id=payload_id).id == payload_id
        assert validate_payload_id(payload_id) == payload_id

    @pytest.mark.parametrize(
        "payload_id",
        [
            pytest.param("", id="empty"),
            pytest.param(".", id="this-folder"),
            pytest.param("..", id="parent-folder"),
            pytest.param("a/b", id="slash"),
            pytest.param("a\\b", id="backslash"),
            pytest.param("a b", id="space"),
            pytest.param("a\n", id="trailing-line-break"),
            pytest.param("a" * 129, id="too-long"),
            pytest.param("ünder", id="letter-beyond-ascii"),
            pytest.param("١", id="digit-beyond-ascii"),
            pytest.param("%2e%2e", id="percent"),
            pytest.param(7, id="no-str"),
            pytest.param(None, id="none"),
        ],
    )
    def test_illegal_ids(self, payload_id: Any) -> None:
        text = f"^{re.escape(f'Invalid payload id: {payload_id!r}')}$"
        with pytest.raises(ValueError, match=text):
            Payload(content="x", id=payload_id)
        with pytest.raises(ValueError, match=text):
            validate_payload_id(payload_id)

    def test_a_changed_id_is_caught_where_it_is_used(self) -> None:
        payload = Payload(content="x")
        payload.id = "../../etc"
        with pytest.raises(ValueError, match=r"^Invalid payload id: '\.\./\.\./etc'$"):
            validate_payload_id(payload.id)

    @pytest.mark.parametrize(
        "payload_format", [member for member in PayloadFormat if member.is_binary], ids=lambda m: m.value
    )
    def test_binary_formats_need_an_artifact(self, payload_format: PayloadFormat, tmp_path: Path) -> None:
        text = f"a payload of format '{payload_format.value}' requires an artifact: the path of its file"
        with pytest.raises(TypeError, match=f"^{text}$"):
            Payload(content="x", format=payload_format)
        artifact = tmp_path / "a"
        artifact.write_bytes(b"1")
        assert Payload(content="x", format=payload_format, artifact=artifact).artifact == artifact

    @pytest.mark.parametrize(
        "payload_format", [member for member in PayloadFormat if member.is_text], ids=lambda m: m.value
    )
    def test_text_formats_have_none(self, payload_format: PayloadFormat, tmp_path: Path) -> None:
        text = f"artifact must be None for the text format '{payload_format.value}', got {tmp_path!r}"
        with pytest.raises(TypeError, match=f"^{re.escape(text)}$"):
            Payload(content="x", format=payload_format, artifact=tmp_path)
        assert Payload(content="x", format=payload_format).artifact is None

    def test_a_missing_artifact(self, tmp_path: Path) -> None:
        absent = tmp_path / "absent.pdf"
        with pytest.raises(FileNotFoundError, match=f"^Artifact file does not exist: {absent}$"):
            Payload(content="x", format=PayloadFormat.PDF, artifact=absent)

    def test_the_first_fault_is_the_one_reported(self, tmp_path: Path) -> None:
        absent = tmp_path / "absent"
        with pytest.raises(ValueError, match="Invalid payload id"):
            Payload(content="x", id="..", format=PayloadFormat.PDF)
        with pytest.raises(TypeError, match="artifact must be None"):
            Payload(content="x", artifact=absent)

    @pytest.mark.parametrize(
        ("length", "shown"),
        [
            pytest.param(0, "", id="empty"),
            pytest.param(200, "x" * 200, id="just-fits"),
            pytest.param(201, "x" * 200 + "...", id="one-too-many"),
        ],
    )
    def test_str_is_the_beginning_of_the_content(self, length: int, shown: str) -> None:
        assert str(Payload(content="x" * length)) == shown

    def test_the_cut_leaves_no_half_of_a_secret(self) -> None:
        with _isolated_secrets():
            register_secret("sk-live-0123456789abcdefXYZ")
            shown = str(Payload(content="x" * 190 + "sk-live-0123456789abcdefXYZ" + "y" * 50))
        assert shown == "x" * 190 + "***" + "y" * 7 + "..."


class TestToolCall:
    def test_fields(self) -> None:
        assert field_table(ToolCall) == {
            "name": REQUIRED,
            "arguments": {},
            "raw_arguments": None,
            "id": None,
            "result": None,
            "error": None,
            "executed": None,
            "timestamp": None,
        }

    @pytest.mark.parametrize("given", [None, "", {}], ids=["none", "empty-text", "empty-dict"])
    def test_s12_no_arguments_are_an_empty_dict(self, given: Any) -> None:
        call = ToolCall(name="ping", arguments=given)
        assert call.arguments == {}
        assert call.raw_arguments is None

    def test_s12_left_out_arguments_are_not_shared(self) -> None:
        assert ToolCall(name="a").arguments is not ToolCall(name="a").arguments

    @pytest.mark.parametrize(
        ("given", "arguments"),
        [
            pytest.param('{"to": "a@b.example"}', {"to": "a@b.example"}, id="object"),
            pytest.param(' {"n": [1, {"m": null}]}\n', {"n": [1, {"m": None}]}, id="nested-with-white-space"),
            pytest.param("{}", {}, id="empty-object"),
        ],
    )
    def test_s13_text_that_is_a_json_object_is_parsed(self, given: Any, arguments: dict[str, Any]) -> None:
        call = ToolCall(name="send_email", arguments=given)
        assert call.arguments == arguments
        assert call.raw_arguments is None

    @pytest.mark.parametrize(
        "given",
        [
            pytest.param('"just text"', id="json-text"),
            pytest.param("[1]", id="json-array"),
            pytest.param("7", id="json-number"),
            pytest.param("null", id="json-null"),
            pytest.param("not json", id="no-json"),
            pytest.param('{"to": "a', id="cut-off"),
            pytest.param("  ", id="blank"),
            pytest.param("[" * 100_000, id="too-deep-to-parse"),
            pytest.param('{"n": ' + "9" * 5_000 + "}", id="number-too-long-to-parse"),
        ],
    )
    def test_s13_other_text_is_kept_as_it_came(self, given: Any) -> None:
        call = ToolCall(name="send_email", arguments=given)
        assert call.arguments == {}
        assert call.raw_arguments == given

    def test_a_mapping_becomes_a_dict(self) -> None:
        call = ToolCall(name="a", arguments=MappingProxyType({"k": 1}))  # type: ignore[arg-type]  # what SDKs hand over
        assert type(call.arguments) is dict
        assert call.arguments == {"k": 1}

    def test_anything_else_is_kept_as_text(self) -> None:
        class Odd:
            def __eq__(self, other: object) -> bool:
                raise RuntimeError

            __hash__ = None  # type: ignore[assignment]  # as in libraries that compare element by element

            def __str__(self) -> str:
                return "odd"

        call = ToolCall(name="a", arguments=Odd())  # type: ignore[arg-type]  # a faulty adapter
        assert (call.arguments, call.raw_arguments) == ({}, "odd")

    def test_raw_arguments_that_are_given_stay(self) -> None:
        assert ToolCall(name="a", raw_arguments="x=1").raw_arguments == "x=1"
        assert ToolCall(name="a", arguments={"k": 1}, raw_arguments="k: 1").arguments == {"k": 1}

    def test_replacing_keeps_both_forms(self) -> None:
        call = ToolCall(name="a", arguments="text")  # type: ignore[arg-type]  # normalised by the record
        assert replace(call, name="b") == ToolCall(name="b", raw_arguments="text")


class TestRequest:
    def test_fields(self) -> None:
        assert field_table(Request) == {"prompt": None, "attachments": []}

    def test_a_request_asks_something(self) -> None:
        text = r"^Request must include at least a prompt or attachments\.$"
        with pytest.raises(ValueError, match=text):
            Request()
        with pytest.raises(ValueError, match=text):
            Request(prompt=None, attachments=[])

    def test_an_empty_prompt_is_a_prompt(self) -> None:
        assert Request(prompt="").prompt == ""

    def test_attachments_alone_will_do(self) -> None:
        payload = Payload(content="x")
        assert Request(attachments=[payload]).attachments == [payload]


class TestTurn:
    turn = Turn(request=Request(prompt="a"), response=Response(text="b"))

    def test_fields(self) -> None:
        assert field_table(Turn) == {
            "request": REQUIRED,
            "response": REQUIRED,
            "eval_result": None,
            "eval_purpose": None,
            "turn_number": 0,
            "timestamp": None,
            "duration_seconds": None,
            "driver_reasoning": "",
        }

    def test_a_purpose_needs_an_evaluation(self) -> None:
        with pytest.raises(ValueError, match=r"^eval_purpose requires eval_result$"):
            replace(self.turn, eval_purpose=EvaluationPurpose.STOP_CHECK)

    def test_an_evaluation_needs_no_purpose(self) -> None:
        answer = EvalResult(outcome=EvalOutcome.DETECTED)
        assert replace(self.turn, eval_result=answer).eval_purpose is None
        both = replace(self.turn, eval_result=answer, eval_purpose=EvaluationPurpose.STOP_CHECK)
        assert both.eval_result is answer

    def test_turns_do_not_change(self) -> None:
        with pytest.raises(FrozenInstanceError):
            self.turn.turn_number = 1  # type: ignore[misc]  # the point of the test


def test_fields_of_the_rest() -> None:
    assert field_table(SideEffect) == {"kind": REQUIRED, "details": {}}
    assert field_table(Response) == {
        "text": REQUIRED,
        "tool_calls": [],
        "side_effects": [],
        "usage": None,
        "metadata": {},
    }
    assert field_table(Usage) == dict.fromkeys(
        ["input_tokens", "cached_input_tokens", "output_tokens", "reasoning_tokens", "requests", "cost_usd"]
    )


def test_s94_usage_holds_what_it_is_given() -> None:
    usage = Usage(input_tokens=1000, cached_input_tokens=400, output_tokens=50, reasoning_tokens=20)
    assert (usage.input_tokens, usage.cached_input_tokens) == (1000, 400)
    assert (usage.output_tokens, usage.reasoning_tokens) == (50, 20)
    assert usage.cost_usd is None


def test_defaults_are_fresh_objects() -> None:
    one, other = Response(text=""), Response(text="")
    assert one.tool_calls is not other.tool_calls
    assert one.side_effects is not other.side_effects
    assert one.metadata is not other.metadata
    assert SideEffect(kind="a").details is not SideEffect(kind="a").details
    assert Request(prompt="").attachments is not Request(prompt="").attachments


def test_new_ids_come_from_random_uuids(monkeypatch: pytest.MonkeyPatch) -> None:
    class Fixed:
        hex = "0123456789abcdef" * 2

    monkeypatch.setattr(uuid, "uuid4", Fixed)
    assert new_payload_id() == "0123456789ab"
