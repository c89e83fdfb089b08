"""A process that matches patterns, seen from the one that asks it."""

from __future__ import annotations

import re
import select
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import IO, cast

from rampart.evaluators._pattern_worker import (
    ANSWER,
    ENCODING,
    ENCODING_ERRORS,
    FAILED,
    FOUND,
    READY,
    REQUEST,
)

_START_LIMIT = 60.0
_GRACE = 1.0
_PROGRAM = Path(__file__).with_name("_pattern_worker.py")


class PatternGaveUpError(Exception):
    """Nobody can say whether a pattern matches; the text says why."""


class ProcessDiedError(Exception):
    """The process went away, for reasons that have nothing to do with the question."""


class PatternProcess:
    """A worker process, started when it is made.

    Not for several threads at once. After any error it is of no further use and has to be closed.

    Raises:
        ProcessDiedError: If it does not come up.
    """

    def __init__(self) -> None:
        try:
            self._process = subprocess.Popen(  # noqa: S603  # a program of ours, with no shell
                [sys.executable, "-I", "-S", str(_PROGRAM)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        except OSError as error:
            msg = f"a process for matching it could not be started: {error}"
            raise ProcessDiedError(msg) from error
        self._requests = cast("IO[bytes]", self._process.stdin)
        self._answers = cast("IO[bytes]", self._process.stdout)
        self._await_start()

    def ask(self, pattern: re.Pattern[str], text: str, /, *, whole: bool, limit: float) -> bool:
        """Whether `pattern` is found in `text`, or matches the whole of it.

        Args:
            pattern: The pattern.
            text: The text; lone surrogates are allowed.
            whole: Whether the whole text has to match.
            limit: How long it may take, in seconds; the process ends itself after that.

        Raises:
            PatternGaveUpError: If it took too long or failed.
            ProcessDiedError: If the process has gone away.
        """
        pattern_bytes = pattern.pattern.encode(ENCODING, ENCODING_ERRORS)
        text_bytes = text.encode(ENCODING, ENCODING_ERRORS)
        # Debugging output was printed when the pattern was made.
        flags = pattern.flags & ~re.DEBUG
        head = REQUEST.pack(limit, whole, flags, len(pattern_bytes), len(text_bytes))
        started = time.monotonic()
        try:
            self._requests.write(b"".join((head, pattern_bytes, text_bytes)))
            self._requests.flush()
            kind, size = ANSWER.unpack(self._read(ANSWER.size, limit=limit + _GRACE))
            error = self._answers.read(size) if size else b""
        except (OSError, ProcessDiedError) as gone:
            if time.monotonic() - started >= limit:
                msg = f"timed out after {limit:g} s"
                raise PatternGaveUpError(msg) from None
            msg = "the process for matching it ended"
            raise ProcessDiedError(msg) from gone
        if kind == FAILED:
            msg = f"failed with {error.decode(ENCODING, 'replace')}"
            raise PatternGaveUpError(msg)
        return bool(kind == FOUND)

    def close(self) -> None:
        """End the process, whatever it is doing, and let go of it."""
        self._process.kill()
        self._process.wait()
        self.forget()

    def forget(self) -> None:
        """Let go of a process that belongs to somebody else, after a fork."""
        for stream in (self._requests, self._answers):
            with suppress(OSError):
                stream.close()
        # Keeps `subprocess` from warning about a process that is still running.
        self._process.returncode = self._process.returncode or 0

    def _await_start(self) -> None:
        try:
            (version,) = READY.unpack(self._read(READY.size, limit=_START_LIMIT))
        except (OSError, ProcessDiedError) as error:
            self.close()
            msg = f"a process for matching it could not be started with {sys.executable}"
            raise ProcessDiedError(msg) from error
        if version != sys.hexversion:
            self.close()
            msg = f"{sys.executable} is another version of Python than the one that runs"
            raise ProcessDiedError(msg)

    def _read(self, size: int, *, limit: float) -> bytes:
        # Only a precaution for a process that cannot even end itself; Windows has no `poll` for pipes.
        if hasattr(select, "poll"):
            poll = select.poll()
            poll.register(self._answers, select.POLLIN)
            if not poll.poll(limit * 1000):
                raise ProcessDiedError
        data = self._answers.read(size)
        if len(data) < size:
            raise ProcessDiedError
        return data
