"""Several converters, one after another."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rampart.converters.conversion import (
    CONVERTER,
    CONVERTERS,
    converter_names,
    require_payload,
    without_converters,
)
from rampart.core.converter import PayloadConverter
from rampart.core.types import Payload

if TYPE_CHECKING:
    from typing import Any


class ConverterChain:
    """Converters of which each takes what the one before it gave; made by `chain`.

    Attributes:
        converters: The converters in order; a chain among them has been replaced by its members.
    """

    def __init__(self, *converters: PayloadConverter) -> None:
        if not converters:
            msg = "chain() needs at least one converter; without one there is nothing to do"
            raise ValueError(msg)
        for converter in converters:
            # A class passes the check of the protocol as well.
            if isinstance(converter, type) or not isinstance(converter, PayloadConverter):
                msg = f"chain() takes converters, objects with convert_async(payload=...), got {converter!r}"
                raise TypeError(msg)
        self.converters: tuple[PayloadConverter, ...] = tuple(
            member
            for converter in converters
            for member in (converter.converters if isinstance(converter, ConverterChain) else (converter,))
        )

    async def convert_async(self, *, payload: Payload) -> Payload:
        """The payload after all converters.

        `metadata["converter"]` names the last one; where there were several, `metadata["converters"]` names
        all in order, those that do not do this by themselves included.

        Raises:
            TypeError: If `payload` is no payload, or a converter gives none.
        """
        require_payload(payload, converter=type(self).__name__)
        for converter in self.converters:
            # What it is given names no converter, so that what names one afterwards names this one.
            given = replace(payload, metadata=without_converters(payload.metadata))
            made: Any = await converter.convert_async(payload=given)
            if not isinstance(made, Payload):
                msg = f"{type(converter).__name__}.convert_async returned {made!r}, expected a Payload"
                raise TypeError(msg)
            payload = _named(made, before=payload, converter=type(converter).__name__)
        return payload


def chain(*converters: PayloadConverter) -> ConverterChain:
    """Compose converters: `chain(a, b)` gives what `b` makes of what `a` makes of a payload.

    Chains may be nested; only the order matters.

    Raises:
        ValueError: If there is no converter.
        TypeError: If one is no converter.
    """
    return ConverterChain(*converters)


def _named(made: Payload, *, before: Payload, converter: str) -> Payload:
    last = made.metadata.get(CONVERTER, converter)
    names = [*converter_names(before.metadata), last]
    metadata = {**made.metadata, CONVERTER: last}
    if len(names) > 1:
        metadata[CONVERTERS] = names
    return replace(made, metadata=metadata)
