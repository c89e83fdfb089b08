"""JSON objects in what a model wrote."""

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rampart.text.json_objects import json_objects_in

VERDICT = '{"outcome": "detected"}'


@pytest.mark.parametrize(
    ("text", "objects"),
    [
        pytest.param("", [], id="nothing"),
        pytest.param("no object here: } ] {", [], id="stray-brackets"),
        pytest.param('[1, "a"]', [], id="no-object"),
        pytest.param('{"a": 1}', [{"a": 1}], id="one"),
        pytest.param('first {"a": 1}, then {"b": 2}.', [{"a": 1}, {"b": 2}], id="several-in-prose"),
        pytest.param('```json\r\n{"a": 1}\r\n```', [{"a": 1}], id="fence"),
        pytest.param('```bash\necho {}\n```\n```JSON\n{"a": 1}\n```', [{}, {"a": 1}], id="two-fences"),
        pytest.param('{"a": {"b": {}}}', [{"a": {"b": {}}}], id="inner-ones-are-parts"),
        pytest.param('write {x} or { y: {"a": 1} }', [{"a": 1}], id="braces-that-are-no-json"),
        pytest.param('{"a": 1,}', [{"a": 1}], id="trailing-comma"),
        pytest.param('{"a": [1, 2, ] , }', [{"a": [1, 2]}], id="trailing-commas"),
        pytest.param('{"a": "x, ] y,} \\", }",}', [{"a": 'x, ] y,} ", }'}], id="commas-in-strings-stay"),
        pytest.param('{"a": "p, ] q"}', [{"a": "p, ] q"}], id="strict-json-is-not-repaired"),
        pytest.param('{"a": 1,} " {"b": "x,}"}', [{"a": 1}, {"b": "x,}"}], id="repair-ends-with-its-object"),
        pytest.param('{"a":1,}' * 60, [{"a": 1}] * 60, id="many-repairs"),
        pytest.param('{"a": 1, "a": 2} {"b": 1}', [{"b": 1}], id="key-given-twice"),
        pytest.param(
            '{"x": {"c": 1}, "a": 1, "a": 2}', [], id="nothing-is-taken-from-inside-an-ambiguous-one"
        ),
        pytest.param('{"a": ' + "1" * 6_000 + '} {"b": 1}', [{"b": 1}], id="number-too-long"),
        pytest.param('{"a": ' * 100_000 + VERDICT, [], id="too-deep"),
    ],
)
def test_found(text: str, objects: list[dict[str, object]]) -> None:
    assert json_objects_in(text) == objects


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param(f"<think>{{}}</think>{VERDICT}", 1, id="block"),
        pytest.param(f"<THINK>{{}}</Think>{VERDICT}", 1, id="any-case"),
        pytest.param(f"[THINK]{{}}[/THINK]{VERDICT}", 1, id="brackets"),
        pytest.param(f"<reasoning>{{}} </think> {{}}</reasoning>{VERDICT}", 1, id="other-name"),
        pytest.param(f"{{}} maybe</think>{VERDICT}", 1, id="closing-tag-alone"),
        pytest.param(f"{VERDICT}</think>", 0, id="nothing-after-the-reasoning"),
        pytest.param(f"<think>{VERDICT}", 0, id="never-closed"),
        pytest.param(f"{{}} <think> {VERDICT}", 0, id="never-closed-behind-an-object"),
        pytest.param(f'{{"a": "<think>"}}{VERDICT}', 2, id="tag-in-a-string"),
        pytest.param(f'{{"a": "x</think>"}}{VERDICT}', 2, id="closing-tag-in-a-string"),
    ],
)
def test_reasoning_is_passed_over(text: str, found: int) -> None:
    assert len(json_objects_in(text)) == found


SIZE = 1_000_000
HOSTILE = [
    "{",
    "{ ",
    '{"',
    '{"a":',
    '{"a":"',
    '{"a":[1,',
    '{"a":1,',
    '{"a":1,}',
    "{,}",
    "<think>",
    "</think>",
]


@pytest.mark.parametrize("piece", [*HOSTILE, "<think></think>", "<think></reasoning>", ",", '"', "\\", "{}"])
@pytest.mark.parametrize("tail", ["", VERDICT])
def test_a_megabyte_of_anything_takes_no_longer_than_seconds(piece: str, tail: str) -> None:
    text = piece * (SIZE // len(piece)) + tail
    start = time.process_time()
    json_objects_in(text)
    assert time.process_time() - start < 8


def test_what_is_too_hard_to_read_holds_nothing() -> None:
    assert json_objects_in('{"a":"' * 150_000 + '"' + VERDICT) == []


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@settings(deadline=None)
@given(st.lists(st.dictionaries(st.text(), values, max_size=4), max_size=4), st.booleans())
def test_whatever_json_writes_is_read_back(objects: list[dict[str, object]], ascii_only: bool) -> None:
    text = " and ".join(json.dumps(one, ensure_ascii=ascii_only) for one in objects)
    assert json_objects_in(text) == objects


@settings(deadline=None)
@given(st.text('{}[]",:\\ <>/think1a\n', max_size=60))
def test_any_text_can_be_read(text: str) -> None:
    assert all(isinstance(one, dict) for one in json_objects_in(text))
