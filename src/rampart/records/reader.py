"""Reading journals back: one file, or a whole run with its populations."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from rampart.core.errors import SchemaError
from rampart.records.codec import decode_line
from rampart.records.population import Population, population_of
from rampart.records.record import ResultRecord

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def iter_records(*, path: Path) -> Iterator[ResultRecord]:
    """The records of one journal file, in order, read as they are asked for.

    An incomplete last line, as a killed process leaves it, is ignored; lines about populations are
    passed over.

    Args:
        path: A `results.jsonl` or `results.<worker id>.jsonl`.

    Raises:
        SchemaError: If any other line does not follow the format, naming the line.
        OSError: If the file cannot be read.
    """
    for entry in iter_lines(Path(path)):
        if isinstance(entry, ResultRecord):
            yield entry


def iter_lines(path: Path) -> Iterator[ResultRecord | Population]:
    """What the lines of one journal file hold, populations included; else as `iter_records`."""
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            complete = line.endswith(b"\n")
            if not complete and not _is_json(line):
                return
            try:
                yield decode_line(line)
            except SchemaError as error:
                raise type(error)(f"{path}, line {number}: {error}") from None


def _is_json(line: bytes) -> bool:
    try:
        msgspec.json.decode(line, type=Any)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True


@dataclass(kw_only=True)
class RecordedRun:
    """What the journals of a run hold.

    Attributes:
        records: All records, file by file, each in the order of writing.
        populations: The figures of each population, in the order of its first record; where the run was
            cut off before a population ended, they are made from its records.
    """

    records: list[ResultRecord] = field(default_factory=list)
    populations: list[Population] = field(default_factory=list)


def read_run(folder: Path) -> RecordedRun:
    """Read the journals of all processes that wrote to a run's folder.

    Raises:
        FileNotFoundError: If there is none.
        SchemaError: If a line other than an incomplete last one does not follow the format.
    """
    files = sorted(folder.glob("results.jsonl")) + sorted(folder.glob("results.*.jsonl"))
    if not files:
        raise FileNotFoundError(
            f"{folder} holds no journal: expected results.jsonl or results.<worker>.jsonl"
        )
    records: list[ResultRecord] = []
    ended: dict[str, Population] = {}
    for file in files:
        for entry in iter_lines(file):
            if isinstance(entry, ResultRecord):
                records.append(entry)
            else:
                ended[entry["id"]] = entry
    made = {figures["id"]: figures for figures in populations_of(records)}
    return RecordedRun(records=records, populations=list((made | ended).values()))


def populations_of(records: Iterable[ResultRecord]) -> list[Population]:
    """The figures of populations as far as their records tell, in the order of their first record."""
    grouped: dict[str, list[ResultRecord]] = {}
    for record in records:
        if record.result.population is not None:
            grouped.setdefault(record.result.population.id, []).append(record)
    return [
        population_of([record.result for record in members], pytest_nodeid=members[0].pytest_nodeid)
        for members in grouped.values()
    ]
