"""What was found out about an agent when rampart was connected to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rampart.core.log import log

if TYPE_CHECKING:
    from collections.abc import Callable

    from rampart.core.types import ObservabilityLevel


@dataclass(frozen=True, kw_only=True)
class Connection:
    """Which adapter was chosen for a target, and what can be said of the agent through it.

    Attributes:
        adapter: The adapter's name, such as `LangGraphAdapter`.
        target: What was given, as it was recognised, such as `a compiled LangGraph graph`.
        level: What the adapter reports completely, as far as is known before the first session.
        observed: What evaluators get to see.
        unobserved: What they do not, and how to change that.
    """

    adapter: str
    target: str
    level: ObservabilityLevel
    observed: str
    unobserved: str

    def __str__(self) -> str:
        """One line for people."""
        return (
            f"{self.adapter} for {self.target} ({self.level.value}). Observed: {self.observed}. "
            f"Not observed: {self.unobserved}."
        )


class _Process:
    """What this process was connected to."""

    noted: dict[str, Connection] = {}  # noqa: RUF012  # replaced, and then never shared


def note(connection: Connection) -> None:
    """Remember a connection for the end of the run, and log it the first time."""
    if _Process.noted.setdefault(str(connection), connection) is connection:
        log.info("connected: %s", connection)


def noted() -> list[Connection]:
    """The connections of this run so far, each once."""
    return list(_Process.noted.values())


def note_anew() -> Callable[[], None]:
    """Begin with none, for a run; what is returned puts back what was there, for a run around it."""
    before, _Process.noted = _Process.noted, {}

    def put_back() -> None:
        _Process.noted = before

    return put_back
