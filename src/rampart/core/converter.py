"""What turns one payload into another."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from rampart.core.types import Payload


@runtime_checkable
class PayloadConverter(Protocol):
    """A transform of payloads, such as an encoding or a document renderer."""

    @abstractmethod
    async def convert_async(self, *, payload: Payload) -> Payload:
        """A payload with the same id and metadata, in another form."""
        ...
