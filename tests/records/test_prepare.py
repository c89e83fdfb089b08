"""What preparing leaves as it is, and what it takes out of every string."""

from __future__ import annotations

from typing import Any

import pytest
from tests.records.preparing import (
    changed,
    prepared_turn,
    prepared_value,
)
from tests.records.support import full_result, result_of, turn_of

from rampart.core.types import (
    Payload,
    Request,
)
from rampart.records import prepare_record, serialize_record
from rampart.text.secrets import _isolated_secrets, register_secret


def test_a_clean_result_loses_nothing_and_is_copied() -> None:
    result = full_result()
    record = prepare_record(result=result, pytest_nodeid="a.py::b", result_index=0)
    assert record.losses == []
    assert (record.result, record.pytest_nodeid, record.result_index) == (result, "a.py::b", 0)
    assert record.truncated is False
    call, copied = result.turns[0].response.tool_calls[0], record.result.turns[0].response.tool_calls[0]
    assert copied is not call
    call.arguments["cc"].append("later")
    assert "later" not in copied.arguments["cc"]


@pytest.mark.parametrize(
    ("given", "losses"),
    [
        pytest.param({"pytest_nodeid": 3}, [("pytest_nodeid", "wrong_type")], id="node-id"),
        pytest.param({"pytest_nodeid": "\ud800"}, [("pytest_nodeid", "surrogate")], id="surrogate"),
        pytest.param({"result_index": -1}, [("result_index", "wrong_type")], id="negative"),
        pytest.param({"result_index": True}, [("result_index", "wrong_type")], id="bool"),
        pytest.param({"result_index": 1.0}, [("result_index", "wrong_type")], id="float"),
    ],
)
def test_the_envelope_is_prepared_too(given: dict[str, Any], losses: list[tuple[str, str]]) -> None:
    record = prepare_record(result=result_of(), **given)
    assert [(loss.path, loss.reason) for loss in record.losses] == losses
    serialize_record(record=record)


def test_secrets_go_from_every_string_and_key_without_a_loss() -> None:
    with _isolated_secrets():
        register_secret("hunter2-hunter2")
        result = full_result()
        result.summary = "failed with hunter2-hunter2"
        result.metadata = {"hunter2-hunter2": ["Bearer hunter2-hunter2"], "***": {"hunter2-hunter2 ": 1}}
        result.turns[0].response.text = "the key is hunter2-hunter2 🙂"
        call = result.turns[0].response.tool_calls[0]
        call.raw_arguments, call.name = "{'k': 'hunter2-hunter2'", "hunter2-hunter2"
        record = prepare_record(result=result, pytest_nodeid="a.py::t[hunter2-hunter2]")
        text = serialize_record(record=record)
    assert "hunter2" not in text
    assert record.losses == []
    assert record.result.summary == "failed with ***"
    assert record.result.metadata == {"*** (2)": ["Bearer ***"], "***": {"*** ": 1}}
    assert record.pytest_nodeid == "a.py::t[***]"


def test_a_secret_does_not_survive_in_a_cut_representation() -> None:
    with _isolated_secrets():
        register_secret("hunter2-hunter2")
        found, losses = prepared_value({("x" * 190 + "hunter2-hunter2").encode()})
    assert "hunter" not in found
    assert losses == [("", "not_json")]


def test_a_payload_id_that_is_a_secret_is_replaced() -> None:
    with _isolated_secrets():
        register_secret("hunter2-hunter2")
        payload = Payload(content="c", id="hunter2-hunter2")
        turn, _ = prepared_turn(changed(turn_of(), request=Request(attachments=[payload])))
    assert "hunter2" not in turn.request.attachments[0].id
