"""A runner of ADK that is watched, made without touching what the user gave."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from rampart.adapters.framework_library import library

if TYPE_CHECKING:
    from rampart.adapters.adk_observer import AdkObserver


def watched_runner(given: Any, observer: AdkObserver) -> Any:
    """A runner of its own for one session, with the observer as its first plugin.

    Args:
        given: An agent, an App or a Runner; a Runner is copied and keeps its services.
        observer: What its plugin reports to.

    Raises:
        ConfigurationError: If ADK is not installed.
    """
    base = library("google.adk.plugins.base_plugin", needed_by="AdkAdapter", extra="adk").BasePlugin
    runner = copy.copy(given) if _is(given, "Runner") else _new_runner(given)
    manager = copy.copy(runner.plugin_manager)
    manager.plugins = [_plugin(base, observer), *manager.plugins]
    runner.plugin_manager = manager
    return runner


def _new_runner(given: Any) -> Any:
    runners = _adk("google.adk.runners")
    in_memory: dict[str, Any] = {
        "session_service": _adk("google.adk.sessions.in_memory_session_service").InMemorySessionService(),
        "artifact_service": _adk("google.adk.artifacts.in_memory_artifact_service").InMemoryArtifactService(),
        "memory_service": _adk("google.adk.memory.in_memory_memory_service").InMemoryMemoryService(),
    }
    if _is(given, "App"):
        return runners.Runner(app=given, **in_memory)
    if _is(given, "BaseAgent"):
        return runners.Runner(app_name=given.name, agent=given, **in_memory)
    return runners.Runner(app_name=given.name, node=given, **in_memory)


def _plugin(base: Any, observer: AdkObserver) -> Any:
    """A plugin of ADK, which has to derive from its base class."""

    class RampartPlugin(base):  # type: ignore[misc]  # Any, since ADK is imported here only
        async def before_agent_callback(self, *, agent: Any, **_: Any) -> None:
            observer.agent_begins(agent)

        async def before_model_callback(self, *, callback_context: Any, llm_request: Any, **_: Any) -> None:
            observer.model_begins(callback_context, llm_request)

        async def after_model_callback(self, *, callback_context: Any, llm_response: Any, **_: Any) -> None:
            observer.model_answers(callback_context, llm_response)

        async def before_tool_callback(self, *, tool: Any, tool_context: Any, **_: Any) -> None:
            observer.tool_is_due(tool, tool_context)

        async def on_tool_error_callback(self, *, tool: Any, tool_context: Any, error: Any, **_: Any) -> None:
            observer.tool_failed(tool, tool_context, error)

        async def on_event_callback(self, *, event: Any, **_: Any) -> None:
            observer.event(event)

    return RampartPlugin(name="rampart")


def _adk(module: str) -> Any:
    return library(module, needed_by="AdkAdapter", extra="adk")


def _is(given: object, name: str) -> bool:
    return any(
        kind.__name__ == name and kind.__module__.startswith("google.adk.") for kind in type(given).__mro__
    )
