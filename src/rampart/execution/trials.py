"""Running an execution many times, many at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rampart.core.admission import ADAPTER_MEMBERS, admit
from rampart.core.errors import ConfigurationError
from rampart.core.limits import configured_trial_concurrency
from rampart.core.listener import emit_population
from rampart.core.population import PopulationResult
from rampart.core.result import check_count, checked_threshold
from rampart.execution.pending import announced

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from rampart.core.adapter import AgentAdapter
    from rampart.execution.base import BaseExecution


def execute_trials_async(
    *,
    execution_factory: Callable[[], BaseExecution],
    adapter: AgentAdapter,
    n: int,
    threshold: float = 1.0,
    concurrency: int | None = None,
    stop_when_decided: bool = False,
) -> Coroutine[Any, Any, PopulationResult]:
    """Run `n` trials, overlapping, and say what they show together.

    Args:
        execution_factory: Called once per trial, in index order, shortly before the trial starts. What
            belongs to one trial (drivers, injections, evaluators with state) is made here.
        adapter: The agent; each trial opens a session of its own.
        n: How many trials, at least 1.
        threshold: The smallest fraction of SAFE trials that passes, 0 to 1.
        concurrency: How many trials run at once; None takes the configured default. An adapter's
            `max_concurrent_sessions` is a further limit.
        stop_when_decided: Start no further trial once the verdict cannot change. Trials that run
            finish and count, so this saves something only with `concurrency` below `n`.

    Returns:
        The results in index order, and the verdict over them. A test must await and check it.

    Raises:
        TypeError: If an argument has the wrong type, such as an execution where a function that makes one
            is expected, or the factory gives no execution.
        ValueError: If a number is out of range.
        ConfigurationError: If no asyncio event loop is running, or `max_concurrent_sessions` is unusable.
    """
    return announced(
        _run_trials_async(
            execution_factory=execution_factory,
            adapter=adapter,
            n=n,
            threshold=threshold,
            concurrency=concurrency,
            stop_when_decided=stop_when_decided,
        ),
        what="execute_trials_async",
    )


async def _run_trials_async(
    *,
    execution_factory: Callable[[], BaseExecution],
    adapter: AgentAdapter,
    n: int,
    threshold: float,
    concurrency: int | None,
    stop_when_decided: bool,
) -> PopulationResult:
    # asyncio costs as much to import as the rest of rampart, and who only imports does not need it.
    from rampart.execution.running import running_loop  # noqa: PLC0415
    from rampart.execution.trial_factory import checked_factory  # noqa: PLC0415
    from rampart.execution.trial_schedule import TrialSchedule  # noqa: PLC0415

    running_loop()
    check_count(n, name="n")
    checked = checked_threshold(threshold, name="threshold")
    if concurrency is not None:
        check_count(concurrency, name="concurrency")
    admit(adapter, members=ADAPTER_MEMBERS, role="adapter")
    factory = checked_factory(execution_factory)
    width = min(concurrency or configured_trial_concurrency(), session_cap(adapter) or n, n)
    trials = TrialSchedule(
        factory=factory,
        adapter=adapter,
        n=n,
        threshold=checked,
        width=width,
        stop_when_decided=stop_when_decided,
    )
    await trials.run_async()
    population = PopulationResult(results=trials.results(), threshold=checked, requested_count=n)
    emit_population(population, population_id=trials.population_id)
    return population


def session_cap(adapter: AgentAdapter) -> int | None:
    """How many sessions of the adapter may be open at once; None if it does not say.

    Raises:
        ConfigurationError: If what it says is no whole number of at least 1.
    """
    cap: object = getattr(adapter, "max_concurrent_sessions", None)
    if cap is None:
        return None
    if isinstance(cap, bool) or not isinstance(cap, int) or cap < 1:
        msg = (
            f"{type(adapter).__name__}.max_concurrent_sessions must be an integer of at least 1, "
            f"or None for no limit, got {cap!r}"
        )
        raise ConfigurationError(msg)
    return cap
