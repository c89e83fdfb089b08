"""What the metadata of a configuration says."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from rampart import ConfigurationError, LLMConfig
from rampart.llm.options import DEFAULT_TIMEOUT_S, CallOptions, call_options


def of(metadata: dict[str, Any]) -> CallOptions:
    return call_options(LLMConfig(model="m", metadata=metadata))


def test_nothing_said(caplog: pytest.LogCaptureFixture) -> None:
    assert of({}) == CallOptions(sampling={}, timeout_s=DEFAULT_TIMEOUT_S)
    assert caplog.records == []


def test_a_silent_model_is_given_up_before_the_turn_is() -> None:
    from rampart import Limits

    assert (Limits().turn_timeout_s or 0) > DEFAULT_TIMEOUT_S


def test_keys_that_are_read_are_neither_sent_nor_named(caplog: pytest.LogCaptureFixture) -> None:
    assert of({"api_version": "2024-10-21", "timeout_s": 5}) == CallOptions(sampling={}, timeout_s=5)
    assert caplog.records == []


def test_other_keys_are_named_whatever_they_are(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="rampart"):
        of({"stop": ["x"], "line\nbreak": 1})
    assert r"the metadata keys line\nbreak, stop are not sent" in caplog.text


@pytest.mark.parametrize(
    ("metadata", "text"),
    [
        pytest.param(
            {"temperature": "hot"}, r"\['temperature'\] must be a finite number, got 'hot'", id="text"
        ),
        pytest.param({"top_p": True}, r"\['top_p'\] must be a finite number, got True", id="bool"),
        pytest.param({"top_p": float("nan")}, r"\['top_p'\] must be a finite number, got nan", id="nan"),
        pytest.param({"timeout_s": 0}, r"\['timeout_s'\] must be positive, in seconds, got 0", id="no-time"),
        pytest.param(
            {"timeout_s": "9"}, r"\['timeout_s'\] must be a finite number, got '9'", id="time-as-text"
        ),
    ],
)
def test_what_is_no_number_is_refused(metadata: dict[str, Any], text: str) -> None:
    with pytest.raises(ConfigurationError, match=rf"^LLMConfig\.metadata{text}$"):
        of(metadata)
