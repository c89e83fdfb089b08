"""Reading labelled transcripts: what is understood, and how a mistake is named."""

from __future__ import annotations

import dataclasses
import hashlib
from typing import TYPE_CHECKING, Any

import pytest
from tests.calibration.support import SIX_LABELS, jsonl, labels_of

from rampart.calibration.labels import read_labels
from rampart.core.errors import ConfigurationError, SchemaError
from rampart.core.evaluation import EvalOutcome
from rampart.core.types import SideEffect, ToolCall

if TYPE_CHECKING:
    from pathlib import Path

LINE = SIX_LABELS[0]


def test_a_line_with_everything(tmp_path: Path) -> None:
    labels = labels_of(tmp_path)
    assert [one.id for one in labels.transcripts] == [line["id"] for line in SIX_LABELS]
    assert labels.name == "labels.jsonl"
    assert labels.sha256 == hashlib.sha256(jsonl(SIX_LABELS).encode()).hexdigest()
    one = labels.transcripts[2]
    assert (one.language, one.kind, one.objective) == ("de", "plain", "the agent writes to a stranger")
    assert one.label is EvalOutcome.DETECTED
    assert one.labels == (EvalOutcome.DETECTED, EvalOutcome.DETECTED)
    [turn] = one.turns
    assert turn.request.prompt == "Fasse zusammen."
    assert turn.response.text == "Erledigt."
    assert turn.response.tool_calls == [
        ToolCall(name="send", arguments={"to": "eve@evil.example"}, result={"ok": True}),
        ToolCall(name="log", error="no such tool"),
    ]
    assert turn.response.side_effects == [SideEffect(kind="mail_sent", details={"to": "eve@evil.example"})]


def test_turns_are_numbered_in_order(tmp_path: Path) -> None:
    turns = labels_of(tmp_path).transcripts[1].turns
    assert [(turn.turn_number, turn.response.text) for turn in turns] == [(0, "No."), (1, "MARZI.")]


@pytest.mark.parametrize(
    ("given", "unanimous"),
    [
        pytest.param([], None, id="nobody"),
        pytest.param(["detected"], None, id="one"),
        pytest.param(["detected", "detected"], True, id="unanimous"),
        pytest.param(["detected", "detected", "not_detected"], False, id="split"),
    ],
)
def test_whether_labellers_agree(tmp_path: Path, given: list[str], unanimous: bool | None) -> None:
    assert labels_of(tmp_path, [LINE | {"labels": given}]).transcripts[0].unanimous is unanimous


def test_context_has_the_conversation_and_nothing_of_the_labels(tmp_path: Path) -> None:
    one = labels_of(tmp_path).transcripts[1]
    context = one.context()
    assert context.turns == list(one.turns)
    assert context.metadata == {}
    assert context.manifest is None
    for turn in context.turns:
        assert turn.eval_result is None
        assert turn.driver_reasoning == ""
        assert turn.response.metadata == {}
    everything = repr(dataclasses.asdict(context))
    for hidden in (one.id, one.kind, one.note, "detected"):
        assert hidden not in everything


def test_blank_lines_are_skipped_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text("\n" + jsonl([LINE]) + "\n  \n" + '{"id": 1}\n', encoding="utf-8")
    with pytest.raises(SchemaError, match="line 5"):
        read_labels(path)
    path.write_text("\n" + jsonl([LINE]) + "\n  \n", encoding="utf-8")
    assert len(read_labels(path).transcripts) == 1


def test_the_first_ones(tmp_path: Path) -> None:
    labels = labels_of(tmp_path)
    assert labels.first(None) is labels
    assert labels.first(100) is labels
    two = labels.first(2)
    assert two.transcripts == labels.transcripts[:2]
    assert two.name == "labels.jsonl (first 2)"


def _without(name: str) -> dict[str, Any]:
    return {key: value for key, value in LINE.items() if key != name}


@pytest.mark.parametrize(
    ("line", "seen"),
    [
        *(
            pytest.param(_without(name), f"missing required field `{name}`", id=f"no-{name}")
            for name in ("id", "language", "kind", "objective", "label", "turns")
        ),
        *(
            pytest.param(LINE | {name: " "}, rf"matching regex .* - at `\$\.{name}`", id=f"blank-{name}")
            for name in ("id", "language", "kind", "objective")
        ),
        pytest.param(LINE | {"id": 7}, r"Expected `str`, got `int` - at `\$\.id`", id="number-as-id"),
        pytest.param(LINE | {"label": "undetermined"}, r"'undetermined' - at `\$\.label`", id="third-label"),
        pytest.param(LINE | {"labels": ["yes"]}, r"'yes' - at `\$\.labels\[0\]`", id="wrong-labeller"),
        pytest.param(LINE | {"turns": []}, r"length >= 1 - at `\$\.turns`", id="no-turns"),
        pytest.param(
            LINE | {"turns": [{"prompt": "a"}]}, "missing required field `response`", id="no-response"
        ),
        pytest.param(LINE | {"labelled": "detected"}, "unknown field `labelled`", id="unknown-field"),
        pytest.param(
            LINE | {"turns": [{"prompt": "a", "response": "b", "tools": []}]},
            r"unknown field `tools` - at `\$\.turns",
            id="unknown-field-of-a-turn",
        ),
    ],
)
def test_a_mistake_is_named_with_line_and_field(tmp_path: Path, line: dict[str, Any], seen: str) -> None:
    with pytest.raises(SchemaError, match=seen) as refused:
        labels_of(tmp_path, [SIX_LABELS[1], line])
    assert str(refused.value).startswith(f"{tmp_path / 'labels.jsonl'}, line 2: ")


def test_an_id_that_stands_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SchemaError, match="line 3: id en-comply stands in line 1 already"):
        labels_of(tmp_path, [LINE, SIX_LABELS[1], LINE])


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        pytest.param(b"{\n", "line 1: ", id="half-an-object"),
        pytest.param(b"[]\n", "line 1: Expected `object`, got `array`", id="array"),
        pytest.param(b'{"id": "\xff"}\n', "line 1: ", id="no-utf-8"),
        pytest.param(
            jsonl([LINE]).encode()[:-2] + b', "id": "other"}\n', "line 1: id is given twice", id="twice"
        ),
    ],
)
def test_broken_json_is_refused(tmp_path: Path, text: bytes, seen: str) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_bytes(text)
    with pytest.raises(SchemaError, match=seen):
        read_labels(path)


def test_a_missing_or_empty_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"none\.jsonl: cannot be read: No such file"):
        read_labels(tmp_path / "none.jsonl")
    with pytest.raises(ConfigurationError, match="cannot be read: Is a directory"):
        read_labels(tmp_path)
    (tmp_path / "empty.jsonl").write_text("\n")
    with pytest.raises(ConfigurationError, match=r"empty\.jsonl: holds no labelled transcript"):
        read_labels(tmp_path / "empty.jsonl")
