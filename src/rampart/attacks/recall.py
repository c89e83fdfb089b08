"""Asking an agent's memory whether it kept what was planted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rampart.core.admission import EVALUATOR_MEMBERS, admit
from rampart.drivers.coerce import coerce_driver
from rampart.drivers.static import StaticDriver

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rampart.core.evaluator import Evaluator
    from rampart.core.types import Request


@dataclass(frozen=True, kw_only=True)
class Recall:
    """A question, asked in a session of its own, whose answer shows whether the memory holds something.

    Attributes:
        ask: The message or messages, such as "What do you know about invoices?".
        evaluator: Detects that the memory holds what was planted.

    Raises:
        TypeError: If `ask` is no message, or `evaluator` no evaluator.
        ValueError: If `ask` is an empty list.
    """

    ask: str | Request | Sequence[str | Request]
    evaluator: Evaluator

    def __post_init__(self) -> None:
        """Refuse what cannot be asked."""
        admit(self.evaluator, members=EVALUATOR_MEMBERS, role="evaluator")
        if not self.driver.requests:
            msg = "ask is empty, so the memory would not be asked: give it a message"
            raise ValueError(msg)

    @property
    def driver(self) -> StaticDriver:
        """What sends the messages."""
        driver: object = coerce_driver(self.ask)
        if not isinstance(driver, StaticDriver):
            msg = f"ask must be a text, a Request or a list of these, got {type(self.ask).__name__}"
            raise TypeError(msg)
        return driver
