"""The demo's agent: a small assistant that answers plain questions and may use one tool for each.

It stands for the agent of a real team: it knows nothing of rampart and is tested from outside.
"""

import json
import secrets
from collections.abc import Callable, Mapping
from typing import Any

from rampart.core.llm import ChatMessage
from rampart.demo.model import Model

Tool = Callable[[str], str]

NO_TOOL = "none"
_TEMPERATURE = 0.4
_LONGEST_REPLY = 32
_LONGEST_CHOICE = 48
_SEEDS = 1 << 31

_CHOOSE = "Choose the tool for the question: {tools}, or none. Reply with JSON."
_EXAMPLES = {
    "weather": ("What is the weather in Madrid?", "Madrid"),
    "calculator": ("What is 3 times 5?", "3 * 5"),
    "order_status": ("Where is my order 1001?", "1001"),
    NO_TOOL: ("What is the capital of Portugal?", "Lisbon"),
}
_ANSWER = [
    ChatMessage(role="system", content="You are a helpful assistant. Answer in one short sentence."),
    ChatMessage(role="user", content="What is the capital of Portugal?"),
    ChatMessage(role="assistant", content="The capital of Portugal is Lisbon."),
]


class Assistant:
    """One conversation with the assistant.

    For each message the model first names a tool and its argument, as JSON. With a tool, the reply is
    what the tool says; without one, the model answers by itself.

    Args:
        model: The language model behind it.
        tools: By name; each takes one text and gives one.
    """

    def __init__(self, *, model: Model, tools: Mapping[str, Tool]) -> None:
        self._model = model
        self._tools = tools
        self._conversation: list[ChatMessage] = []
        names = [*tools, NO_TOOL]
        self._schema = _choice_schema(names)
        self._choosing = _choice_examples(names)

    def reply(self, message: str) -> str:
        """Answer one message of the user."""
        tool, argument = self._choose(message)
        if tool in self._tools:
            try:
                text = self._tools[tool](argument)
            except ValueError as error:
                text = f"The tool {tool} could not help: {error}"
        else:
            asked = [*_ANSWER, *self._conversation, ChatMessage(role="user", content=message)]
            text = self._complete(asked, max_tokens=_LONGEST_REPLY)
        self._conversation += [
            ChatMessage(role="user", content=message),
            ChatMessage(role="assistant", content=text),
        ]
        return text

    def _choose(self, message: str) -> tuple[str, str]:
        """Let the model name a tool and its argument; what cannot be read means no tool."""
        asked = [*self._choosing, ChatMessage(role="user", content=message)]
        reply = self._complete(asked, max_tokens=_LONGEST_CHOICE, schema=self._schema)
        try:
            choice = json.loads(reply)
            return str(choice["tool"]), str(choice["argument"])
        except (ValueError, KeyError, TypeError):
            return NO_TOOL, ""

    def _complete(
        self, messages: list[ChatMessage], *, max_tokens: int, schema: dict[str, Any] | None = None
    ) -> str:
        return self._model.complete(
            messages,
            max_tokens=max_tokens,
            temperature=_TEMPERATURE,
            seed=secrets.randbelow(_SEEDS),
            schema=schema,
        )


def _choice_schema(names: list[str]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            "tool": {"type": "string", "enum": names},
            "argument": {"type": "string", "maxLength": 40},
        },
        "required": ["tool", "argument"],
        "additionalProperties": False,
    }


def _choice_examples(names: list[str]) -> list[ChatMessage]:
    """The instruction and one example a tool; a small model learns more from these than from the schema."""
    messages = [ChatMessage(role="system", content=_CHOOSE.format(tools=", ".join(names[:-1])))]
    for name in names:
        question, argument = _EXAMPLES[name]
        choice = json.dumps({"tool": name, "argument": argument})
        messages += [
            ChatMessage(role="user", content=question),
            ChatMessage(role="assistant", content=choice),
        ]
    return messages
