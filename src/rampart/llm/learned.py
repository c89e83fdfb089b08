"""What calls have taught about services, whichever client made them."""

from __future__ import annotations

_refuse_schemas: set[tuple[str, str]] = set()
_told: set[tuple[str, ...]] = set()


def takes_schema(service: str, model: str, /) -> bool:
    """Whether a model of a service may be sent a schema: no call has shown otherwise."""
    return (service, model) not in _refuse_schemas


def note_schema_refused(service: str, model: str, /) -> None:
    """Note that a model answers only without a schema, for the whole process."""
    _refuse_schemas.add((service, model))


def is_news(*what: str) -> bool:
    """Whether this is to be told for the first time; many judges may share one configuration."""
    if what in _told:
        return False
    _told.add(what)
    return True
