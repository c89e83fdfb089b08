"""Whether what is under test has what its protocol asks for; said first, before anything is called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rampart.testing.conformance_outcome import require

if TYPE_CHECKING:
    from collections.abc import Iterable

ADAPTER = ("create_session_async", "manifest", "observability_profile")
SESSION = ("send_async", "__aenter__", "__aexit__")
SURFACE = ("inject",)
HANDLE = ("payload_id", "surface_name", "wait_until_ready_async", "__aenter__", "__aexit__")


def require_members(thing: object, protocol: type, members: Iterable[str]) -> None:
    """Each member of a protocol is there."""
    for member in members:
        require(
            hasattr(thing, member),
            f"{type(thing).__name__} has no {member}, which every {protocol.__name__} needs",
        )
