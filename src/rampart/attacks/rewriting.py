"""Payloads with a new wording, and handles that plant them where the first ones stood."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeGuard

from rampart.attacks.delivery import carried_text
from rampart.core.errors import ConfigurationError
from rampart.core.types import Payload
from rampart.execution.injections import surface_name
from rampart.text.oneline import quote

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    from rampart.core.converter import PayloadConverter
    from rampart.core.injection import InjectionHandle

    class Replantable(InjectionHandle, Protocol):
        """A handle that says what it plants, and can be made again for another payload."""

        payload: Payload

        def with_payload(self, payload: Payload) -> Replantable:
            """A fresh handle for another payload in the same place."""


class Rewriting:
    """The places of an attack whose payload is rewritten.

    The payload of the first handle is rewritten. Handles whose payload has the same content get the new
    text too; what others plant is planted again as it was.

    Args:
        handles: The handles of the first attempt.
        converters: Applied to each new text.

    Raises:
        ValueError: If there is no handle.
        TypeError: If a handle cannot be made again for another payload.
        ConfigurationError: If the payload is no text.
    """

    def __init__(self, handles: Sequence[InjectionHandle], converters: Sequence[PayloadConverter]) -> None:
        if not handles:
            msg = (
                "adapt rewrites what is planted, and inject plants nothing: give it what "
                "surface.inject(payload=...) makes"
            )
            raise ValueError(msg)
        self._converters = converters
        # Made before the first ones are left: an address that was named stays theirs meanwhile.
        self._places = [_again(handle) for handle in handles]
        self.payload = self._places[0].payload
        if not self.payload.format.is_text:
            kind = self.payload.format.value
            msg = (
                f"adapt rewrites text, and payload {self.payload.id!r} is of format {kind!r}: inject the "
                "text itself, or attack without adapt"
            )
            raise ConfigurationError(msg)

    @property
    def text(self) -> str:
        """What is rewritten: of a whole mail or page, the text for whose sake it was made."""
        carried = carried_text(self.payload)
        return carried if carried in self.payload.content else self.payload.content

    @property
    def around(self) -> str | None:
        """What stands around that text, which is left out; None if nothing does."""
        if self.text == self.payload.content:
            return None
        return self.payload.content.replace(self.text, "[payload]")

    @property
    def rewritten(self) -> list[bool]:
        """Of each place whether it gets the new text."""
        return [self._is_rewritten(place) for place in self._places]

    @property
    def names(self) -> list[str]:
        """The places that get the new text, as reports name them."""
        return [surface_name(place) for place in self._places if self._is_rewritten(place)]

    async def rewritten_async(self, text: str) -> Payload:
        """The payload with another text: same id, same format unless the converters make another one.

        Raises:
            ConfigurationError: If the converters make a file of it.
        """
        first = self.payload
        metadata = {key: value for key, value in first.metadata.items() if key != "carried_text"}
        payload = replace(first, content=text, metadata=metadata)
        for converter in self._converters:
            payload = await converter.convert_async(payload=payload)
        if not payload.format.is_text:
            msg = (
                f"the converters of adapt make a payload of format {payload.format.value!r}, expected a text"
            )
            raise ConfigurationError(msg)
        if self.around is None:
            return payload
        return replace(
            payload,
            content=first.content.replace(self.text, payload.content),
            format=first.format,
            metadata={**payload.metadata, "carried_text": carried_text(payload)},
        )

    def handles(self, payload: Payload) -> list[InjectionHandle]:
        """Fresh handles for all places.

        Raises:
            ValueError: If the payload cannot be planted in one of them.
        """
        return [
            place.with_payload(
                replace(payload, id=place.payload.id) if self._is_rewritten(place) else place.payload
            )
            for place in self._places
        ]

    def close(self) -> None:
        """Let go of the places."""
        self._places.clear()

    def _is_rewritten(self, place: Replantable) -> bool:
        given = place.payload
        return (given.content, given.format) == (self.payload.content, self.payload.format)


def _again(handle: InjectionHandle) -> Replantable:
    """A fresh handle like this one, which shows that there can be more."""
    if not _has_payload(handle):
        msg = (
            f"the injection '{quote(surface_name(handle))}' cannot be planted with another text, as adapt "
            f"needs: give {type(handle).__name__} a property `payload` and a method "
            "`with_payload(self, payload)` that returns a fresh handle for the same place"
        )
        raise TypeError(msg)
    again = handle.with_payload(handle.payload)
    if not _has_payload(again):
        msg = f"{type(handle).__name__}.with_payload returned {type(again).__name__}, expected a handle"
        raise TypeError(msg)
    return again


def _has_payload(handle: object) -> TypeGuard[Replantable]:
    return isinstance(getattr(handle, "payload", None), Payload) and callable(
        getattr(handle, "with_payload", None)
    )
