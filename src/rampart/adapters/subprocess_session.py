"""One conversation with a command-line agent."""

from __future__ import annotations

import asyncio
import json
import os
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rampart.adapters.agent_session import AgentSession
from rampart.adapters.subprocess_process import AgentProcess
from rampart.core.errors import ConfigurationError, InfrastructureError
from rampart.text.oneline import quote

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rampart.adapters.subprocess_reply import ReplyReader
    from rampart.adapters.turn_log import TurnLog
    from rampart.core.types import ObservabilityLevel, Request

PROMPT, SESSION = "{prompt}", "{session_id}"
"""Parts of a command that are filled in: the message, and an id that each session has of its own."""

_OPTIONS_END = "--"


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
        """End it."""
        process, self._process = self._process, None
        if process is not None:
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
            await self._process.write_async(self._framed(prompt), close=False)
            await self._reply_async(self._process, turn)
        except BaseException:
            await self.close_async()
            raise

    async def _started_async(self, prompt: str) -> AgentProcess:
        process = AgentProcess(label=self.label, max_output_bytes=self._plan.max_output_bytes)
        try:
            await process.start_async(self._command(prompt), env=self._environment(), cwd=self._plan.cwd)
        except BaseException:
            await process.stop_async()
            raise
        return process

    def _command(self, prompt: str) -> list[str]:
        command = [part.replace(SESSION, self._id) if part != PROMPT else part for part in self._plan.command]
        if not self._plan.prompt_by_argument:
            return command
        place = command.index(PROMPT)
        if "\0" in prompt:
            msg = f'{self.label} cannot be given a NUL character in an argument; use prompt="stdin"'
            raise ConfigurationError(msg)
        if prompt.startswith("-") and _OPTIONS_END not in command[:place]:
            msg = (
                f"the message {quote(prompt, 60)} begins with '-', so {self.label} would take it for an "
                f"option; put '--' before '{PROMPT}', if the program knows that, or use prompt=\"stdin\""
            )
            raise ConfigurationError(msg)
        command[place] = prompt
        return command

    def _environment(self) -> dict[str, str] | None:
        if self._plan.env is None:
            return None
        given = self._plan.env
        kept = {name: value for name, value in os.environ.items() if name not in given}
        return kept | {name: value for name, value in given.items() if value is not None}

    def _framed(self, prompt: str) -> bytes:
        """The message as a line, for a process that gets several."""
        if self._plan.reader.output == "json_lines":
            return json.dumps({"prompt": prompt}).encode() + b"\n"
        if "\n" in prompt or "\r" in prompt:
            msg = (
                f"{self.label} gets one message a line, and {quote(prompt, 60)} has several lines; use "
                'output="json_lines", or a process for each turn'
            )
            raise ConfigurationError(msg)
        return prompt.encode("utf-8", "replace") + b"\n"

    async def _answer_and_end_async(self, process: AgentProcess, prompt: str, turn: TurnLog) -> None:
        given = b"" if self._plan.prompt_by_argument else prompt.encode("utf-8", "replace")
        # Beside the reading: a process may print before it has read all.
        writing = asyncio.create_task(process.write_async(given, close=True))
        try:
            await self._read_to_the_end_async(process, turn)
        finally:
            writing.cancel()
            await asyncio.wait([writing])

    async def _read_to_the_end_async(self, process: AgentProcess, turn: TurnLog) -> None:
        lines = self._plan.reader.output == "json_lines"
        printed, has_reply = bytearray(), False
        taken = 0
        while (line := await process.line_async(taken=taken)) is not None:
            taken += len(line) + 1
            if lines:
                has_reply = self._plan.reader.take_line(line, turn) or has_reply
            else:
                printed += line + b"\n"
        status = await process.ended_async()
        if status != 0:
            await process.settle_async()
            if self._plan.reader.output == "text":
                turn.text = printed.decode("utf-8", "replace").strip()
            raise InfrastructureError(process.failure_text(status))
        if not lines:
            self._plan.reader.take_text(bytes(printed), turn)
        elif not has_reply:
            msg = f"{self.label} ended without a line that has the text of a reply"
            raise InfrastructureError(msg)

    async def _reply_async(self, process: AgentProcess, turn: TurnLog) -> None:
        reader, printed = self._plan.reader, bytearray()
        taken = 0
        while (line := await process.line_async(taken=taken)) is not None:
            taken += len(line) + 1
            if reader.output == "json_lines":
                if reader.take_line(line, turn):
                    return
            elif line.decode("utf-8", "replace").strip() == self._plan.end_of_reply:
                reader.take_text(bytes(printed), turn)
                return
            else:
                printed += line + b"\n"
        status = await process.ended_async()
        await process.settle_async()
        turn.text = turn.text or printed.decode("utf-8", "replace").strip()
        msg = f"{process.failure_text(status)}, before the reply was over"
        raise InfrastructureError(msg)
