"""Reading what is no record at all: broken text, lone surrogates, nesting without end."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.records.support import (
    at,
    full_document,
    minimal_document,
    places,
)

from rampart.core.errors import SchemaError
from rampart.records import deserialize_record

TURN: dict[str, Any] = {"request": {"prompt": "p"}, "response": {"text": "t"}}


def read(document: object) -> Any:
    return deserialize_record(data=json.dumps(document))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("{", id="cut-off"),
        pytest.param("{'version': 1}", id="not-json"),
        pytest.param(json.dumps(minimal_document()) + "x", id="trailing"),
        pytest.param(json.dumps(minimal_document(metadata={"x": math.nan})), id="nan"),
        pytest.param(json.dumps(minimal_document(duration_seconds=math.inf)), id="infinity"),
        pytest.param(json.dumps(minimal_document(status="secure"))[:-1], id="wrong-and-cut-off"),
    ],
)
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(SchemaError, match=r"^record: expected one line of valid JSON$"):
        deserialize_record(data=text)


@pytest.mark.parametrize("document", [None, 3, "x", []])
def test_what_is_no_object_is_refused(document: object) -> None:
    with pytest.raises(SchemaError, match=r"^record: expected `object`, got"):
        read(document)


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(SchemaError, match=r"^record: expected a string, got dict$"):
        deserialize_record(data=minimal_document())  # type: ignore[arg-type]  # the mistake under test


@pytest.mark.parametrize("number", ["1e999", "-1e999", "1" + "0" * 400])
def test_a_number_out_of_range_is_refused(number: str) -> None:
    text = json.dumps(minimal_document(duration_seconds=123456)).replace("123456", number)
    with pytest.raises(SchemaError, match=r"^result\.duration_seconds: number out of range"):
        deserialize_record(data=text)


@pytest.mark.parametrize(
    ("document", "place"),
    [
        pytest.param(minimal_document(summary="\ud835"), "result.summary", id="text"),
        pytest.param(
            minimal_document(turns=[TURN | {"driver_reasoning": "a\udc00"}]), "driver_reasoning", id="deep"
        ),
        pytest.param(minimal_document(metadata={"k\ud800": 1}), r"result.metadata\[...\]", id="key"),
        pytest.param(
            minimal_document(metadata={"hunter2": "\ud800"}), r"result.metadata\[...\]", id="free-key"
        ),
    ],
)
def test_lone_surrogates_are_refused_with_their_place(document: object, place: str) -> None:
    with pytest.raises(SchemaError, match=rf"{place}: .*without lone surrogates") as caught:
        read(document)
    assert "hunter2" not in str(caught.value)
    with pytest.raises(SchemaError, match=r"surrogates|valid JSON"):
        deserialize_record(data=json.dumps(document, ensure_ascii=False))


def test_a_surrogate_pair_is_one_character() -> None:
    assert read(minimal_document(summary="🙂")).result.summary == "🙂"


def nested(levels: int) -> str:
    """A record nested to exactly `levels`; its own braces are the first two of them."""
    inner = "[" * (levels - 2) + "]" * (levels - 2)
    return (
        json.dumps(minimal_document(metadata=123456))
        .replace("123456", "{}")
        .replace('"summary"', f'"new": {inner}, "summary"')
    )


def test_the_limit_of_nesting_is_64() -> None:
    deserialize_record(data=nested(64))
    with pytest.raises(SchemaError, match=r"^record: nested deeper than 64$"):
        deserialize_record(data=nested(65))


def test_brackets_in_strings_are_no_nesting() -> None:
    text = '[{\\"' * 100
    assert read(minimal_document(metadata={text: text})).result.metadata == {text: text}


@pytest.mark.parametrize("levels", [1_000, 100_000])
def test_nesting_without_end_is_refused(levels: int) -> None:
    with pytest.raises(SchemaError, match=r"^record: nested"):
        deserialize_record(data=nested(levels))


MARKER = "hunter2"


@settings(deadline=None)
@given(st.sampled_from(places(full_document())[1:]), st.sampled_from([MARKER, [MARKER], {MARKER: MARKER}]))
def test_errors_never_show_the_data(place: tuple[str | int, ...], value: object) -> None:
    document = full_document()
    at(document, *place[:-1])[place[-1]] = value
    error = error_of(document)
    if error is not None:
        assert MARKER not in str(error)
        assert error.__cause__ is None
        assert error.__suppress_context__


def error_of(document: object) -> SchemaError | None:
    try:
        read(document)
    except SchemaError as error:
        return error
    return None


@settings(deadline=None)
@given(st.text(max_size=40) | st.binary(max_size=40).map(lambda data: data.decode("latin-1")))
def test_any_other_text_is_a_schema_error(text: str) -> None:
    with pytest.raises(SchemaError):
        deserialize_record(data=text)


@settings(deadline=None)
@given(st.integers(0, len(json.dumps(full_document())) - 1))
def test_a_record_cut_anywhere_is_a_schema_error(length: int) -> None:
    with pytest.raises(SchemaError, match=r"^record: expected one line of valid JSON$"):
        deserialize_record(data=json.dumps(full_document())[:length])
