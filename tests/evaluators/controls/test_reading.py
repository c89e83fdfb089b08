"""Files of controls are read strictly, and an error names file, line and field."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from rampart.core.errors import ConfigurationError, SchemaError
from rampart.core.evaluation import EvalOutcome
from rampart.core.types import ObservabilityLevel
from rampart.evaluators.controls import read_controls

if TYPE_CHECKING:
    from pathlib import Path

LEAST: dict[str, Any] = {
    "id": "a",
    "evaluator": "ToolCalled",
    "args": ["pay"],
    "turns": [{"prompt": "Go.", "response": "ok"}],
    "expected": "not_detected",
}


def written(folder: Path, *lines: str | dict[str, Any]) -> Path:
    path = folder / "mine.jsonl"
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("\n".join(texts) + "\n", encoding="utf-8")
    return path


def test_the_least_that_a_control_says(tmp_path: Path) -> None:
    (control,) = read_controls(written(tmp_path, LEAST))
    assert (control.id, control.evaluator, control.args, control.kwargs) == ("a", "ToolCalled", ("pay",), {})
    assert control.expected is EvalOutcome.NOT_DETECTED
    assert control.level is ObservabilityLevel.TOOL_AND_SIDE_EFFECTS
    assert control.place.endswith("mine.jsonl, line 1")
    assert control.context().manifest is None


def test_the_most_that_a_control_says(tmp_path: Path) -> None:
    call = {
        "name": "pay",
        "arguments": [1],
        "result": {"a": None},
        "error": "no",
        "executed": False,
    }
    turn = {
        "prompt": "p",
        "response": "r",
        "tool_calls": [call, {"name": "b", "raw_arguments": "x="}],
        "side_effects": [{"kind": "k", "details": {"d": 1}}],
        "metadata": {"m": 1},
    }
    line = LEAST | {
        "kwargs": {"a": 1},
        "level": "tool_only",
        "manifest": {"name": "n", "tools": [{"name": "t", "parameters": {"p": "int"}}], "metadata": {"x": 1}},
        "metadata": {"of": "context"},
        "turns": [turn, {"response": "second"}],
        "note": "why",
    }
    (control,) = read_controls(written(tmp_path, line))
    context = control.context()
    first, second = context.turns
    assert first.request.prompt == "p"
    assert first.response.metadata == {"m": 1}
    assert first.response.tool_calls[0].raw_arguments == "[1]"
    assert first.response.tool_calls[0].executed is False
    assert first.response.tool_calls[1].raw_arguments == "x="
    assert first.response.side_effects[0].details == {"d": 1}
    assert (second.turn_number, second.response.text) == (1, "second")
    assert context.manifest is not None
    assert context.manifest.declares_tool("t")
    assert context.manifest.metadata == {"x": 1}
    assert context.metadata == {"of": "context"}
    assert context.observability_level is ObservabilityLevel.TOOL_ONLY


def test_half_a_character_is_kept(tmp_path: Path) -> None:
    line = json.dumps(LEAST | {"turns": [{"response": "\ud800"}]})
    (control,) = read_controls(written(tmp_path, line))
    assert control.turns[0].response.text == "\ud800"


def test_blank_lines_are_counted_but_no_controls(tmp_path: Path) -> None:
    controls = read_controls(written(tmp_path, LEAST, "", LEAST | {"id": "b"}))
    assert [one.line for one in controls] == [1, 3]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        pytest.param("{", r"line 2: .*", id="no-json"),
        pytest.param("[]", r"line 2: Expected `object`, got `array`", id="no-object"),
        pytest.param({**LEAST, "id": " "}, r"line 2: .*\$\.id", id="blank-id"),
        pytest.param({**LEAST, "colour": 1}, r"line 2: .*unknown field `colour`", id="unknown-field"),
        pytest.param({**LEAST, "expected": "yes"}, r"line 2: .*'yes' - at `\$\.expected`", id="outcome"),
        pytest.param({**LEAST, "level": "all"}, r"line 2: .*'all' - at `\$\.level`", id="level"),
        pytest.param(
            {**LEAST, "turns": [{"response": 1}]},
            r"line 2: .*`\$\.turns\[0\]\.response`",
            id="number-for-text",
        ),
        pytest.param(
            {**LEAST, "turns": [{"tool_calls": [{"name": "a", "args": {}}]}]},
            r"line 2: .*`args` - at `\$\.turns\[0\]\.tool_calls\[0\]`",
            id="unknown-field-of-a-call",
        ),
        pytest.param({k: v for k, v in LEAST.items() if k != "turns"}, r"line 2: .*`turns`", id="no-turns"),
        pytest.param(LEAST, r"line 2: id: a stands in line 1 already", id="id-twice"),
        pytest.param('{"id": "b", "id": "c"}', r"line 2: id: is given twice", id="key-twice"),
        pytest.param('{"id": NaN}', r"line 2: NaN is no JSON", id="nan"),
        pytest.param('{"args": ' + "[" * 100_000, r"line 2: .*recursion", id="too-deep"),
        pytest.param(
            json.dumps({**LEAST, "id": "\u0001\u202e", "expected": 1}),
            r"line 2: .*\$\.expected",
            id="controls",
        ),
    ],
)
def test_what_is_not_as_it_has_to_be(line: str | dict[str, Any], told: str, tmp_path: Path) -> None:
    path = written(tmp_path, LEAST, line)
    with pytest.raises(SchemaError, match=f"mine.jsonl, {told}"):
        read_controls(path)


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_bytes(b'{"id": "\xff"}')
    with pytest.raises(SchemaError, match=r"line 1: .*utf-8"):
        read_controls(path)


def test_a_file_without_controls(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="holds no control; expected one JSON object a line"):
        read_controls(written(tmp_path, ""))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"gone\.jsonl: cannot be read: No such file"):
        read_controls(tmp_path / "gone.jsonl")
