"""What sees side effects by itself, without the agent's adapter: a sink that listens, a proxy in between."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rampart.core.types import SideEffect

COVERAGE_KEY = "observed_side_effects"
"""The key of `Response.metadata` under which a turn says what was watched besides the adapter's channels."""


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """A kind of side effect that would have been seen, had it happened.

    Attributes:
        kind: The kind of side effect.
        details: Particulars that limit the claim: of side effects with exactly these, none is missed. A
            sink sees every request to its own host, and none to another.
    """

    kind: str
    details: dict[str, Any] = field(default_factory=dict)


@runtime_checkable
class SideEffectLog(Protocol):
    """What one source saw of one execution."""

    @abstractmethod
    def take(self) -> list[SideEffect]:
        """What was seen since the last call, in order."""
        ...

    @abstractmethod
    def coverage(self) -> Sequence[Coverage]:
        """What would not have been missed so far; empty once something may have gone to another execution."""
        ...

    @abstractmethod
    def close(self) -> None:
        """The execution is over; calling it again does nothing."""
        ...


@runtime_checkable
class SideEffectSource(Protocol):
    """Something that sees side effects of agents, and tells whose they are by what the agents were shown."""

    @abstractmethod
    def isolation_keys(self, texts: Sequence[str], /) -> frozenset[str]:
        """What an execution must not share with another at the same time, so that effects can be told apart.

        Args:
            texts: The payloads and prompts of the execution, as far as they are known beforehand.
        """
        ...

    @abstractmethod
    def open_log(self, texts: Sequence[str], /) -> SideEffectLog:
        """Begin to watch for an execution whose agent will be shown `texts`."""
        ...


_sources: list[SideEffectSource] = []


def add_source(source: SideEffectSource) -> None:
    """Let executions that start from now on be watched by `source`."""
    _sources.append(source)


def remove_source(source: SideEffectSource) -> None:
    """Stop that; a source that is not there is no error."""
    _sources[:] = [one for one in _sources if one is not source]


def current_sources() -> tuple[SideEffectSource, ...]:
    """The sources that watch executions which start now."""
    return tuple(_sources)
