"""What all probes and attacks are: something that is executed against an agent and gives a verdict."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any, NoReturn, final

from rampart.core.admission import ADAPTER_MEMBERS, admit
from rampart.core.limits import Limits
from rampart.execution.pending import announced
from rampart.execution.watched_effects import keys_of_watched

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from collections.abc import Callable, Coroutine, Sequence

    from rampart.core.adapter import AgentAdapter
    from rampart.core.result import PopulationRef, Result
    from rampart.execution.events import ExecutionEventHandler
    from rampart.execution.lifecycle import Lifecycle


@cache
def _engine() -> tuple[type[Lifecycle], Callable[[], AbstractEventLoop]]:
    """What runs executions, imported with asyncio when the first one runs.

    asyncio costs as much to import as the rest of rampart, and who only imports does not need it.
    """
    from rampart.execution.lifecycle import Lifecycle  # noqa: PLC0415
    from rampart.execution.running import running_loop  # noqa: PLC0415

    return Lifecycle, running_loop


class BaseExecution(ABC):
    """One probe or attack, ready to be executed against an agent; nothing is started before.

    Args:
        event_handlers: Told how each run goes, in this order.
        limits: Time limits; they replace the configured ones as a whole.

    Raises:
        TypeError: If `limits` is no Limits, `event_handlers` no list, or a handler has no `on_event_async`.
    """

    def __init__(
        self,
        *,
        event_handlers: Sequence[ExecutionEventHandler] | None = None,
        limits: Limits | None = None,
    ) -> None:
        if limits is not None and not isinstance(limits, Limits):
            msg = f"limits must be a Limits or None, got {type(limits).__name__}"
            raise TypeError(msg)
        self._event_handlers = _checked_handlers(event_handlers)
        self._limits = limits

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Refuse a subclass that replaces the lifecycle."""
        super().__init_subclass__(**kwargs)
        if cls.execute_async is not BaseExecution.execute_async:
            msg = f"{cls.__name__} must not define execute_async; put what it does into _execute_async"
            raise TypeError(msg)

    @property
    @abstractmethod
    def strategy_name(self) -> str:
        """How the agent is tested, as results name it."""

    @property
    def isolation_keys(self) -> frozenset[str]:
        """What this execution must not share with another one that runs at the same time."""
        return keys_of_watched(self._shown_texts)

    def _shown_texts(self) -> Sequence[str]:
        """The prompts and payloads that the agent will be shown, as far as they are known beforehand.

        What listens for side effects tells by them whose agent caused one.
        """
        return ()

    @abstractmethod
    async def _execute_async(self, *, adapter: AgentAdapter) -> Result:
        """Test the agent and say what was found; an exception becomes an ERROR result."""

    def __bool__(self) -> NoReturn:
        """Refuse to stand for a verdict: nothing has run yet.

        Raises:
            TypeError: Always.
        """
        msg = (
            f"{type(self).__name__} has no verdict before it has run: "
            "write `result = await execution.execute_async(adapter=adapter)` and assert the result"
        )
        raise TypeError(msg)

    @final
    def execute_async(self, *, adapter: AgentAdapter) -> Coroutine[Any, Any, Result]:
        """Run once against `adapter`.

        Every exception becomes an ERROR result that keeps the turns so far. On cancellation everything
        that was opened is closed first. A test that calls this and does not await it fails.

        Raises:
            ConfigurationError: If no asyncio event loop is running.
            TypeError: If `adapter` lacks a member of AgentAdapter.
        """
        return announced(self._run_async(adapter), what="execute_async")

    async def _run_async(self, adapter: AgentAdapter) -> Result:
        lifecycle = self.prepare(adapter=adapter)
        lifecycle.begin()
        return await lifecycle.wait_async()

    @final
    def prepare(
        self,
        *,
        adapter: AgentAdapter,
        population: PopulationRef | None = None,
        on_end: Callable[[], None] | None = None,
    ) -> Lifecycle:
        """Make a run that is begun and awaited by the caller, for those who run many at once.

        Args:
            adapter: The agent under test.
            population: The place of this run among trials.
            on_end: Called in the event loop when the run is over.
        """
        lifecycle, running_loop = _engine()
        loop = running_loop()
        admit(adapter, members=ADAPTER_MEMBERS, role="adapter")
        return lifecycle(
            self,
            loop=loop,
            adapter=adapter,
            handlers=self._event_handlers,
            limits=self._limits,
            population=population,
            on_end=on_end,
        )


def _checked_handlers(given: object) -> tuple[ExecutionEventHandler, ...]:
    if given is None:
        return ()
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        msg = (
            f"event_handlers must be a list of ExecutionEventHandler, got {type(given).__name__}; "
            "put a single handler into a list"
        )
        raise TypeError(msg)
    handlers = tuple(given)
    for handler in handlers:
        admit(handler, members=("on_event_async",), role="event handler")
    return handlers
