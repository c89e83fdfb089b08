"""Looking at what a user hands over before anything is started with it."""

from __future__ import annotations

_ABSENT = object()

ADAPTER_MEMBERS = ("create_session_async", "manifest", "observability_profile")
SESSION_MEMBERS = ("send_async", "__aenter__", "__aexit__")
DRIVER_MEMBERS = ("next_prompt_async",)
EVALUATOR_MEMBERS = ("evaluate_async",)


def admit(value: object, *, members: tuple[str, ...], role: str) -> None:
    """Refuse an object that lacks a member of its protocol.

    Members are looked up on the object and never called. A property that raises anything but
    AttributeError is there; what it raises shows when it is used.

    Args:
        value: What was handed over.
        members: The names it must have.
        role: What it is meant to be, such as `adapter`.

    Raises:
        TypeError: Naming the type, the role and what is missing.
    """
    missing = [name for name in members if not _has(value, name)]
    if missing:
        kind = (
            f"the class {value.__name__}"
            if isinstance(value, type)
            else f"an object of type {type(value).__name__}"
        )
        msg = f"{kind} cannot serve as {role}: it has no {', '.join(missing)}"
        raise TypeError(msg)
    if isinstance(value, type):
        msg = f"the class {value.__name__} cannot serve as {role}: pass an instance of it"
        raise TypeError(msg)


def _has(value: object, name: str) -> bool:
    try:
        return getattr(value, name, _ABSENT) is not _ABSENT
    except Exception:  # any error shows that the member is there
        return True
