"""Looking at what a user hands over before anything is started with it."""

from __future__ import annotations

from rampart.core.types import ObservabilityLevel

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
    if isinstance(value, type) or not _has_all(value, members):
        raise TypeError(_refusal(value, members, role))


def admit_level(level: object, *, owner: object) -> ObservabilityLevel:
    """Return an `observability_profile` if it is one: with anything else nobody knows what was seen.

    Args:
        level: What was declared.
        owner: Whose it is.

    Raises:
        TypeError: Naming the owner's type and what it declares.
    """
    if not isinstance(level, ObservabilityLevel):
        msg = f"{type(owner).__name__}.observability_profile is {level!r}, expected an ObservabilityLevel"
        raise TypeError(msg)
    return level


def _has_all(value: object, members: tuple[str, ...]) -> bool:
    for name in members:
        try:
            getattr(value, name)
        except AttributeError:
            return False
        except Exception:  # noqa: S112  # any other error shows that the member is there
            continue
    return True


def _refusal(value: object, members: tuple[str, ...], role: str) -> str:
    missing = [name for name in members if not _has_all(value, (name,))]
    if not isinstance(value, type):
        what = f"an object of type {type(value).__name__}"
    elif missing:
        what = f"the class {value.__name__}"
    else:
        return f"the class {value.__name__} cannot serve as {role}: pass an instance of it"
    return f"{what} cannot serve as {role}: it has no {', '.join(missing)}"
