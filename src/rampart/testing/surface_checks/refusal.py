"""Whether a handle says what it cannot do, instead of leaving or breaking something in silence."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager, AsyncExitStack
from typing import TYPE_CHECKING, Any

from rampart.core.errors import InfrastructureError
from rampart.testing.conformance_outcome import fail, require
from rampart.testing.surface_checks.place import settled

if TYPE_CHECKING:
    from collections.abc import Callable

    from rampart.core.injection import InjectionHandle
    from rampart.core.types import Payload
    from rampart.testing.surface_checks.place import Place


async def check_refuses_what_it_cannot_take(place: Place, *, refused_payload: Callable[[], Any]) -> None:
    """A payload that the place cannot take is refused, with the names that one needs to find it."""
    payload: Payload = await settled(refused_payload())
    before = await place.as_it_is_async()
    try:
        handle = place.inject(payload)
    except (TypeError, ValueError):
        await before.require_again_async("after inject refused a payload")
        return
    try:
        await handle.__aenter__()
    except InfrastructureError as error:
        _require_named(str(error), handle, payload)
    except Exception as error:  # whatever it raises is not what it should
        fail(f"entering raised {type(error).__name__}: {error}; raise an InfrastructureError")
    else:
        await handle.__aexit__(None, None, None)
        fail("what refused_payload() gave was planted: choose a payload that the place cannot take")
    await before.require_again_async("after a payload was refused")


async def check_reports_a_change_meanwhile(place: Place, *, disturb: Callable[[], Any]) -> None:
    """What somebody else wrote while the payload was there is left alone, and reported."""
    handle = await place.handle_async()
    await handle.__aenter__()
    try:
        planted = await place.snapshot_async()
        await settled(disturb())
        disturbed = await place.snapshot_async()
        require(
            disturbed != planted,
            "disturb() changes nothing that snapshot() shows; let it change what is planted",
        )
    except BaseException:  # it is skipped where there is no disturb
        await handle.__aexit__(None, None, None)
        raise
    error = await _failure_of(handle)
    now = await place.snapshot_async()
    require(
        now == disturbed,
        f"leaving the handle overwrote what was changed meanwhile ({disturbed!r} became {now!r})",
    )
    require(
        isinstance(error, InfrastructureError),
        f"the place was changed meanwhile, and leaving the handle {_did(error)}; raise InfrastructureError",
    )


async def check_failing_removal_raises(place: Place, *, obstruct: Callable[[], Any]) -> None:
    """What could not be removed is reported, and removed once that is possible."""
    before = await place.as_it_is_async()
    obstruction = await settled(obstruct())
    handle = await place.handle_async()
    await handle.__aenter__()
    async with AsyncExitStack() as stack:
        if isinstance(obstruction, AbstractAsyncContextManager):
            await stack.enter_async_context(obstruction)
        else:
            stack.enter_context(obstruction)
        error = await _failure_of(handle)
    require(
        isinstance(error, InfrastructureError),
        f"nothing could be removed, and leaving the handle {_did(error)}; raise InfrastructureError",
    )
    await handle.__aexit__(None, None, None)
    await before.require_again_async("after leaving the handle again, with nothing in its way")


async def _failure_of(handle: InjectionHandle) -> Exception | None:
    try:
        await handle.__aexit__(None, None, None)
    except Exception as error:  # looked at by the caller
        return error
    return None


def _did(error: Exception | None) -> str:
    return "raised nothing" if error is None else f"raised {type(error).__name__}: {error}"


def _require_named(text: str, handle: InjectionHandle, payload: Payload) -> None:
    names = {"surface": handle.surface_name, "payload": payload.id, "place": getattr(handle, "place", None)}
    missing = [
        f"{what} ({name})" for what, name in names.items() if name is not None and str(name) not in text
    ]
    require(not missing, f"the refusal does not name the {' and the '.join(missing)}: {text!r}")
