"""The injection handles that attacks are given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rampart.core.admission import HANDLE_MEMBERS, admit
from rampart.core.types import Payload
from rampart.execution.injections import surface_name
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rampart.core.injection import InjectionHandle


def handle_list(given: object) -> list[InjectionHandle]:
    """What was given as `inject` as a list; `checked_handles` looks at each.

    Raises:
        ValueError: If it is an empty list.
    """
    if given is None:
        return []
    if isinstance(given, list | tuple) and not given:
        msg = (
            "inject is empty, so nothing would be planted: give it what surface.inject(payload=...) makes, "
            "or leave it out where the payload travels with the trigger"
        )
        raise ValueError(msg)
    return list(given) if isinstance(given, list | tuple) else [given]  # type: ignore[list-item]  # as above


def checked_handles(given: Sequence[InjectionHandle] | None) -> tuple[InjectionHandle, ...]:
    """The handles, if all of them are some.

    Raises:
        TypeError: If one lacks what its role needs.
        ValueError: If two of them are one and the same object.
    """
    handles = tuple(given or ())
    for handle in handles:
        admit(handle, members=HANDLE_MEMBERS, role="injection")
    if len({id(handle) for handle in handles}) < len(handles):
        msg = "one injection handle is given twice; make one for each place with surface.inject(payload=...)"
        raise ValueError(msg)
    return handles


def keys_of_handles(handles: Sequence[InjectionHandle]) -> frozenset[str]:
    """One key a handle: its `isolation_key`, or else its `surface_name`."""
    return frozenset(
        safe_str(getattr(handle, "isolation_key", None) or surface_name(handle)) for handle in handles
    )


def planted_payloads(handles: Sequence[InjectionHandle]) -> list[Payload]:
    """What the handles plant, as far as they say so."""
    payloads = [getattr(handle, "payload", None) for handle in handles]
    return [payload for payload in payloads if isinstance(payload, Payload)]
