"""Each check lets a good surface pass and fails one that breaks its rule, saying how."""

import asyncio
import importlib
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.testing.broken_surfaces import CHECKS, ROWS, TASKS
from tests.testing.memory_surface import Shelf, ShelfHandle, ShelfSuite, ShelfSurface

from rampart.core.types import Payload
from rampart.testing import ConformanceError, SurfaceConformance
from rampart.testing.adapter_checks import cleanup as adapter_cleanup
from rampart.testing.protocol_members import HANDLE
from rampart.testing.surface_checks.watched import deeds_of

KEYS_ARE_EQUAL = "all handles of this surface have one isolation key, so they never overlap"


async def run(check: str, surface: type[ShelfSurface], suite: type[ShelfSuite] = ShelfSuite) -> None:
    shelf = Shelf()
    await getattr(suite(shelf), check)(surface(shelf))


async def outcome(check: str, surface: type[ShelfSurface], suite: type[ShelfSuite]) -> str:
    """`passed`, `failed`, or the reason for which the check was skipped."""
    try:
        await run(check, surface, suite)
    except pytest.skip.Exception as skip:
        return str(skip)
    except Exception:
        return "failed"
    return "passed"


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is left behind here stays, so nobody has to wait for long to see it."""
    monkeypatch.setattr(adapter_cleanup, "_RELEASED_WITHIN_S", 0.2)


@pytest.fixture(autouse=True)
async def _no_task_is_left() -> AsyncIterator[None]:
    yield
    for task in TASKS:
        task.cancel()
    TASKS.clear()


@pytest.mark.parametrize("check", CHECKS)
async def test_a_good_surface_passes_every_check(check: str) -> None:
    await run(check, ShelfSurface)


@pytest.mark.parametrize(("surface", "check", "message", "failing"), ROWS)
async def test_a_broken_surface_fails(
    surface: type[ShelfSurface], check: str, message: str, failing: set[str] | None
) -> None:
    with pytest.raises(ConformanceError, match=message):
        await run(check, surface)
    if failing is not None:
        outcomes = {other: await outcome(other, surface, ShelfSuite) for other in CHECKS}
        assert {name for name, failed in outcomes.items() if failed == "failed"} == failing
        assert set(outcomes.values()) <= {"failed", "passed", KEYS_ARE_EQUAL}


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("member", HANDLE)
async def test_every_check_says_first_which_member_of_a_handle_is_missing(member: str, check: str) -> None:
    class Handle:
        """Has all but one."""

        def __init__(self, shelf: Shelf, payload: Payload) -> None:
            del shelf, payload

    for other in set(HANDLE) - {member}:
        setattr(Handle, other, None)

    class Surface(ShelfSurface):
        handle_class: Any = Handle

    with pytest.raises(ConformanceError, match=f"^Handle has no {member}, which every InjectionHandle"):
        await run(check, Surface)


@pytest.mark.parametrize("check", CHECKS)
async def test_every_check_says_first_that_there_is_no_inject(check: str) -> None:
    class Nothing:
        pass

    with pytest.raises(ConformanceError, match=r"^Nothing has no inject, which every Surface needs$"):
        await getattr(ShelfSuite(Shelf()), check)(Nothing())


def test_every_check_has_a_surface_that_it_fails() -> None:
    assert {row.values[1] for row in ROWS} == set(CHECKS)


class OnlyTheFixture(SurfaceConformance):
    """A suite of somebody who wrote nothing."""

    def __init__(self, shelf: Shelf) -> None:
        self.shelf = shelf


@pytest.mark.parametrize("check", CHECKS)
async def test_what_cannot_be_checked_is_skipped_and_says_what_to_write(check: str) -> None:
    needs_nothing = {"test_has_every_member", "test_describes_itself"}
    shelf = Shelf()
    if check in needs_nothing:
        await getattr(OnlyTheFixture(shelf), check)(ShelfSurface(shelf))
        return
    with pytest.raises(
        pytest.skip.Exception, match=r"write (snapshot|read|refused_payload|disturb|obstruct)\(\)"
    ):
        await getattr(OnlyTheFixture(shelf), check)(ShelfSurface(shelf))
    assert (shelf.notes, shelf.open_count) == (Shelf().notes, 0)


@pytest.mark.parametrize(
    ("hook", "checks"),
    [
        ("disturb", {"test_reports_a_change_meanwhile"}),
        ("obstruct", {"test_failing_removal_raises"}),
        ("refused_payload", {"test_refuses_what_it_cannot_take"}),
    ],
)
async def test_a_missing_hook_skips_its_own_check_only(hook: str, checks: set[str]) -> None:
    class Without(ShelfSuite):
        pass

    setattr(Without, hook, getattr(SurfaceConformance, hook))
    outcomes = {check: await outcome(check, ShelfSurface, Without) for check in CHECKS}
    skipped = {name: reason for name, reason in outcomes.items() if reason != "passed"}
    assert skipped.keys() == checks
    assert all(f"write {hook}()" in reason for reason in skipped.values())


@pytest.mark.parametrize("check", ["test_reports_a_change_meanwhile", "test_failing_removal_raises"])
async def test_a_skipped_check_leaves_nothing(check: str) -> None:
    class Without(ShelfSuite):
        disturb = SurfaceConformance.disturb
        obstruct = SurfaceConformance.obstruct

    shelf = Shelf()
    with pytest.raises(pytest.skip.Exception):
        await getattr(Without(shelf), check)(ShelfSurface(shelf))
    assert (shelf.notes, shelf.open_count) == (Shelf().notes, 0)


async def test_hooks_may_be_async() -> None:
    class Async(ShelfSuite):
        async def payload(self, *, word: str) -> Payload:
            return super().payload(word=word)  # type: ignore[no-any-return]  # hooks give anything

        async def snapshot(self) -> Any:
            return super().snapshot()

        async def read(self) -> Any:
            return super().read().encode()

        async def refused_payload(self) -> Payload:  # type: ignore[override]  # as above
            return super().refused_payload()

        async def disturb(self) -> None:  # type: ignore[override]  # as above
            super().disturb()

    for check in CHECKS:
        await run(check, ShelfSurface, Async)


async def test_handles_with_one_key_need_not_overlap() -> None:
    class OneKey(ShelfHandle):
        isolation_key = "shelf"

    class Surface(ShelfSurface):
        handle_class = OneKey

    with pytest.raises(pytest.skip.Exception, match=KEYS_ARE_EQUAL):
        await run("test_handles_do_not_mix", Surface)


@pytest.mark.parametrize(
    ("hook", "value", "check", "message"),
    [
        pytest.param(
            "snapshot",
            "same",
            "test_entering_plants_the_payload",
            "snapshot.. is the same with",
            id="blind-snapshot",
        ),
        pytest.param(
            "read", 3, "test_becomes_ready", "read.. must give the text or bytes .* got int", id="odd-read"
        ),
        pytest.param(
            "read",
            "a marigold",
            "test_entering_plants_the_payload",
            "shows 'marigold' before",
            id="word-is-there",
        ),
        pytest.param(
            "disturb",
            None,
            "test_reports_a_change_meanwhile",
            "disturb.. changes nothing that snapshot",
            id="gentle",
        ),
    ],
)
async def test_a_suite_that_cannot_see_is_told_so(hook: str, value: Any, check: str, message: str) -> None:
    class Blind(ShelfSuite):
        pass

    setattr(Blind, hook, lambda _self: value)
    with pytest.raises(ConformanceError, match=message):
        await run(check, ShelfSurface, Blind)


async def test_how_many_in_a_row_can_be_said() -> None:
    class Few(ShelfSuite):
        many_in_a_row = 3

    entered: list[str] = []

    class Counted(ShelfHandle):
        async def __aenter__(self) -> Any:
            entered.append(self.payload_id)
            return await super().__aenter__()

    class Surface(ShelfSurface):
        handle_class = Counted

    await run("test_many_in_a_row", Surface, Few)
    assert len(entered) == 3


async def test_a_check_that_hangs_is_named() -> None:
    class Impatient(ShelfSuite):
        patience_s = 0.1

        async def read(self) -> Any:
            await asyncio.get_running_loop().create_future()

    with pytest.raises(ConformanceError, match=r"the check took longer than 0.1 s \(patience_s\)"):
        await run("test_becomes_ready", ShelfSurface, Impatient)


async def test_a_timeout_of_the_surface_is_not_taken_for_a_hang() -> None:
    class TimesOut(ShelfHandle):
        async def wait_until_ready_async(self) -> None:
            raise TimeoutError("store")

    class Surface(ShelfSurface):
        handle_class = TimesOut

    with pytest.raises(TimeoutError, match="store"):
        await run("test_leaving_restores", Surface)


def test_imports_are_no_deeds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "imported_once.py").write_text("WORD = 'marigold'")
    monkeypatch.syspath_prepend(tmp_path)
    assert deeds_of(lambda: importlib.import_module("imported_once")) == []
    assert deeds_of(lambda: (tmp_path / "imported_once.py").read_text()) == ["io.open"]


def test_a_profiler_is_not_disturbed(tmp_path: Path) -> None:
    def profiler(*_event: object) -> None:
        return

    sys.setprofile(profiler)
    try:
        assert deeds_of(lambda: tmp_path.joinpath("new").write_text("text")) == []
        assert sys.getprofile() is profiler
    finally:
        sys.setprofile(None)
