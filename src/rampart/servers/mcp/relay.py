"""The server that agents see: it offers what the real one offers, and asks it for every answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import mcp_types as types
    from mcp.server.lowlevel import Server
    from mcp.server.subscriptions import InMemorySubscriptionBus

    from rampart.servers.mcp.route import McpRoute
    from rampart.servers.mcp.upstream import Upstream

_FORWARDED = (
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "prompts/list",
    "prompts/get",
    "completion/complete",
    "logging/setLevel",
)


def relay_server(route: McpRoute, upstream: Upstream, bus: InMemorySubscriptionBus) -> Server[Any]:
    """A server for one route.

    Args:
        route: Records and alters.
        upstream: Answers.
        bus: Tells of changes to clients that listen in the way of 2026-07-28.
    """
    import mcp_types as types  # noqa: PLC0415  # optional
    from mcp.server.lowlevel import Server  # noqa: PLC0415  # optional
    from mcp.server.subscriptions import ListenHandler  # noqa: PLC0415  # optional

    client = upstream.client
    capabilities = _capabilities(client.server_capabilities)

    class Relay(Server[Any]):
        def get_capabilities(self, *_args: Any, **_kwargs: Any) -> types.ServerCapabilities:
            return capabilities.model_copy(deep=True)

    info = client.server_info
    server = Relay(
        info.name if info is not None else "rampart-proxy",
        version=info.version if info is not None else "",
        title=info.title if info is not None else None,
        instructions=client.instructions,
        get_tool_input_schema=lambda _name: None,  # else each call would make a listing that nobody asked for
    )

    async def forward(ctx: Any, _params: Any) -> dict[str, Any]:
        return await route.answer_async(upstream, ctx)

    async def subscribe(_ctx: Any, params: Any) -> types.EmptyResult:
        await upstream.subscribe_async(str(params.uri))
        return types.EmptyResult()

    async def unsubscribe(_ctx: Any, params: Any) -> types.EmptyResult:
        await upstream.unsubscribe_async(str(params.uri))
        return types.EmptyResult()

    listen_to_bus = ListenHandler(bus)

    async def listen(ctx: Any, params: Any) -> types.SubscriptionsListenResult:
        for uri in params.notifications.resource_subscriptions or ():
            await upstream.subscribe_async(str(uri))
        return await listen_to_bus(ctx, params)

    async def joined(ctx: Any, _params: Any) -> None:
        route.joined(ctx.session)

    for method in _FORWARDED:
        server.add_request_handler(method, types.RequestParams, forward)
    server.add_request_handler("resources/subscribe", types.SubscribeRequestParams, subscribe)
    server.add_request_handler("resources/unsubscribe", types.UnsubscribeRequestParams, unsubscribe)
    server.add_request_handler("subscriptions/listen", types.SubscriptionsListenRequestParams, listen)
    server.add_notification_handler("notifications/initialized", types.NotificationParams, joined)
    return server


def _capabilities(offered: types.ServerCapabilities | None) -> types.ServerCapabilities:
    """What the real server offers; its tools may always change, since the proxy may change them."""
    from mcp_types import ServerCapabilities  # noqa: PLC0415  # optional

    capabilities = (offered or ServerCapabilities()).model_copy(deep=True)
    if capabilities.tools is not None:
        capabilities.tools.list_changed = True
    return capabilities
