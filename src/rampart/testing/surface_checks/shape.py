"""Whether a surface and its handles are what the protocols say, and inject does nothing yet."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from rampart.core.types import Payload
from rampart.testing.adapter_checks.shape import require_no_method
from rampart.testing.conformance_outcome import ConformanceError, fail, require
from rampart.testing.surface_checks.place import WORDS
from rampart.testing.surface_checks.watched import deeds_of

if TYPE_CHECKING:
    from rampart.testing.surface_checks.place import Place

_HOSTILE_ID = "../../marigold"


async def check_members(place: Place) -> None:
    """The surface and its handles have every member, of the right type."""
    handle: object = await place.handle_async()
    name = type(place.surface).__name__
    require(
        handle is not await place.handle_async(),
        f"{name}.inject gave the same handle twice; each planting needs one of its own",
    )
    for method in ("__aenter__", "wait_until_ready_async", "__aexit__"):
        arguments = (None, None, None) if method == "__aexit__" else ()
        doing: object = getattr(handle, method)(*arguments)
        if not inspect.isawaitable(doing):
            gave = type(doing).__name__
            fail(f"{type(handle).__name__}.{method} must be async, but gave {gave}; write `async def`")
        given = await doing
        require(
            method != "__aenter__" or hasattr(given, "__aexit__"),
            f"{type(handle).__name__}.__aenter__ must return the handle, but gave {type(given).__name__}",
        )


async def check_description(place: Place) -> None:
    """A handle says which payload it plants where, in a form that reports and trials can use."""
    payload = await place.payload_async()
    handle = place.inject(payload)
    name = type(handle).__name__
    _require_line(handle.surface_name, f"{name}.surface_name")
    given_id: object = handle.payload_id
    require_no_method(given_id, f"{name}.payload_id", "a text")
    require(given_id == payload.id, f"{name}.payload_id is {given_id!r}, but {payload.id!r} is planted")
    if hasattr(handle, "isolation_key"):
        _require_line(handle.isolation_key, f"{name}.isolation_key")
        first, second = (getattr(handle, "isolation_key") for _ in range(2))  # noqa: B009 - it is optional
        require(
            first == second,
            f"{name}.isolation_key is {first!r} and then {second!r}: derive it from the place",
        )
    _require_proof(handle, payload)


async def check_inject_only_prepares(place: Place) -> None:
    """Nothing is touched before the handle is entered."""
    before = await place.as_it_is_async()
    payload = await place.payload_async()
    place.require_inject()
    handles: list[object] = []
    deeds = deeds_of(lambda: handles.append(place.surface.inject(payload=payload)))
    place.require_handle(handles[0])
    await before.require_again_async("after inject alone")
    require(
        not deeds,
        f"inject called {', '.join(deeds)}: it only prepares; do in __aenter__ what reaches outside",
    )


async def check_hostile_id(place: Place) -> None:
    """An id that is no name is refused, also where it was changed after it was checked."""
    before = await place.as_it_is_async()
    payload = await place.payload_async()
    payload.id = _HOSTILE_ID
    try:
        handle = place.inject(payload)
        await handle.__aenter__()
    except ConformanceError:
        raise
    except Exception:  # whichever the surface chooses
        await before.require_again_async(f"after the payload id {_HOSTILE_ID!r} was refused")
    else:
        await handle.__aexit__(None, None, None)
        fail(
            f"a payload whose id is {_HOSTILE_ID!r} was planted; call validate_payload_id(payload.id) of "
            "rampart.core.types first"
        )


def _require_line(value: object, what: str) -> None:
    require_no_method(value, what, "a text")
    require(
        isinstance(value, str) and value.strip() and value.isprintable(),
        f"{what} must be one line of text, got {value!r}",
    )


def _require_proof(handle: object, payload: Payload) -> None:
    name = type(handle).__name__
    planted: object = getattr(handle, "payload", None)
    knows: object = getattr(handle, "delivered", None)
    require(
        hasattr(handle, "payload") or hasattr(handle, "delivered"),
        f"{name} has neither payload nor delivered, so nobody can tell whether an agent read it; add "
        "`payload`, a property that gives what is planted",
    )
    require(
        planted is None or (isinstance(planted, Payload) and planted.id == payload.id),
        f"{name}.payload must be the Payload that is planted, got {planted!r}",
    )
    require(
        knows is None or isinstance(knows, bool),
        f"{name}.delivered must be True, False or None, got {knows!r}",
    )
    require(
        knows is not True,
        f"{name}.delivered is True before anything was planted, so {WORDS[0]!r} would count as read",
    )
