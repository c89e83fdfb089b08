"""The checks that every surface should pass, for users to run on their own."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, ClassVar

from rampart.core.types import Payload
from rampart.testing.conformance_outcome import ConformanceError, not_checked
from rampart.testing.surface_checks import cleanup, planting, refusal, shape
from rampart.testing.surface_checks.place import Place

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from rampart.core.injection import Surface


class SurfaceConformance:
    """Subclass it in a test file, with a fixture `surface` and what it says of the place, and run pytest.

    ```python
    class TestMySurface(SurfaceConformance):
        @pytest.fixture
        def surface(self, tmp_path):
            self.path = tmp_path / "notes.txt"
            return MySurface(self.path)

        def snapshot(self):
            return self.path.read_bytes() if self.path.exists() else None

        def read(self):
            return self.path.read_text() if self.path.exists() else ""
    ```

    Every check gets a fresh surface. A check that needs a method which was not written is skipped and
    says which; it never passes unseen. Fixture and methods may be async; what is sync runs in the thread
    of the event loop.

    Attributes:
        ready_within_s: How long a payload may take to be ready, in seconds.
        patience_s: How long a check may take, in seconds, before it counts as hanging.
        many_in_a_row: How many plantings the check of that name makes; fewer where each takes long.
    """

    ready_within_s: ClassVar[float] = 30
    patience_s: ClassVar[float] = 60
    many_in_a_row: ClassVar[int] = 20

    def payload(self, *, word: str) -> Any:
        """A payload that the place takes and in which an agent would read `word`; text by default."""
        return Payload(content=f"The {word} report is ready for review.", id=f"about-{word}")

    def snapshot(self) -> Any:
        """The whole place as it is found now, in a form that can be compared: bytes, text, lists, dicts."""
        not_checked("write snapshot(), which gives the whole place in a form that can be compared")

    def read(self) -> Any:
        """What an agent would read in the place now, as text or bytes; empty if there is nothing."""
        not_checked("write read(), which gives what an agent would read in the place now")

    def refused_payload(self) -> Any:
        """A payload that the place cannot take, such as one of another format, or one too large."""
        not_checked("write refused_payload(), which gives a payload that the place cannot take")

    def disturb(self) -> Any:
        """Somebody else's edit of what is planted."""
        not_checked("write disturb(), which changes what is planted as somebody else would")

    def obstruct(self) -> Any:
        """A context manager within which nothing can be removed from the place."""
        not_checked("write obstruct(), a context manager within which nothing can be removed from the place")

    def open_resources(self) -> int | None:
        """How much is held open now, such as connections or servers; without it only tasks are watched."""
        return None

    async def test_has_every_member(self, surface: Surface) -> None:
        """The surface and its handles have every member, of the right type."""
        await self._check_async(shape.check_members(Place(surface, self)))

    async def test_describes_itself(self, surface: Surface) -> None:
        """A handle says which payload it plants where."""
        await self._check_async(shape.check_description(Place(surface, self)))

    async def test_inject_only_prepares(self, surface: Surface) -> None:
        """Nothing is touched before the handle is entered."""
        await self._check_async(shape.check_inject_only_prepares(Place(surface, self)))

    async def test_refuses_a_hostile_payload_id(self, surface: Surface) -> None:
        """An id that leads out of the place is refused."""
        await self._check_async(shape.check_hostile_id(Place(surface, self)))

    async def test_entering_plants_the_payload(self, surface: Surface) -> None:
        """An agent would read the payload."""
        await self._check_async(planting.check_entering_plants(Place(surface, self)))

    async def test_becomes_ready(self, surface: Surface) -> None:
        """Waiting for the payload ends."""
        check = planting.check_readiness(Place(surface, self), ready_within_s=self.ready_within_s)
        await self._check_async(check)

    async def test_leaving_restores(self, surface: Surface) -> None:
        """Leaving puts the place back, byte for byte."""
        await self._check_async(planting.check_leaving_restores(Place(surface, self)))

    async def test_many_in_a_row(self, surface: Surface) -> None:
        """One planting after another finds the place as the first did."""
        await self._check_async(planting.check_many_in_a_row(Place(surface, self), many=self.many_in_a_row))

    async def test_handles_do_not_mix(self, surface: Surface) -> None:
        """Handles whose isolation keys differ can overlap."""
        await self._check_async(planting.check_handles_do_not_mix(Place(surface, self)))

    async def test_exit_is_idempotent(self, surface: Surface) -> None:
        """Leaving a handle twice, or one that was not entered, does no harm."""
        await self._check_async(cleanup.check_exit_is_idempotent(Place(surface, self)))

    async def test_is_entered_once(self, surface: Surface) -> None:
        """Entering a handle that is in use is refused."""
        await self._check_async(cleanup.check_is_entered_once(Place(surface, self)))

    async def test_restores_after_an_error(self, surface: Surface) -> None:
        """An error while the payload is there leaves nothing behind."""
        await self._check_async(cleanup.check_restores_after_an_error(Place(surface, self)))

    async def test_restores_after_a_cancelled_entry(self, surface: Surface) -> None:
        """An entry that is cancelled half-way leaves nothing behind."""
        await self._check_async(cleanup.check_cancelled_entry(Place(surface, self)))

    async def test_restores_after_a_cancellation(self, surface: Surface) -> None:
        """A cancellation while the payload is there leaves nothing behind."""
        await self._check_async(cleanup.check_cancelled_while_planted(Place(surface, self)))

    async def test_restores_after_a_cancelled_exit(self, surface: Surface) -> None:
        """An exit that is cancelled half-way can be made again."""
        await self._check_async(cleanup.check_cancelled_exit(Place(surface, self)))

    async def test_refuses_what_it_cannot_take(self, surface: Surface) -> None:
        """A payload that the place cannot take is refused by name."""
        place = Place(surface, self)
        await self._check_async(
            refusal.check_refuses_what_it_cannot_take(place, refused_payload=self.refused_payload)
        )

    async def test_reports_a_change_meanwhile(self, surface: Surface) -> None:
        """What somebody else wrote meanwhile is left alone, and reported."""
        place = Place(surface, self)
        await self._check_async(refusal.check_reports_a_change_meanwhile(place, disturb=self.disturb))

    async def test_failing_removal_raises(self, surface: Surface) -> None:
        """What could not be removed is reported, and removed by leaving again."""
        place = Place(surface, self)
        await self._check_async(refusal.check_failing_removal_raises(place, obstruct=self.obstruct))

    async def _check_async(self, check: Awaitable[None]) -> None:
        clock = asyncio.timeout(self.patience_s)
        try:
            async with clock:
                await check
        except TimeoutError:
            if not clock.expired():
                raise
            msg = f"the surface hangs: the check took longer than {self.patience_s:g} s (patience_s)"
            raise ConformanceError(msg) from None
