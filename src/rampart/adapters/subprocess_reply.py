"""What a command-line agent prints, made a turn."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from rampart.adapters.reply import response_of
from rampart.core.errors import InfrastructureError
from rampart.text.ansi import strip_ansi
from rampart.text.oneline import quote

if TYPE_CHECKING:
    from collections.abc import Callable

    from rampart.adapters.turn_log import TurnLog

Output = Literal["text", "json", "json_lines"]
"""How an agent prints: plain text, one JSON value, or one JSON value a line."""

_SHOWN = 200


@dataclass(frozen=True, kw_only=True)
class ReplyReader:
    """Reads output of one form.

    Attributes:
        label: The agent as messages name it.
        output: The form.
        read: Makes a reply of a JSON value: a str, a dict with the keys of `Response`, a `Response`, or None
            for a value that says nothing. None where the values are such dicts already.
    """

    label: str
    output: Output
    read: Callable[[Any], Any] | None

    def take_text(self, printed: bytes, turn: TurnLog) -> None:
        """Take everything that was printed for a turn: plain text, or one JSON value."""
        text = printed.decode("utf-8", "replace")
        if self.output == "text":
            turn.text = strip_ansi(text).strip()
            return
        if not self._take(self._parsed(text), turn):
            msg = f"{self.label} printed {quote(text, _SHOWN)}, which has no text to take for the reply"
            raise InfrastructureError(msg)

    def take_beginning(self, printed: bytes | bytearray, turn: TurnLog) -> None:
        """Take what was printed as text before a turn failed."""
        if self.output == "text":
            turn.text = turn.text or strip_ansi(printed.decode("utf-8", "replace")).strip()

    def take_line(self, line: bytes, turn: TurnLog) -> bool:
        """Take a line of JSON; whether it had the reply's text, which ends the turn."""
        text = line.decode("utf-8", "replace")
        return bool(text.strip()) and self._take(self._parsed(text), turn)

    def _parsed(self, text: str) -> Any:
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            what = "a line that is no JSON" if self.output == "json_lines" else "what is no JSON"
            msg = (
                f"{self.label} printed {what}: {quote(text, _SHOWN)}; print nothing else to standard output, "
                'and messages to standard error, or use output="text"'
            )
            raise InfrastructureError(msg) from error

    def _take(self, value: Any, turn: TurnLog) -> bool:
        reply = value if self.read is None else self.read(value)
        if reply is None:
            return False
        if isinstance(reply, dict):
            has_text = reply.get("text") is not None
            reply = {**reply, "text": reply["text"] if has_text else ""}
        else:
            has_text = True
        response = response_of(reply, source=self.label)
        for call in response.tool_calls:
            turn.told(call)
        turn.side_effects += response.side_effects
        turn.count(response.usage)
        turn.metadata |= response.metadata
        if has_text:
            turn.text = response.text
        return has_text
