"""One function for every agent: it finds the adapter."""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import TYPE_CHECKING, Any

from rampart.adapters.agent_function import name_of
from rampart.adapters.callable_adapter import CallableAdapter
from rampart.adapters.known_targets import HOMES, adapter_with_function, is_client, target_of
from rampart.core.connection import Connection, note
from rampart.core.types import ObservabilityLevel
from rampart.text.oneline import quote

if TYPE_CHECKING:
    from rampart.core.adapter import AgentAdapter

_LONGEST = 200
_KNOWN = (
    "connect takes a function (prompt, history), a command as a list of str, an agent of a known framework, "
    "or an adapter"
)
_UNSEEN_CALLS = (
    "tool calls, so a test that looks for one that must not happen is undetermined; record the tools, or "
    "add what sees them with with_tools_from"
)


def connect(target: object, /, **options: Any) -> AgentAdapter:
    """An adapter for whatever the agent is, and a line that says what was chosen and what it can observe.

    | Given | Adapter |
    |---|---|
    | a function or callable object `(prompt, history)` | `CallableAdapter` |
    | a list of str: a command and its arguments | `SubprocessAdapter` |
    | a compiled graph or an agent of a known framework | the framework's adapter |
    | an adapter | the same |

    The line is logged at level INFO, stands in the summary of a pytest run, and is printed by
    `rampart connect`; `explain` gives it as an object. No framework is imported to recognise its objects, and
    nothing is called or connected to.

    Args:
        target: The agent.
        options: Handed on to the adapter, such as `timeout_s` or `manifest`.

    Raises:
        TypeError: If nothing fits, or the adapter does not take an option.
        ConfigurationError: If a library is missing; it says what to install.
    """
    adapter, connection = _connected(target, options)
    note(connection)
    return adapter


def explain(target: object, /, **options: Any) -> Connection:
    """What `connect` would choose for a target, and what could be observed then.

    It takes and raises what `connect` does.
    """
    return _connected(target, options)[1]


def _connected(target: object, options: dict[str, Any]) -> tuple[AgentAdapter, Connection]:
    if hasattr(target, "create_session_async") and not inspect.isclass(target):
        if options:
            kind, given = type(target).__name__, ", ".join(options)
            msg = f"{kind} is an adapter already, so it takes no options, got {given}"
            raise TypeError(msg)
        adapter: Any = target
        return adapter, _connection(adapter, what="an adapter")
    if isinstance(target, str):
        msg = (
            "a command is a list of str, and for a URL the adapter has to be named, such as "
            f"A2AAdapter(url); got the str {quote(target, _LONGEST)}. {_KNOWN}"
        )
        raise TypeError(msg)
    if isinstance(target, list | tuple):
        return _of_command(list(target), options)
    known = target_of(target)
    if known is not None:
        made = _made(known.adapter, target, options)
        return made, _connection(made, what=known.what, observed=known.observed, unobserved=known.unobserved)
    return _of_callable(target, options)


def _of_command(target: list[object], options: dict[str, Any]) -> tuple[AgentAdapter, Connection]:
    if not target or not all(isinstance(part, str) for part in target):
        msg = f"a command is a list of str, got {quote(repr(target), _LONGEST)}. {_KNOWN}"
        raise TypeError(msg)
    adapter = _made("SubprocessAdapter", target, options)
    return adapter, _connection(adapter, what=f"the command {quote(str(target[0]), _LONGEST)}")


def _of_callable(target: object, options: dict[str, Any]) -> tuple[AgentAdapter, Connection]:
    if is_client(target):
        msg = (
            f"{type(target).__name__} is a client of a model; the agent is your loop around it. Connect to a "
            "function (prompt, history) that runs the loop, and record its tools with record_tools"
        )
        raise TypeError(msg)
    needing = adapter_with_function(target)
    if needing is not None:
        msg = (
            f"{type(target).__name__} keeps its conversation, so each session needs one of its own: "
            f"{needing}(make_agent) takes a function that makes it"
        )
        raise TypeError(msg)
    if not callable(target) or inspect.isclass(target):
        kind = f"the class {target.__name__}" if inspect.isclass(target) else type(target).__name__
        msg = f"no adapter is known for {kind}. {_KNOWN}"
        raise TypeError(msg)
    adapter = CallableAdapter(target, **options)
    return adapter, _connection(adapter, what=f"the function {name_of(target)!r}")


def _made(adapter: str, target: object, options: dict[str, Any]) -> AgentAdapter:
    made: AgentAdapter = getattr(import_module(HOMES[adapter]), adapter)(target, **options)
    return made


def _connection(
    adapter: AgentAdapter, *, what: str, observed: str | None = None, unobserved: str | None = None
) -> Connection:
    level = adapter.observability_profile
    seen, unseen = _by_level(level)
    return Connection(
        adapter=type(adapter).__name__,
        target=what,
        level=level,
        observed=observed or seen,
        unobserved=unobserved or unseen,
    )


def _by_level(level: ObservabilityLevel) -> tuple[str, str]:
    if level is ObservabilityLevel.TOOL_AND_SIDE_EFFECTS:
        return "replies, tool calls and side effects", "what happens without a tool or a declared effect"
    if level is ObservabilityLevel.TOOL_ONLY:
        return "replies and tool calls", "side effects; add a surface's sink or with_state"
    return "replies", _UNSEEN_CALLS
