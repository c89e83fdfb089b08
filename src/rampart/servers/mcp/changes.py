"""Notifications of the real server on their way to the agents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mcp.server.subscriptions import InMemorySubscriptionBus

    from rampart.servers.mcp.route import McpRoute


async def pass_on_async(notification: Any, route: McpRoute, bus: InMemorySubscriptionBus) -> None:
    """Tell the agents of one route, each in the way of its version of the protocol.

    Args:
        notification: What the server said. Progress is left out: it goes along with the answer.
        route: The agents that began with a handshake.
        bus: The agents that listen in the way of 2026-07-28.
    """
    import mcp_types as types  # noqa: PLC0415  # optional

    if isinstance(notification, types.LoggingMessageNotification):
        await route.tell_asking_async(notification)
    elif (event := _event(notification)) is not None:
        await route.tell_async(notification)
        await bus.publish(event)


def _event(notification: Any) -> Any:
    import mcp_types as types  # noqa: PLC0415  # optional
    from mcp.server import subscriptions as events  # noqa: PLC0415  # optional

    match notification:
        case types.ToolListChangedNotification():
            return events.ToolsListChanged()
        case types.PromptListChangedNotification():
            return events.PromptsListChanged()
        case types.ResourceListChangedNotification():
            return events.ResourcesListChanged()
        case types.ResourceUpdatedNotification():
            return events.ResourceUpdated(uri=str(notification.params.uri))
    return None
