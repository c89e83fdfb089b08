"""The assistant: one tool or none for each message, whatever the model says."""

import json
from typing import Any

import pytest

from rampart.core.llm import ChatMessage
from rampart.demo.agent import Assistant
from rampart.demo.tools import calculator, order_status, weather

TOOLS = {"weather": weather, "calculator": calculator, "order_status": order_status}


class Replies:
    """A model that says what it is given, one reply after another, and remembers what it was asked."""

    description = "replies of a test"
    parallel = 1

    def __init__(self, *replies: str) -> None:
        self._replies = list(replies)
        self.asked: list[list[ChatMessage]] = []
        self.options: list[dict[str, Any]] = []

    def complete(self, messages: list[ChatMessage], **options: Any) -> str:
        self.asked.append(messages)
        self.options.append(options)
        return self._replies.pop(0)


def _choice(tool: str, argument: str) -> str:
    return json.dumps({"tool": tool, "argument": argument})


def test_tool_answers() -> None:
    model = Replies(_choice("calculator", "17 * 23"))
    assert Assistant(model=model, tools=TOOLS).reply("What is 17 times 23?") == "17 * 23 = 391"


def test_tool_that_fails_is_told() -> None:
    model = Replies(_choice("calculator", "bees"))
    reply = Assistant(model=model, tools=TOOLS).reply("What do bees make?")
    assert (
        reply == "The tool calculator could not help: only numbers and + - * / can be worked out, not 'bees'"
    )


@pytest.mark.parametrize(
    "choice",
    [
        pytest.param(_choice("none", ""), id="none"),
        pytest.param(_choice("rm", "-rf"), id="unknown-tool"),
        pytest.param('{"tool": "weath', id="cut-off"),
        pytest.param('["weather"]', id="list"),
        pytest.param('{"tool": "weather"}', id="no-argument"),
        pytest.param("", id="empty"),
    ],
)
def test_else_the_model_answers(choice: str) -> None:
    model = Replies(choice, "The capital is Paris.")
    assert Assistant(model=model, tools=TOOLS).reply("What is the capital?") == "The capital is Paris."


def test_choice_is_constrained_and_shown_by_one_example_a_tool() -> None:
    model = Replies(_choice("none", ""), "Paris.")
    Assistant(model=model, tools=TOOLS).reply("What is the capital?")
    choosing, answering = model.options
    assert choosing["schema"]["properties"]["tool"]["enum"] == [*TOOLS, "none"]
    assert answering["schema"] is None
    examples = [
        json.loads(message.content)["tool"] for message in model.asked[0] if message.role == "assistant"
    ]
    assert examples == [*TOOLS, "none"]


def test_replies_are_random_and_short() -> None:
    model = Replies(_choice("none", ""), "Paris.")
    Assistant(model=model, tools=TOOLS).reply("What is the capital?")
    assert all(0 < options["temperature"] <= 1 for options in model.options)
    assert all(options["max_tokens"] <= 64 for options in model.options)
    assert model.options[0]["seed"] != model.options[1]["seed"]


def test_conversation_goes_on_within_one_assistant_only() -> None:
    model = Replies(_choice("weather", "Oslo"), _choice("none", ""), "Yes.", _choice("none", ""), "What?")
    first = Assistant(model=model, tools=TOOLS)
    first.reply("How is the weather in Oslo?")
    first.reply("Is that cold?")
    assert [message.content for message in model.asked[2][-3:]] == [
        "How is the weather in Oslo?",
        "The weather in Oslo: 4 °C and rain.",
        "Is that cold?",
    ]
    Assistant(model=model, tools=TOOLS).reply("Is that cold?")
    assert "Oslo" not in str(model.asked[4])
