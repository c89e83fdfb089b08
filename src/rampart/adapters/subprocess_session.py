"""One conversation with a command-line agent."""

from __future__ import annotations

import asyncio
import json
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rampart.adapters.agent_session import AgentSession
from rampart.adapters.subprocess_command import encoded, filled_command
from rampart.adapters.subprocess_environment import agent_environment
from rampart.adapters.subprocess_process import AgentProcess
from rampart.adapters.tool_warnings import warn_of_late_call
from rampart.adapters.turn_log import TurnLog
from rampart.core.errors import ConfigurationError, InfrastructureError
from rampart.core.log import log
from rampart.text.oneline import quote
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rampart.adapters.subprocess_reply import ReplyReader
    from rampart.core.types import ObservabilityLevel, Request

_LATE_S = 0.01
_FAREWELL_S = 0.5
_SHOWN = 60


@dataclass(frozen=True, kw_only=True)
class SubprocessPlan:
    """What all sessions of one adapter have in common.

    Attributes:
        command: The program and its arguments, with placeholders.
        prompt_by_argument: Whether the message is an argument, rather than standard input.
        one_process: Whether a session has one process for all its turns, rather than one for each.
        end_of_reply: The line that ends a reply of plain text of such a process.
        reader: Reads what is printed.
        env: Variables beside those of this process; None as a value removes one.
        cwd: The folder in which the command runs; None for that of this process.
        max_output_bytes: The most that may be printed for one message.
    """

    command: tuple[str, ...]
    prompt_by_argument: bool
    one_process: bool
    end_of_reply: str | None
    reader: ReplyReader
    env: Mapping[str, str | None] | None
    cwd: str | None
    max_output_bytes: int


class SubprocessSession(AgentSession):
    """A session of a `SubprocessAdapter`; made by `create_session_async`."""

    def __init__(
        self, plan: SubprocessPlan, *, label: str, level: ObservabilityLevel, timeout_s: float | None
    ) -> None:
        super().__init__(label=label, level=level, timeout_s=timeout_s)
        self._plan = plan
        self._id = uuid.uuid4().hex
        self._process: AgentProcess | None = None

    async def open_async(self) -> None:
        """Start the session's process, if it has one for all turns."""
        if self._plan.one_process:
            self._process = await self._started_async("")

    async def close_async(self) -> None:
        """Let it end by itself for a moment, and then end it."""
        process, self._process = self._process, None
        if process is None:
            return
        try:
            await self._see_off_async(process)
        finally:
            await process.stop_async()

    async def answer_async(self, request: Request, turn: TurnLog, /) -> None:
        """Hand the message over and read the reply.

        Raises:
            ConfigurationError: If the message cannot be handed over as it is.
            InfrastructureError: If the process failed, or what it printed is no reply.
        """
        prompt = request.prompt or ""
        if self._process is None:
            process = await self._started_async(prompt)
            try:
                await self._answer_and_end_async(process, prompt, turn)
            finally:
                await process.stop_async()
            return
        try:
            self._process.begin_message()
            framed = self._framed(prompt)
            await self._take_late_async(self._process, turn)
            await self._process.write_async(framed, close=False)
            await self._reply_async(self._process, turn)
        except BaseException:
            process, self._process = self._process, None
            await process.stop_async()
            raise

    async def _started_async(self, prompt: str) -> AgentProcess:
        process = AgentProcess(label=self.label, max_output_bytes=self._plan.max_output_bytes)
        command = filled_command(self._plan.command, prompt=prompt, session_id=self._id, label=self.label)
        try:
            await process.start_async(command, env=agent_environment(self._plan.env), cwd=self._plan.cwd)
        except BaseException:
            await process.stop_async()
            raise
        return process

    def _framed(self, prompt: str) -> bytes:
        """The message as a line, for a process that gets several."""
        if self._plan.reader.output == "json_lines":
            return json.dumps({"prompt": prompt}).encode() + b"\n"
        if "\n" in prompt or "\r" in prompt:
            msg = (
                f"{self.label} gets one message a line, and {quote(prompt, _SHOWN)} has several lines; use "
                'output="json_lines", or a process for each turn'
            )
            raise ConfigurationError(msg)
        return encoded(prompt, label=self.label) + b"\n"

    async def _answer_and_end_async(self, process: AgentProcess, prompt: str, turn: TurnLog) -> None:
        given = b"" if self._plan.prompt_by_argument else encoded(prompt, label=self.label)
        # Beside the reading: a process may print before it has read all.
        writing = asyncio.create_task(process.write_async(given, close=True))
        try:
            await self._read_to_the_end_async(process, turn)
        finally:
            writing.cancel()
            await asyncio.wait([writing])

    async def _read_to_the_end_async(self, process: AgentProcess, turn: TurnLog) -> None:
        reader, printed, has_reply = self._plan.reader, bytearray(), False
        try:
            while (line := await process.line_async()) is not None:
                if reader.output == "json_lines":
                    has_reply = reader.take_line(line, turn) or has_reply
                else:
                    printed += line + b"\n"
            await _require_success_async(process)
        except BaseException:
            reader.take_beginning(printed, turn)
            raise
        if reader.output != "json_lines":
            reader.take_text(bytes(printed), turn)
        elif not has_reply:
            msg = f"{self.label} ended without a line that has the text of a reply"
            raise InfrastructureError(msg)

    async def _reply_async(self, process: AgentProcess, turn: TurnLog) -> None:
        reader, printed = self._plan.reader, bytearray()
        try:
            while (line := await process.line_async()) is not None:
                if reader.output == "json_lines":
                    if reader.take_line(line, turn):
                        return
                elif line.decode("utf-8", "replace").strip() == self._plan.end_of_reply:
                    reader.take_text(bytes(printed), turn)
                    return
                else:
                    printed += line + b"\n"
            await _tell_of_end_async(process)
        except BaseException:
            reader.take_beginning(printed, turn)
            raise

    async def _take_late_async(self, process: AgentProcess, turn: TurnLog) -> None:
        """Take what was printed since the last reply: calls belong to this turn, but no reply may be there.

        A second reply would be taken for the one to the next message, and every later one for the next but
        one.
        """
        await asyncio.sleep(_LATE_S)
        while (line := await process.line_now_async()) is not None:
            is_lines = self._plan.reader.output == "json_lines"
            if self._plan.reader.take_line(line, turn) if is_lines else line.strip():
                shown = quote(line.decode("utf-8", "replace"), _SHOWN)
                turn.text = ""
                msg = (
                    f"{self.label} printed {shown} after the end of its reply, so it cannot be told any more "
                    "which reply answers which message; print the end of a reply once, and nothing after it"
                )
                raise InfrastructureError(msg)

    async def _see_off_async(self, process: AgentProcess) -> None:
        """Close its input, and tell of calls that come too late to be part of a turn."""
        process.begin_message()
        late = TurnLog()
        try:
            async with asyncio.timeout(_FAREWELL_S):
                await process.write_async(b"", close=True)
                while (line := await process.line_async()) is not None:
                    if self._plan.reader.output == "json_lines":
                        self._plan.reader.take_line(line, late)
        except Exception as error:  # the session has given its replies; `read` may raise anything
            log.debug("%s did not end by itself: %s", self.label, safe_str(error))
        for call in late.calls[:1]:
            warn_of_late_call(call.call.name, owner=self.label)


async def _require_success_async(process: AgentProcess) -> None:
    status = await process.ended_async()
    if status != 0:
        await process.settle_async()
        raise InfrastructureError(process.failure_text(status))


async def _tell_of_end_async(process: AgentProcess) -> None:
    status = await process.ended_async()
    await process.settle_async()
    msg = f"{process.failure_text(status)}, before the reply was over"
    raise InfrastructureError(msg)
