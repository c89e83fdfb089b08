"""The MCP server behind a proxy, and how it is reached."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from contextlib import AsyncExitStack

    from mcp import Client


class McpTarget:
    """Where the real server is.

    Args:
        target: A command with its arguments, as a list; the URL of a server that speaks streamable HTTP;
            or a server object of the `mcp` package.
        env: Variables for a command, besides the few that the `mcp` package passes on (`PATH`, `HOME` ...).
        cwd: The folder in which a command runs.
        headers: HTTP headers for a URL, such as `Authorization`.

    Raises:
        TypeError: If `target` is none of these.
        ValueError: If an option is given for a target that has no use for it, or the URL is no URL.
    """

    def __init__(
        self,
        target: object,
        *,
        env: Mapping[str, str] | None = None,
        cwd: str | Path | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.is_url = isinstance(target, str)
        self.is_command = not self.is_url and isinstance(target, Sequence)
        self._target: Any = target
        self._env = dict(env or {})
        self._cwd = cwd
        self._headers = dict(headers or {})
        self.label = self._checked()

    def _checked(self) -> str:
        target = self._target
        if (self._env or self._cwd is not None) and not self.is_command:
            msg = "env and cwd are for a target that is a command; this one is not started by the proxy"
            raise ValueError(msg)
        if self._headers and not self.is_url:
            msg = "headers are for a target that is a URL"
            raise ValueError(msg)
        if self.is_url:
            if not target.startswith(("http://", "https://")):
                msg = (
                    f"target={target!r} is no http:// or https:// URL; give a command as a list, "
                    "such as ['python', 'server.py']"
                )
                raise ValueError(msg)
            return str(target)
        if self.is_command:
            if not target or not all(isinstance(part, str | Path) for part in target):
                msg = f"a command is a list of strings, the program first, got {target!r}"
                raise TypeError(msg)
            return shlex.join(str(part) for part in target)
        if not hasattr(target, "run"):  # what servers of the mcp package have in common
            msg = (
                "target must be a command (a list of strings), a URL, or a server object of the mcp package, "
                f"got {type(target).__name__}"
            )
            raise TypeError(msg)
        return f"{type(target).__name__} {getattr(target, 'name', '')}".strip()

    def advice(self, error: BaseException) -> str:
        """What to do about an error of connecting, after a semicolon; empty where that is not known."""
        if self.is_url:
            return "; is it running, and is the URL right?" if type(error).__name__ == "ConnectError" else ""
        if not self.is_command or not isinstance(error, OSError):
            return ""
        if isinstance(error, PermissionError):
            return "; the first part of the command has to be a program that may be run"
        if self._cwd is not None and not Path(self._cwd).is_dir():
            return f"; there is no folder {str(self._cwd)!r} to run it in (cwd)"
        if isinstance(error, FileNotFoundError):
            return "; there is no such program: is it spelled right and installed, and its folder on PATH?"
        return ""

    async def client_async(self, stack: AsyncExitStack, errlog: TextIO, **callbacks: Any) -> Client:
        """Connect; the connection ends with `stack`.

        Args:
            stack: What ends the connection; it must be left in the task that called this.
            errlog: Where a command's standard error goes.
            callbacks: Further arguments of the client.
        """
        from mcp import Client  # noqa: PLC0415  # optional
        from mcp.client.stdio import StdioServerParameters, stdio_client  # noqa: PLC0415  # optional

        server: Any = self._target
        if self.is_command:
            command, *args = [str(part) for part in self._target]
            server = stdio_client(
                StdioServerParameters(command=command, args=args, env=self._env or None, cwd=self._cwd),
                errlog=errlog,
            )
        elif self._headers:
            import httpx2  # noqa: PLC0415  # optional
            from mcp.client.streamable_http import streamable_http_client  # noqa: PLC0415  # optional

            # A tool may take its time, and streams stay open: only connecting is bounded tightly.
            timeout = httpx2.Timeout(30.0, read=300.0)
            http = await stack.enter_async_context(httpx2.AsyncClient(headers=self._headers, timeout=timeout))
            server = streamable_http_client(self._target, http_client=http)
        return await stack.enter_async_context(Client(server, **callbacks))
