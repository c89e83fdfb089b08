"""A session around another one, which takes snapshots of state before and after each turn."""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

from rampart.adapters.state_value import plain_state
from rampart.core.errors import attach_partial, partial_of
from rampart.core.state import AFTER, BEFORE, BEFORE_ERROR, ERROR, STATE_KEY, UNCHANGED
from rampart.text.oneline import quote
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import TracebackType

    from rampart.core.adapter import Session
    from rampart.core.types import Request, Response

_REASON = 300


class StateSession:
    """A session whose replies carry snapshots in their metadata.

    Args:
        session: The session that it is around; what else it has can be reached through this one.
        sources: What gives the state of each source, with the session as its argument.
    """

    def __init__(self, session: Session, sources: Mapping[str, Callable[[Any], Any]]) -> None:
        self._session = session
        self._sources = sources
        self._last: dict[str, dict[str, Any]] = {}
        self._first_turn = True

    def __getattr__(self, name: str) -> Any:
        """What the session has besides, such as the level of what it reports."""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._session, name)

    async def __aenter__(self) -> Self:
        """Open the session and take the first snapshots."""
        session = self._session
        self._session = await session.__aenter__()
        try:
            self._last = await self._snapshots_async()
        except BaseException as error:
            await session.__aexit__(type(error), error, error.__traceback__)
            raise
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> bool | None:
        """Release what the session holds."""
        return await self._session.__aexit__(exc_type, exc, traceback)

    async def send_async(self, request: Request, /) -> Response:
        """Send a message, and add to the reply what became of the state.

        Raises:
            InfrastructureError: If the agent failed; `partial` holds the state as well.
        """
        try:
            response = await self._session.send_async(request)
        except Exception as error:
            partial = partial_of(error)
            if partial is not None:
                attach_partial(error, await self._with_state_async(partial))
            raise
        return await self._with_state_async(response)

    async def _with_state_async(self, response: Response) -> Response:
        before, now = self._last, await self._snapshots_async()
        state = {name: _entry(before[name], now[name], first=self._first_turn) for name in now}
        self._last, self._first_turn = now, False
        return replace(response, metadata={**response.metadata, STATE_KEY: state})

    async def _snapshots_async(self) -> dict[str, dict[str, Any]]:
        return {name: await self._snapshot_async(source) for name, source in self._sources.items()}

    async def _snapshot_async(self, source: Callable[[Any], Any]) -> dict[str, Any]:
        """A snapshot, or why there is none: an evaluator that needs it cannot tell then, and says why."""
        try:
            state = source(self._session)
            if inspect.isawaitable(state):
                state = await state
            return {AFTER: plain_state(state)}
        except Exception as error:
            return {ERROR: quote(f"no snapshot: {type(error).__name__}: {safe_str(error)}", _REASON)}


def _entry(before: dict[str, Any], now: dict[str, Any], *, first: bool) -> dict[str, Any]:
    entry: dict[str, Any] = {}
    if first:
        entry = {BEFORE: before[AFTER]} if AFTER in before else {BEFORE_ERROR: before[ERROR]}
    if AFTER in before and AFTER in now and _equal(before[AFTER], now[AFTER]):
        now[AFTER] = before[AFTER]
        return {**entry, UNCHANGED: True}
    return {**entry, **now}


def _equal(one: Any, other: Any) -> bool:
    # Python takes True for 1 and 1.0 for 1; their texts are different, and so is a NaN's never.
    return bool(one == other) and repr(one) == repr(other)
