"""What is read out of error bodies."""

from __future__ import annotations

import pytest

from rampart.llm.refusal import Refusal, refusal_of
from rampart.text.secrets import register_secret


@pytest.mark.parametrize(
    ("body", "text", "code"),
    [
        pytest.param('{"error": {"message": "no", "code": "c", "type": "t"}}', "no", "c", id="openai"),
        pytest.param(
            '{"error": {"message": "no", "code": null, "type": "t"}}', "no", "t", id="type-for-code"
        ),
        pytest.param('{"error": {"message": "no", "code": 404}}', "no", "404", id="number-for-code"),
        pytest.param('{"error": "no model"}', "no model", "", id="ollama"),
        pytest.param('{"object": "error", "message": "no", "code": 400}', "no", "400", id="vllm"),
        pytest.param('{"detail": [{"loc": ["a"]}]}', '[{"loc": ["a"]}]', "", id="fastapi"),
        pytest.param('{"a": 1}', '{"a": 1}', "", id="other-json"),
        pytest.param("[1]", "[1]", "", id="list"),
        pytest.param(
            '{"error": {"message": "f", "code": "content_filter", "innererror": {"code": "Policy"}}}',
            "f",
            "Policy",
            id="azure",
        ),
        pytest.param("upstream\nfailed", r"upstream\nfailed", "", id="text"),
        pytest.param(" \n", "no text", "", id="blank"),
        pytest.param(
            "<html><TITLE lang=x> Bad\nGateway </title>", r"an HTML page titled 'Bad\nGateway'", "", id="page"
        ),
        pytest.param("<!doctype html><p>", "an HTML page", "", id="page-without-title"),
        pytest.param("x" * 400, "x" * 300 + "...", "", id="long"),
        pytest.param("\x1b[31mred\u202e", r"red\u202e", "", id="controls"),
    ],
)
def test_bodies(body: str, text: str, code: str) -> None:
    assert refusal_of(body) == Refusal(text=text, code=code)


@pytest.mark.parametrize("padding", [0, 290])
def test_no_secret_and_no_half_of_one(padding: int) -> None:
    register_secret("sk-0123456789abcdef")
    shown = refusal_of("x" * padding + "sk-0123456789abcdef").text
    assert "sk-0" not in shown
    assert "***" in shown
