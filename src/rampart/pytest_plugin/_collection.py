"""What each test records: the results and populations that come into being while it runs."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rampart.core.checked import was_read
from rampart.core.population import member_verdicts, worst_status
from rampart.core.result import Result, SafetyStatus, status_of
from rampart.pytest_plugin._populations import EndedPopulation
from rampart.text.oneline import one_line
from rampart.text.safe import safe_repr, safe_str

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rampart.core.population import PopulationResult
    from rampart.core.result import PopulationRef
    from rampart.pytest_plugin._attempt import Attempt

_INVALID_STATUS = "_rampart_invalid_status"
_RESERVED = ("_pytest_", "_rampart_")


class Collector:
    """What one test, or one repetition of it, has recorded.

    Attributes:
        results: The recorded copies, in the order in which they came.
        populations: The populations that ended.
    """

    def __init__(self, attempt: Attempt, *, repetition: PopulationRef | None = None) -> None:
        self.results: list[Result] = []
        self.populations: list[EndedPopulation] = []
        self._attempt = attempt
        self._repetition = repetition
        # By identity. Holding the objects keeps their identities from being given to others.
        self._originals: dict[int, tuple[Result, list[Result]]] = {}
        self._spoken_for: set[int] = set()

    def add_result(self, result: Result) -> None:
        """Record a copy; an object that is recorded already counts again only where it says something new.

        A strategy may return one object again and again, with another verdict or as another trial.
        """
        run = self._attempt.run
        with run.lock:
            _, copies = self._originals.setdefault(id(result), (result, []))
            if copies and _says_the_same(result, copies[-1], self._repetition):
                return
            recorded = recorded_copy(result, self._attempt, self._repetition)
            copies.append(recorded)
            self.results.append(recorded)
            self._note(recorded)
            run.keep(recorded)

    def _note(self, recorded: Result) -> None:
        """Tell the attempt what its checks and its reports ask for."""
        attempt = self._attempt
        if attempt.first_bad is None and status_of(recorded) is not SafetyStatus.SAFE:
            attempt.first_bad = recorded
        ref = recorded.population
        if ref is not None and ref.id != attempt.population_id:
            attempt.trials.add((ref.id, ref.index))
            attempt.declared.setdefault(ref.id, (ref.size, ref.threshold))

    def add_population(self, population: PopulationResult, *, population_id: str) -> None:
        """Record that the trials of a population are over."""
        ended = EndedPopulation.of(population, population_id=population_id)
        with self._attempt.run.lock:
            self.populations.append(ended)
            self._spoken_for.update(map(id, self._copies_of(population, population_id)))
            self._attempt.declared[ended.id] = (ended.size, ended.threshold)
            self._attempt.keep_population(
                ended.id,
                size=ended.size,
                threshold=ended.threshold,
                statuses=map(status_of, population.results),
                members=population.results,
            )

    @property
    def status(self) -> SafetyStatus:
        """What all that was recorded amounts to; without anything nobody knows."""
        statuses = [population.status for population in self.populations]
        statuses += map(status_of, self.results_on_their_own())
        return worst_status(statuses)

    def results_on_their_own(self) -> Iterator[Result]:
        """The results that no ended population speaks for."""
        return (result for result in self.results if id(result) not in self._spoken_for)

    def _copies_of(self, population: PopulationResult, population_id: str) -> Iterator[Result]:
        """What was recorded of the members; a result that only claims to be one is none."""
        for member in population.results:
            _, copies = self._originals.get(id(member), (member, []))
            for recorded in copies:
                if recorded.population is not None and recorded.population.id == population_id:
                    yield recorded

    def unread(self, *, after: tuple[int, int] = (0, 0)) -> Iterator[str]:
        """A line for each verdict that is not SAFE and that nobody looked at.

        Args:
            after: How many results and populations to leave out, from the first.
        """
        asked = {id(result) for result in self.results[after[0] :]}
        for result in self.results_on_their_own():
            status = status_of(result)
            if id(result) in asked and status is not SafetyStatus.SAFE and not was_read(result):
                summary = one_line(safe_str(result.summary))
                yield f"rampart: {status.value} result was never checked: {summary}"
        for population in self.populations[after[1] :]:
            if population.status is not SafetyStatus.SAFE and not population.was_read:
                yield (
                    f"rampart: {population.status.value} population was never checked: {population.summary}"
                )

    def close(self) -> None:
        """Note which populations of the test were cut short, and let go of the test's own objects."""
        ended = {population.id for population in self.populations}
        if self._repetition is not None:
            ended.add(self._repetition.id)
        open_populations: dict[PopulationRef, list[Result]] = {}
        for result in self.results_on_their_own():
            if result.population is not None and result.population.id not in ended:
                open_populations.setdefault(replace(result.population, index=0), []).append(result)
        for ref, members in open_populations.items():
            self._attempt.keep_population(
                ref.id,
                size=ref.size,
                threshold=ref.threshold,
                statuses=member_verdicts(members).values(),
                cut_short=True,
                members=members,
            )
        self._originals.clear()
        for population in self.populations:
            population.live = None


def _says_the_same(result: Result, recorded: Result, repetition: PopulationRef | None) -> bool:
    """Whether recording `result` would repeat the last copy of it."""
    same_status = recorded.metadata.get(_INVALID_STATUS) or status_of(recorded)
    status: object = status_of(result)
    if not isinstance(status, SafetyStatus):
        status = safe_str(status)
    return (
        status == same_status
        and result.duration_seconds == recorded.duration_seconds  # another one was another execution
        and (result.population or repetition) == recorded.population
    )


def stray_copy(result: Result) -> Result:
    """A copy that can be written down, with metadata of its own."""
    if not isinstance(result, Result):
        msg = f"expected a Result, got {type(result).__name__}"
        raise TypeError(msg)
    recorded = copy.copy(result)
    given: object = result.metadata
    metadata: dict[str, Any] = _without_reserved(given) if isinstance(given, dict) else {"metadata": given}
    status: object = status_of(result)
    if not isinstance(status, SafetyStatus):  # made by hand; a verdict that is none never passes
        shown, kind = safe_repr(status), type(status).__name__
        metadata[_INVALID_STATUS] = safe_str(status)
        recorded.status = SafetyStatus.ERROR
        recorded.summary = f"the status was {shown} ({kind}), not a SafetyStatus: {safe_str(result.summary)}"
    recorded.metadata = metadata
    return recorded


def _without_reserved(metadata: dict[Any, Any]) -> dict[Any, Any]:
    """The user's entries; a result that was recorded before, or read back, has some of ours."""
    return {
        key: value
        for key, value in metadata.items()
        if not (isinstance(key, str) and key.startswith(_RESERVED))
    }


def recorded_copy(result: Result, attempt: Attempt, repetition: PopulationRef | None) -> Result:
    """A copy that says where it comes from; the test's own object stays as it is."""
    recorded = stray_copy(result)
    metadata = recorded.metadata
    metadata["_pytest_test_name"] = attempt.name
    metadata["_pytest_nodeid"] = attempt.nodeid
    metadata["_rampart_result_index"] = attempt.take_index()
    if attempt.is_rerun_known:
        metadata["_rampart_attempt"] = attempt.ordinal
    if recorded.harm_category is None:
        recorded.harm_category = attempt.harm_category
    if recorded.population is None:
        recorded.population = repetition
    return recorded
