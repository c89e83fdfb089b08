"""The figures of one population, as reports list them and journals end it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from rampart.core.attack_rates import AttackRates
from rampart.core.errors import SchemaError
from rampart.core.population import Tally, member_verdicts
from rampart.core.result import SafetyStatus
from rampart.records import wire
from rampart.records.decode_errors import described
from rampart.records.figures import check_figures
from rampart.records.json_values import clean_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rampart.core.result import Result

Population: TypeAlias = dict[str, Any]
"""The keys `id, pytest_nodeid, size, executed, safe_count, threshold, pass_rate, decided_early,
interval, status`, all of them, with JSON values; and `attack_rates` where members are attacks."""


def population_object(
    *,
    population_id: str,
    pytest_nodeid: str | None,
    size: int,
    threshold: float,
    statuses: Iterable[SafetyStatus],
    cut_short: bool = False,
    members: Iterable[Result] = (),
) -> Population:
    """The figures that follow from the members' verdicts.

    Args:
        population_id: The population's id.
        pytest_nodeid: The test that ran it.
        size: How many members were asked for.
        threshold: The smallest fraction of SAFE members that passes, 0 to 1.
        statuses: One verdict for each member that ran.
        cut_short: Whether it was broken off (a skip, an interrupt), so that it has no verdict. Fewer
            members without this mean that it was decided early.
        members: The results of the members, for attack success and utility.
    """
    return _figures(
        Tally.of(statuses),
        population_id=population_id,
        pytest_nodeid=pytest_nodeid,
        size=size,
        threshold=threshold,
        cut_short=cut_short,
        members=members,
    )


def _figures(
    tally: Tally,
    *,
    members: Iterable[Result],
    population_id: str,
    pytest_nodeid: str | None,
    size: int,
    threshold: float,
    cut_short: bool = False,
) -> Population:
    figures = {
        "id": clean_text(population_id),
        "pytest_nodeid": None if pytest_nodeid is None else clean_text(pytest_nodeid),
        "size": size,
        "executed": tally.executed,
        "safe_count": tally.safe,
        "threshold": threshold,
        "pass_rate": tally.pass_rate,
        "decided_early": not cut_short and tally.executed < size,
        "interval": None if tally.interval is None else list(tally.interval),
        "status": None if cut_short else tally.status(threshold).value,
    }
    rates = AttackRates.of(members)
    return figures if rates is None else figures | {"attack_rates": rates.as_json()}


def population_of(members: Sequence[Result], *, pytest_nodeid: str | None) -> Population:
    """The figures of one population as far as its results tell, for a run that was cut off.

    A member has the worst status of its results (ERROR, UNSAFE, UNDETERMINED, SAFE). One without a
    result counts as UNDETERMINED: nobody knows what became of it.

    Args:
        members: Results that all refer to the same population, one or more.
        pytest_nodeid: The test that ran it.
    """
    first = next(reference for member in members if (reference := member.population) is not None)
    found = member_verdicts(members)
    verdicts = Counter(found.values())
    # Counted, not listed: the size comes from a file and may be anything.
    verdicts[SafetyStatus.UNDETERMINED] += first.size - len(found)
    return _figures(
        Tally.of_counts(verdicts),
        members=members,
        population_id=first.id,
        pytest_nodeid=pytest_nodeid,
        size=first.size,
        threshold=first.threshold,
    )


def encode_population(population: Population) -> bytes:
    """The line of a journal that ends a population, without its line break.

    Raises:
        SchemaError: If a figure is missing or impossible, or contradicts others.
    """
    try:
        figures = msgspec.convert(population, wire.Population)
        check_figures(figures)
        return msgspec.json.encode({"version": wire.TRACE_SCHEMA_VERSION, "population": figures})
    except msgspec.ValidationError as error:
        raise SchemaError(described(error, root="population")) from None
    except UnicodeEncodeError:
        raise SchemaError("population: expected strings without lone surrogates") from None


def population_from_wire(figures: wire.Population) -> Population:
    """The figures that the decoder gave.

    Raises:
        SchemaError: If they contradict one another.
    """
    check_figures(figures)
    population: Population = msgspec.to_builtins(figures)
    if figures.interval is not None:
        population["interval"] = list(figures.interval)
    for rate in (population.get("attack_rates") or {}).values():
        if rate is not None:
            rate["interval"] = list(rate["interval"])
    return population
