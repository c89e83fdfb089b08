"""What the handles of all surfaces have in common."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Self, TypeVar, final

from rampart.core.errors import ConfigurationError, InfrastructureError
from rampart.core.limits import configured_limits
from rampart.core.log import log
from rampart.core.to_its_end import to_its_end_async
from rampart.core.types import validate_payload_id
from rampart.surfaces.undo import Undo
from rampart.text.leaves import leaves
from rampart.text.oneline import quote
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from rampart.core.types import Payload


class PlantedHandle(ABC):
    """One payload in one place; subclasses say how it gets there.

    A handle is entered once. When planting fails, or is cancelled half-way, what was done so far is taken
    back before the error goes on, so nobody has to leave a handle that could not be entered.

    Args:
        payload: What is planted.
        surface_name: The place, as reports name it.
        place: Where exactly, for error messages: a path, an address, a table and row.
        isolation_key: Handles with the same key never overlap.

    Attributes:
        place: Where exactly the payload is planted; subclasses may set it once they know more.
    """

    def __init__(self, *, payload: Payload, surface_name: str, place: str, isolation_key: str) -> None:
        self._payload = payload
        self._surface_name = surface_name
        self._isolation_key = isolation_key
        self._undo: Undo | None = None
        self._entered = False
        self._checked = False
        self._again: Callable[[Payload], PlantedHandle] | None = None
        self.place = place

    @property
    def payload(self) -> Payload:
        """What is planted."""
        return self._payload

    @property
    def payload_id(self) -> str:
        """The id of what is planted."""
        return self._payload.id

    @property
    def surface_name(self) -> str:
        """The place, as reports name it."""
        return self._surface_name

    @property
    def isolation_key(self) -> str:
        """Handles with the same key never overlap."""
        return self._isolation_key

    @property
    def delivered(self) -> bool | None:
        """Whether the place itself knows that the payload was read; None where it cannot know."""
        return None

    def with_payload(self, payload: Payload) -> PlantedHandle:
        """A fresh handle for another payload in the same place; nothing is touched before it is entered.

        Surfaces whose handles know no way back to them override this.

        Raises:
            TypeError: If this handle does not know how it was made.
            ValueError: If the payload cannot be planted there.
        """
        if self._again is None:
            kind = type(self).__name__
            msg = (
                f"{kind} cannot be made again for another payload: give it a method "
                f"`with_payload(self, payload)` that returns a fresh {kind} for the same place"
            )
            raise TypeError(msg)
        return repeatable(self._again, payload)

    async def wait_until_ready_async(self) -> None:
        """Wait until the agent would find what was planted; at once, where planting is all it takes."""
        return

    @abstractmethod
    async def _plant_async(self, undo: Undo) -> None:
        """Plant the payload, and before each change add to `undo` how it is taken back.

        Any exception will do: the error that users see names surface, payload and place by itself.
        """

    async def _check_async(self) -> None:
        """Raise what makes the trial worth nothing although the place is as it was found.

        Called once, when everything was put back. The error that users see names surface, payload and place
        by itself.
        """
        return

    @final
    async def __aenter__(self) -> Self:
        """Plant the payload.

        Raises:
            InfrastructureError: If it could not be planted, or the handle was entered before.
            ConfigurationError: If what the surface needs is not installed.
        """
        if self._entered:
            raise InfrastructureError(self._failure("cannot be planted twice", "make a new handle"))
        self._entered = True
        undo = Undo()
        try:
            validate_payload_id(self._payload.id)
            await self._plant_async(undo)
        except BaseException as error:
            left = await self._take_back_async(undo)
            if not isinstance(error, Exception) or isinstance(error, ConfigurationError):
                raise
            raise InfrastructureError(self._planting_failure(error) + left) from error
        self._undo = undo
        return self

    @final
    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Put the place back as it was; what failed is tried again by another call, what is done is not.

        Raises:
            InfrastructureError: If something could not be put back, or the place had failed meanwhile.
        """
        if self._undo is None:
            return
        try:
            await self._undo.run_async()
        except Exception as error:
            raise InfrastructureError(self._removal_failure(error)) from error
        if self._checked:
            return
        self._checked = True
        try:
            await self._check_async()
        except Exception as error:
            raise InfrastructureError(self._failure("may not have been read", _text(error))) from error

    async def _take_back_async(self, undo: Undo) -> str:
        """Undo a planting that failed, and say what to add to its error, which goes on."""
        limit = configured_limits().cleanup_timeout_s
        try:
            await to_its_end_async(asyncio.wait_for(undo.run_async(), limit))
        except Exception as error:  # a cancellation has no text to add it to
            log.error("%s", self._failure("could not be removed again", _text(error)), exc_info=error)
            return f"; and it could not be removed again: {_text(error)}"
        return ""

    def _planting_failure(self, error: Exception) -> str:
        """What the error says when planting failed; subclasses may word it their own way."""
        return self._failure("could not be planted", _text(error))

    def _removal_failure(self, error: Exception) -> str:
        """What the error says when the payload could not be removed; subclasses may word it their own way."""
        return self._failure("could not be removed", _text(error))

    def _failure(self, what: str, why: str) -> str:
        payload_id = quote(safe_str(self._payload.id))
        return f"{self._surface_name}: payload {payload_id!r} {what} in {self.place}: {why}"


H = TypeVar("H", bound=PlantedHandle)


def repeatable(make: Callable[[Payload], H], payload: Payload) -> H:
    """The handle that `make` prepares; its `with_payload` asks `make` again."""
    handle = make(payload)
    handle._again = make
    return handle


def _text(error: Exception) -> str:
    return "; ".join(dict.fromkeys(_text_of_one(one) for one in leaves(error)))


def _text_of_one(error: BaseException) -> str:
    text = quote(safe_str(error)) or "(no message)"
    if isinstance(error, InfrastructureError):
        return text
    if isinstance(error, PermissionError) and error.errno is not None:  # the system's, not a function's own
        text += "; let the user who runs the tests read and write there"
    return f"{type(error).__name__}: {text}"
