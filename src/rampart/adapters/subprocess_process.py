"""A process of a command-line agent, with all that it starts."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from rampart.core.errors import ConfigurationError, InfrastructureError
from rampart.core.to_its_end import to_its_end_async
from rampart.text.oneline import quote

if TYPE_CHECKING:
    from collections.abc import Mapping

_PIECE = 64 * 1024
_KEPT_OF_STDERR = 4000
_SHOWN_OF_STDERR = 1000
_DRAIN_S = 1.0
_LOOK_EVERY_S = 0.05
_LINGER_S = 0.5


class AgentProcess:
    """One process, in a group of its own; what it prints is bounded, and leaving ends the whole group.

    Args:
        label: The agent as messages name it.
        max_output_bytes: The most it may print while one message is answered.
    """

    def __init__(self, *, label: str, max_output_bytes: int) -> None:
        self._label = label
        self._most = max_output_bytes
        self._process: asyncio.subprocess.Process | None = None
        self._stderr = bytearray()
        self._draining: asyncio.Task[None] | None = None
        self._ending: asyncio.Task[None] | None = None
        self._buffer = bytearray()

    async def start_async(
        self, command: list[str], *, env: Mapping[str, str] | None, cwd: str | None
    ) -> None:
        """Start it, without a shell.

        Raises:
            ConfigurationError: If there is no such program or folder, or it may not be run.
            InfrastructureError: If the system refuses for another reason.
        """
        if sys.platform == "win32":
            msg = "SubprocessAdapter ends agents by their process group, which Windows does not have"
            raise ConfigurationError(msg)
        pipe = asyncio.subprocess.PIPE
        try:
            self._process = await asyncio.create_subprocess_exec(
                *command, stdin=pipe, stdout=pipe, stderr=pipe, env=env, cwd=cwd, start_new_session=True
            )
        except (FileNotFoundError, NotADirectoryError, PermissionError) as error:
            msg = f"{self._label} cannot be started: {error}; check the command and the folder"
            raise ConfigurationError(msg) from error
        except OSError as error:
            msg = f"{self._label} cannot be started: {error}"
            raise InfrastructureError(msg) from error
        self._draining = asyncio.create_task(self._drain_async(self._process.stderr))
        self._ending = asyncio.create_task(self._end_what_is_left_async(self._process))

    async def write_async(self, data: bytes, *, close: bool) -> None:
        """Write to its standard input; a process that does not read it is told by what it does next."""
        stdin = self._required().stdin
        if stdin is None:
            return
        with suppress(BrokenPipeError, ConnectionResetError):
            stdin.write(data)
            await stdin.drain()
        if close:
            stdin.close()

    async def line_async(self, *, taken: int) -> bytes | None:
        """The next line without its end, None at the end of the output.

        Args:
            taken: Bytes that were read for the same message before.

        Raises:
            InfrastructureError: If it printed too much.
        """
        stdout = self._required().stdout
        while stdout is not None:
            end = self._buffer.find(b"\n")
            if end >= 0:
                line = bytes(self._buffer[:end])
                del self._buffer[: end + 1]
                return line
            if taken + len(self._buffer) > self._most:
                break
            piece = await stdout.read(_PIECE)
            if not piece:
                rest, self._buffer = bytes(self._buffer), bytearray()
                return rest or None
            self._buffer += piece
        msg = (
            f"{self._label} printed more than {self._most} bytes for one message; raise max_output_bytes if "
            "that is right"
        )
        raise InfrastructureError(msg)

    async def ended_async(self) -> int:
        """The exit status, once it has ended."""
        return await self._required().wait()

    def failure_text(self, status: int) -> str:
        """How it ended, and the end of what it printed to standard error."""
        told = self._stderr.decode("utf-8", "replace").strip()
        how = f"was ended by signal {-status}" if status < 0 else f"ended with status {status}"
        if not told:
            return f"{self._label} {how}"
        shown = quote(told[-_SHOWN_OF_STDERR:], 2 * _SHOWN_OF_STDERR)
        return f"{self._label} {how}; its standard error ends with {shown}"

    async def stop_async(self) -> None:
        """End it and all that it started, and release what is held of it."""
        await to_its_end_async(self._stop_async())

    async def _stop_async(self) -> None:
        process = self._process
        if process is None:
            return
        self._kill_group(process)
        # First: asyncio takes a process for ended only when its pipes are, and nobody reads them any more.
        transport = getattr(process, "_transport", None)
        if transport is not None:
            transport.close()
        await process.wait()
        tasks = [task for task in (self._draining, self._ending) if task is not None]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    def _kill_group(self, process: asyncio.subprocess.Process) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)

    async def _end_what_is_left_async(self, process: asyncio.subprocess.Process) -> None:
        """End what a process has started, once it has ended itself: it would keep the output open."""
        while process.returncode is None:  # noqa: ASYNC110  # asyncio's own wait is for the pipes too
            await asyncio.sleep(_LOOK_EVERY_S)
        await asyncio.sleep(_LINGER_S)
        self._kill_group(process)

    async def settle_async(self) -> None:
        """Give what it printed to standard error a moment to arrive."""
        if self._draining is not None:
            await asyncio.wait([self._draining], timeout=_DRAIN_S)

    async def _drain_async(self, stderr: asyncio.StreamReader | None) -> None:
        """Read standard error to its end and keep the last of it; the process never waits for a reader."""
        while stderr is not None and (piece := await stderr.read(_PIECE)):
            self._stderr += piece
            del self._stderr[:-_KEPT_OF_STDERR]

    def _required(self) -> asyncio.subprocess.Process:
        if self._process is None:
            msg = f"{self._label} was not started"
            raise InfrastructureError(msg)
        return self._process
