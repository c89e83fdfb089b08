"""Many concurrent attacks over files, of which some fail, leave every file as it was."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.surfaces.folders import tree
from tests.surfaces.storm import Storm, every_size

from rampart import InjectionHandle, Payload, SafetyStatus
from rampart.surfaces import FileSurface

BEFORE = "# Notes\n\nLunch is at noon.\n"
Make = Callable[[Path], FileSurface]
WAYS = {
    "replace": lambda path: FileSurface(path=path),
    "append": lambda path: FileSurface(path=path, mode="append"),
    "insert": lambda path: FileSurface(path=path, mode="insert", marker="# Notes\n"),
    "create": lambda path: FileSurface(path=path.parent / "new" / path.name),
}


def storm(folder: Path, make: Make, trials: int) -> Storm:
    for number in range(trials):
        (folder / f"{number}.md").write_text(BEFORE)

    def make_handle(number: int, payload: Payload) -> InjectionHandle:
        return make(folder / f"{number}.md").inject(payload=payload)

    def read(number: int) -> str:
        created = folder / "new" / f"{number}.md"
        return (created if created.exists() else folder / f"{number}.md").read_text()

    return Storm(make_handle=make_handle, read=read, snapshot=lambda: tree(folder), trials=trials)


@every_size
@pytest.mark.parametrize("make", WAYS.values(), ids=WAYS)
def test_a_file_each(tmp_path: Path, make: Make, trials: int) -> None:
    population = storm(tmp_path, make, trials).rage(seed=7)
    counts = Counter(result.status for result in population.results)
    assert trials * 3 // 40 <= counts[SafetyStatus.ERROR] <= max(trials // 10, 7)
    assert min(counts[status] for status in SafetyStatus) >= trials * 3 // 40


@every_size
def test_one_file_for_all(tmp_path: Path, trials: int) -> None:
    path = tmp_path / "notes.md"
    path.write_text(BEFORE)
    Storm(
        make_handle=lambda _number, payload: FileSurface(path=path, mode="append").inject(payload=payload),
        read=lambda _number: path.read_text(),
        snapshot=lambda: tree(tmp_path),
        trials=trials,
    ).rage(seed=8)


@every_size
@pytest.mark.parametrize("make", WAYS.values(), ids=WAYS)
def test_cancelled_as_a_whole(tmp_path: Path, make: Make, trials: int) -> None:
    results = storm(tmp_path, make, trials).cancel(seed=9)
    assert any("CancelledError" in result.summary for result in results)
