"""A process of a command-line agent, with all that it starts."""

from __future__ import annotations

import asyncio
import errno
import os
import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from rampart.core.errors import ConfigurationError, InfrastructureError
from rampart.core.to_its_end import to_its_end_async
from rampart.text.oneline import quote
from rampart.text.secrets import redact

if TYPE_CHECKING:
    from collections.abc import Mapping

_PIECE = 64 * 1024
_KEPT_OF_STDERR = 4000
_SHOWN_OF_STDERR = 1000
_DRAIN_S = 1.0
_LOOK_EVERY_S = 0.05
_LINGER_S = 0.5
_OUTPUTS = (1, 2)


class AgentProcess:
    """One process, in a group of its own; what it prints is bounded, and leaving ends the whole group.

    Args:
        label: The agent as messages name it.
        max_output_bytes: The most it may print, to either output, while one message is answered.
    """

    def __init__(self, *, label: str, max_output_bytes: int) -> None:
        self._label = label
        self._most = max_output_bytes
        self._process: asyncio.subprocess.Process | None = None
        self._buffer = bytearray()
        self._taken = 0
        self._stderr = bytearray()
        self._complained = 0
        self._draining: asyncio.Task[None] | None = None
        self._ending: asyncio.Task[None] | None = None
        self._over = asyncio.Event()

    async def start_async(
        self, command: list[str], *, env: Mapping[str, str] | None, cwd: str | None
    ) -> None:
        """Start it, without a shell.

        Raises:
            ConfigurationError: If there is no such program or folder, it may not be run, or the message is
                too long for an argument.
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
        except OSError as error:
            raise self._not_started(error) from error
        self._draining = asyncio.create_task(self._drain_async(self._process))
        self._ending = asyncio.create_task(self._end_what_is_left_async(self._process))

    def _not_started(self, error: OSError) -> ConfigurationError | InfrastructureError:
        msg = f"{self._label} cannot be started: {error}"
        if isinstance(error, FileNotFoundError | NotADirectoryError | PermissionError):
            return ConfigurationError(f"{msg}; check the command and the folder")
        if error.errno == errno.E2BIG:
            return ConfigurationError(
                f'{msg}; the message is too long for the system to hand it over so, use prompt="stdin"'
            )
        return InfrastructureError(msg)

    def begin_message(self) -> None:
        """What is printed from now on counts for another message."""
        self._taken = self._complained = 0

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

    async def line_async(self) -> bytes | None:
        """The next line without its end, None at the end of the output.

        Raises:
            InfrastructureError: If it printed too much since `begin_message`.
        """
        stdout = self._required().stdout
        while stdout is not None:
            end = self._buffer.find(b"\n")
            if end >= 0:
                line = bytes(self._buffer[:end])
                del self._buffer[: end + 1]
                return line
            piece = await stdout.read(_PIECE)
            if not piece:
                rest, self._buffer = bytes(self._buffer), bytearray()
                return rest or None
            self._taken += len(piece)
            if self._taken > self._most:
                break
            self._buffer += piece
        raise InfrastructureError(self._too_much("standard output"))

    async def line_now_async(self) -> bytes | None:
        """The next line, as `line_async` gives it, if it is there already; None otherwise."""
        try:
            async with asyncio.timeout(0):  # what is there is given without a wait that could be cut short
                return await self.line_async()
        except TimeoutError:
            return None

    async def ended_async(self) -> int:
        """The exit status, once it has ended."""
        await self._over.wait()
        return self._required().returncode or 0

    def failure_text(self, status: int) -> str:
        """How it ended, and the end of what it printed to standard error."""
        if self._complained > self._most:
            return self._too_much("standard error")
        # Secrets go first, so that the cut leaves no half of one.
        told = redact(self._stderr.decode("utf-8", "replace")).strip()
        how = f"was ended by signal {-status}" if status < 0 else f"ended with status {status}"
        if not told:
            return f"{self._label} {how}"
        shown = quote(told[-_SHOWN_OF_STDERR:], 2 * _SHOWN_OF_STDERR)
        return f"{self._label} {how}; its standard error ends with {shown}"

    def _too_much(self, where: str) -> str:
        return (
            f"{self._label} printed more than {self._most} bytes to {where} for one message, and was killed; "
            "raise max_output_bytes if that is right"
        )

    async def settle_async(self) -> None:
        """Give what it printed to standard error a moment to arrive."""
        if self._draining is not None:
            await asyncio.wait([self._draining], timeout=_DRAIN_S)

    async def stop_async(self) -> None:
        """End it and all that it started, and release what is held of it."""
        await to_its_end_async(self._stop_async())

    async def _stop_async(self) -> None:
        process = self._process
        if process is None:
            return
        _kill_group(process)
        # First: asyncio takes a process for ended only when its pipes are, and nobody reads them any more.
        transport = _transport(process)
        if transport is not None:
            transport.close()
        await process.wait()
        tasks = [task for task in (self._draining, self._ending) if task is not None]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    async def _end_what_is_left_async(self, process: asyncio.subprocess.Process) -> None:
        """End what a process has started, once it has ended itself: it would keep the output open."""
        while process.returncode is None:  # noqa: ASYNC110  # asyncio's own wait is for the pipes too
            await asyncio.sleep(_LOOK_EVERY_S)
        self._over.set()
        await asyncio.sleep(_LINGER_S)
        _kill_group(process)
        await asyncio.sleep(_LINGER_S)
        # Something outside the group may hold the output still; nobody waits for what that prints.
        transport = _transport(process)
        for number in _OUTPUTS:
            pipe = None if transport is None else transport.get_pipe_transport(number)
            if pipe is not None:
                pipe.close()

    async def _drain_async(self, process: asyncio.subprocess.Process) -> None:
        """Read standard error to its end and keep the last of it; the process never waits for a reader."""
        stderr = process.stderr
        while stderr is not None and (piece := await stderr.read(_PIECE)):
            self._stderr += piece
            del self._stderr[:-_KEPT_OF_STDERR]
            self._complained += len(piece)
            if self._complained > self._most:
                _kill_group(process)
                return

    def _required(self) -> asyncio.subprocess.Process:
        if self._process is None:
            msg = f"{self._label} was not started"
            raise InfrastructureError(msg)
        return self._process


def _transport(process: asyncio.subprocess.Process) -> Any:
    return getattr(process, "_transport", None)


def _kill_group(process: asyncio.subprocess.Process) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
