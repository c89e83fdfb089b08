"""One address of a proxy: who asks there, what was called, how answers are altered."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from rampart.core.log import log
from rampart.servers.mcp.calls import CallLog, McpCall, RunningCall
from rampart.text.leaves import leaf_lines

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp.server.session import ServerSession

    from rampart.servers.mcp.upstream import Upstream

Edit = Callable[[str, dict[str, Any], dict[str, Any]], dict[str, Any]]
"""Takes a method such as `tools/call`, its parameters and the server's result, and gives the result to send.

All three are as JSON has them (`inputSchema`, `structuredContent`). It runs in the proxy's own thread, must
not block, and must not change what it was given. What it raises reaches the agent as an internal error.
"""

_ENVELOPE = "io.modelcontextprotocol/"
_LOG_LEVEL = "io.modelcontextprotocol/logLevel"
_SERVER_INFO = "io.modelcontextprotocol/serverInfo"
_CACHEABLE = {"tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read"}
_MOST_SESSIONS = 256
"""Sessions with a handshake that are told of changes; nobody says when one has ended."""


class McpRoute:
    """An address of its own at a proxy, for one session of an agent.

    Args:
        token: What tells it from others; part of its address.
        url: Where agents that speak streamable HTTP find it.
        command: What agents that start their MCP servers themselves start.
        edit: How answers are altered, None to pass them on.
        shared_log: The log of the whole proxy.
    """

    def __init__(
        self, *, token: str, url: str, command: list[str], edit: Edit | None, shared_log: CallLog
    ) -> None:
        self.token = token
        self.url = url
        self.command = command
        self._edits: tuple[Edit, ...] = () if edit is None else (edit,)
        self.closed = False
        self._log = CallLog()
        self._logs = [shared_log, self._log]
        self._sessions: deque[ServerSession] = deque(maxlen=_MOST_SESSIONS)
        self._asking: list[ServerRequestContext[Any, Any]] = []

    @property
    def calls(self) -> list[McpCall]:
        """The calls of tools over this address so far, in the order in which they were made."""
        return self._log.copies()

    def add_edit(self, edit: Edit) -> None:
        """Alter answers in a further way from now on, after those that were added before."""
        self._edits = (*self._edits, edit)

    def remove_edit(self, edit: Edit) -> None:
        """Stop that; one that is not there is no error."""
        self._edits = tuple(one for one in self._edits if one != edit)

    def joined(self, session: ServerSession) -> None:
        """An agent's session has begun with a handshake."""
        self._sessions.append(session)

    async def answer_async(self, upstream: Upstream, ctx: ServerRequestContext[Any, Any]) -> dict[str, Any]:
        """Have the server answer a request, and alter what it says."""
        params = _forwarded(ctx.params, keep_log_level=upstream.is_modern)
        call = RunningCall(params=params, logs=self._logs) if ctx.method == "tools/call" else None
        self._asking.append(ctx)
        try:
            result = await upstream.request_async(ctx.method, params, _progress_to(ctx))
            result = self._edited(ctx.method, params, result)
        except BaseException as error:
            if call is not None:
                gone = isinstance(error, asyncio.CancelledError)
                call.failed("the agent did not wait for it" if gone else leaf_lines(error))
            raise
        finally:
            self._asking.remove(ctx)
        if call is not None and "content" in result:
            call.returned(result)
        elif call is not None:
            call.failed("the server asked for more input first")
        return _for_any_version(ctx.method, result)

    async def tell_async(self, notification: Any) -> None:
        """Pass a notification on to the sessions that began with a handshake."""
        for session in list(self._sessions):
            await _quietly_async(session.send_notification(notification))

    async def tell_asking_async(self, notification: Any) -> None:
        """Pass a log message on: along with the answers under way, or else as `tell_async` does."""
        asking = [ctx for ctx in self._asking if _wants_log(ctx)]
        for ctx in asking:
            await _quietly_async(
                ctx.session.send_notification(notification, related_request_id=ctx.request_id)
            )
        if not asking:
            await self.tell_async(notification)

    def _edited(self, method: str, params: dict[str, Any], result: dict[str, Any]) -> dict[str, Any]:
        for edit in () if self.closed else self._edits:
            result = edit(method, params, result)
        return result


def _forwarded(params: Mapping[str, Any] | None, *, keep_log_level: bool) -> dict[str, Any]:
    """The parameters without what belongs to the agent's own connection."""
    sent = dict(params or {})
    meta = {
        key: value
        for key, value in (sent.pop("_meta", None) or {}).items()
        if key != "progressToken"
        and (not key.startswith(_ENVELOPE) or (keep_log_level and key == _LOG_LEVEL))
    }
    return {**sent, "_meta": meta} if meta else sent


def _for_any_version(method: str, result: dict[str, Any]) -> dict[str, Any]:
    """The result with what one version of the protocol asks for; what another lacks is sieved out later."""
    result = {"resultType": "complete", **result}
    if method in _CACHEABLE:  # what is altered from one time to the next must not be kept by clients
        result |= {"ttlMs": 0, "cacheScope": "private"}
    meta = {key: value for key, value in (result.pop("_meta", None) or {}).items() if key != _SERVER_INFO}
    return {**result, "_meta": meta} if meta else result


def _progress_to(ctx: ServerRequestContext[Any, Any]) -> Any:
    """What passes progress on to the agent, None if it asked for none."""
    if "progress_token" not in (ctx.meta or {}):
        return None

    async def report_async(progress: float, total: float | None, message: str | None) -> None:
        await _quietly_async(ctx.session.report_progress(progress, total, message))

    return report_async


def _wants_log(ctx: ServerRequestContext[Any, Any]) -> bool:
    from mcp_types.version import MODERN_PROTOCOL_VERSIONS  # noqa: PLC0415  # optional

    return ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS or _LOG_LEVEL in (ctx.meta or {})


async def _quietly_async(sending: Any) -> None:
    """Send; a client that has left misses it."""
    try:
        await sending
    except asyncio.CancelledError:
        raise
    except Exception as error:
        log.debug("a notification reached no MCP client", exc_info=error)
