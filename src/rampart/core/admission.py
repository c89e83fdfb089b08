"""Looking at what a user hands over before anything is started with it."""

from __future__ import annotations

from collections.abc import Awaitable
from types import BuiltinFunctionType, FunctionType, GeneratorType, MethodType
from typing import TYPE_CHECKING, TypeVar

from rampart.core.types import ObservabilityLevel, Payload, Request
from rampart.text.oneline import quote
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from rampart.core.manifest import AppManifest

T = TypeVar("T")

_ROUTINES = (FunctionType, BuiltinFunctionType, MethodType)
_SHOWN = 60
_NEEDED = {
    "adapter": "CallableAdapter makes an adapter of a function (prompt, history)",
    "session": "create_session_async has to return a session",
    "driver": "a driver has `async def next_prompt_async(self, *, history)`, which returns a PromptDecision "
    "or None; texts are sent with prompt= or prompts=",
    "evaluator": "an evaluator has `async def evaluate_async(self, *, context)`, which returns an EvalResult",
    "injection": "surface.inject(payload=...) gives one",
    "event handler": "a handler derives from ExecutionEventHandler and has "
    "`async def on_event_async(self, *, event_data)`",
}
ADAPTER_MEMBERS = ("create_session_async", "manifest", "observability_profile")
SESSION_MEMBERS = ("send_async", "__aenter__", "__aexit__")
DRIVER_MEMBERS = ("next_prompt_async",)
EVALUATOR_MEMBERS = ("evaluate_async",)
HANDLE_MEMBERS = ("payload_id", "surface_name", "wait_until_ready_async", "__aenter__", "__aexit__")


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
        _refuse_method(level, owner=owner, name="observability_profile", expected="an ObservabilityLevel")
        msg = f"{type(owner).__name__}.observability_profile is {level!r}, expected an ObservabilityLevel"
        raise TypeError(msg)
    return level


def admit_manifest(manifest: AppManifest, *, owner: object) -> AppManifest:
    """Return a `manifest` unless it is the method that would give it.

    Raises:
        TypeError: Naming the owner's type.
    """
    _refuse_method(manifest, owner=owner, name="manifest", expected="an AppManifest")
    return manifest


def admit_awaitable(value: Awaitable[T], *, owner: object, method: str) -> Awaitable[T]:
    """Return what an async method gave if it can be awaited.

    Args:
        value: What calling the method gave.
        owner: Whose method it is.
        method: Its name.

    Raises:
        TypeError: Naming the method and what it gave.
    """
    given: object = value
    if not isinstance(given, Awaitable | GeneratorType):  # the latter: `types.coroutine`
        kind = type(given).__name__
        msg = f"{type(owner).__name__}.{method} returned {kind} at once; write it as `async def {method}`"
        raise TypeError(msg)
    return value


def is_routine(value: object) -> bool:
    """Whether it is a function or a method, and no class or object that happens to be callable."""
    return isinstance(value, _ROUTINES)


def _refuse_method(value: object, *, owner: object, name: str, expected: str) -> None:
    if is_routine(value):
        msg = (
            f"{type(owner).__name__}.{name} is a method, expected {expected}: make it a property (put "
            "@property above it) or an attribute"
        )
        raise TypeError(msg)


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
    if is_routine(value):
        what = f"the function {_name(value)}"
    elif not isinstance(value, type):
        what = f"an object of type {type(value).__name__}"
    elif missing:
        what = f"the class {value.__name__}"
    else:
        return f"the class {value.__name__} cannot serve as {role}: pass an instance of it"
    advice = _advice(value, "evaluator" if role in ("stop_when", "utility") else role)
    return f"{what} cannot serve as {role}: it has no {', '.join(missing)}" + (
        f"; {advice}" if advice else ""
    )


def _advice(value: object, role: str) -> str:
    """What to write instead; empty for a role that nothing is known of."""
    if isinstance(value, type):
        return _NEEDED.get(role, "")
    if role == "adapter" and callable(value):
        return f"wrap the function: CallableAdapter({_name(value)})"
    if role == "evaluator":
        if callable(value) or isinstance(value, str) or type(value).__name__ == "Pattern":
            target = _name(value) if callable(value) else quote(repr(value), _SHOWN)
            return f"to judge replies by it: ResponseContains({target}, scope=ResponseScope.ANY_TURN)"
        if isinstance(value, list | tuple | set | frozenset):
            return "put several evaluators together with | (any of them) or & (all of them)"
    if role == "driver" and _is_request_or_has_some(value):
        return "Requests are sent with driver=StaticDriver(prompts=[...])"
    if role == "injection" and hasattr(value, "inject"):
        return f"plant something: inject=<the {type(value).__name__}>.inject(payload=...)"
    if role == "injection" and isinstance(value, Payload):
        return (
            "say where it goes: inject=surface.inject(payload=...); to send it along, attach it to a Request"
        )
    return _NEEDED.get(role, "")


def _is_request_or_has_some(value: object) -> bool:
    items = value if isinstance(value, list | tuple) else [value]
    return any(isinstance(item, Request) for item in items)


def _name(value: object) -> str:
    """A function as it may be written in code."""
    name = safe_str(getattr(value, "__qualname__", "")).rpartition("<locals>.")[2]
    return quote(name, _SHOWN) if name and "<" not in name else "function"
