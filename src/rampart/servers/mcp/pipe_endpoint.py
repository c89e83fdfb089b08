"""The other end of `stdio_bridge`: sessions of agents that start their MCP servers themselves."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from rampart.core.log import log

if TYPE_CHECKING:
    import socket

    from rampart.servers.mcp.switchboard import Switchboard

_LONGEST_LINE = 64 * 1024 * 1024
"""Bytes in one message."""


class PipeEndpoint:
    """Serves the routes of a switchboard, one connection for each bridge.

    A connection begins with a line that holds the route's token; the protocol's own lines follow.

    Args:
        switchboard: The routes.
        listener: A socket that listens already; the endpoint closes it.
    """

    def __init__(self, switchboard: Switchboard, listener: socket.socket) -> None:
        self._switchboard = switchboard
        self._listener = listener
        self._server: asyncio.Server | None = None
        self._sessions: set[asyncio.Task[None]] = set()

    async def start_async(self) -> None:
        """Begin to accept bridges."""
        self._server = await asyncio.start_server(
            self._accept_async, sock=self._listener, limit=_LONGEST_LINE
        )

    async def stop_async(self) -> None:
        """End all sessions and close the socket."""
        if self._server is not None:
            self._server.close()
        sessions = set(self._sessions)
        for session in sessions:
            session.cancel()
        if sessions:
            await asyncio.wait(sessions)
        self._listener.close()

    async def _accept_async(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        session = asyncio.current_task()
        if session is not None:
            self._sessions.add(session)
        try:
            token = (await reader.readline()).decode("ascii", "replace").strip()
            line = self._switchboard.find(token)
            if line is not None:
                server = line.server
                await _serve_async(server, reader, writer)
        except asyncio.CancelledError:
            log.debug("an MCP session over stdio was ended")  # by stop_async alone, which waits for it
        except Exception as error:
            log.debug("an MCP session over stdio broke off", exc_info=error)
        finally:
            writer.close()
            if session is not None:
                self._sessions.discard(session)


async def _serve_async(server: Any, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Run one session over the connection."""
    import anyio  # noqa: PLC0415  # comes with mcp
    from mcp.shared.message import SessionMessage  # noqa: PLC0415  # optional
    from mcp_types import jsonrpc_message_adapter  # noqa: PLC0415  # optional

    incoming, read_stream = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    write_stream, outgoing = anyio.create_memory_object_stream[SessionMessage](0)

    async def read_async() -> None:
        async with incoming:
            while text := await reader.readline():
                try:
                    message: SessionMessage | Exception = SessionMessage(
                        jsonrpc_message_adapter.validate_json(text, by_name=False)
                    )
                except ValueError as error:
                    message = error
                await incoming.send(message)

    async def write_async() -> None:
        async with outgoing:
            async for message in outgoing:
                text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                writer.write(text.encode() + b"\n")
                await writer.drain()

    async with anyio.create_task_group() as pumps:
        pumps.start_soon(read_async)
        pumps.start_soon(write_async)
        await server.run(read_stream, write_stream, server.create_initialization_options())
        pumps.cancel_scope.cancel()
