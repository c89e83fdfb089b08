"""An mbox file: all mails of a mailbox one after another, each behind a line that begins with `From `.

Format: RFC 4155.
"""

from __future__ import annotations

import os
import re
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from rampart.surfaces.blocking import run_blocking_async
from rampart.surfaces.mailbox_lock import locked
from rampart.surfaces.mailbox_store import HEADER_BYTES, message_id_of

if TYPE_CHECKING:
    from io import FileIO

    from rampart.surfaces.mailbox_message import BuiltMail
    from rampart.surfaces.undo import Undo

_BEGINNING = re.compile(rb"(?:\A|(?<=\n\n)|(?<=\n\r\n))From ")
_ANY_BEGINNING = re.compile(rb"\nFrom ")


@dataclass(frozen=True, kw_only=True)
class _Gap:
    """The line breaks that had to be put before a planted mail.

    Attributes:
        start: Where they begin, in bytes from the start of the file.
        text: The line breaks.
    """

    start: int
    text: bytes


class Mbox:
    """The mails of an mbox file.

    A mail is removed by its Message-ID. What others did to the file meanwhile stays as they left it: mails
    that were added, removed or marked. Headers that readers add to the planted mail (`Status`) go with it.

    Args:
        path: The file; it is made where it is missing, and removed again.
    """

    def __init__(self, *, path: Path) -> None:
        self._path = Path(os.path.realpath(path))

    @property
    def place(self) -> str:
        """The place, for error messages."""
        return f"mbox {self._path}"

    @property
    def title(self) -> str:
        """The place, as reports name it."""
        return f"mailbox {self._path.name}"

    @property
    def isolation_key(self) -> str:
        """The file."""
        return f"file:{os.path.normcase(self._path)}"

    def look(self) -> frozenset[str]:
        """Nothing: mails in one file have no names of their own but their Message-IDs."""
        return frozenset()

    def plant(self, mail: BuiltMail, undo: Undo) -> None:
        """Append the mail.

        Raises:
            OSError: If the file cannot be written.
            ValueError: If the file is no mbox, or holds a mail with this Message-ID.
        """
        with suppress(FileExistsError):
            os.close(os.open(self._path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            undo.add(partial(run_blocking_async, self._remove_if_empty))
        with locked(self._path) as file:
            content = file.read()
            if content and not content.startswith(b"From "):
                msg = f"{self._path} is no mbox file: it begins with {content[:20]!r}, not with a line `From`"
                raise ValueError(msg)
            if mail.id_is_given and _spans(content, mail.message_id):
                msg = f"a mail with the Message-ID {mail.message_id} is there already; choose another one"
                raise ValueError(msg)
            gap = _Gap(start=len(content), text=_missing_breaks(content))
            undo.add(partial(run_blocking_async, partial(self._remove, mail.message_id, gap)))
            _append(file, gap.text + _first_line(mail) + mail.content + b"\n")

    def holds(self, message_id: str, before: frozenset[str]) -> bool:  # names tell nothing here
        """Whether such a mail is there now."""
        try:
            return bool(_spans(self._path.read_bytes(), message_id))
        except FileNotFoundError:
            return False

    def remove(self, message_id: str, before: frozenset[str]) -> None:  # names tell nothing here
        """Remove every mail of this id.

        Raises:
            OSError: If the file cannot be written.
            ValueError: If the mail is there, but inside of something else.
        """
        self._remove(message_id, None)

    def _remove(self, message_id: str, gap: _Gap | None) -> None:
        with suppress(FileNotFoundError), locked(self._path) as file:
            content = file.read()
            spans = _spans(content, message_id)
            if gap is not None and spans:
                spans[-1] = _with_gap(spans[-1], gap, content)
            _cut(file, content, spans)
            if _mentions(file, message_id):
                msg = (
                    f"the mail {message_id} still stands inside of something else in {self._path}, which is "
                    "left as it is; remove it by hand"
                )
                raise ValueError(msg)

    def _remove_if_empty(self) -> None:
        with suppress(FileNotFoundError), locked(self._path) as file:
            if not file.read(1):
                self._path.unlink()


def _first_line(mail: BuiltMail) -> bytes:
    return f"From {mail.sender} {time.asctime(mail.sent.astimezone(UTC).timetuple())}\n".encode()


def _append(file: FileIO, text: bytes) -> None:
    """Write all of it or nothing."""
    end = file.tell()
    try:
        _write(file, text)
    except BaseException:
        file.truncate(end)
        raise


def _write(file: FileIO, text: bytes) -> None:
    left = memoryview(text)
    while left:
        left = left[file.write(left) :]


def _missing_breaks(content: bytes) -> bytes:
    """What has to come between the content and the next mail: a blank line divides them."""
    end = content[-4:].replace(b"\r", b"")
    if not content or end.endswith(b"\n\n"):
        return b""
    return b"\n" if end.endswith(b"\n") else b"\n\n"


def _spans(content: bytes, message_id: str) -> list[tuple[int, int]]:
    """From where to where the mails of this id stand."""
    if message_id.encode() not in content:
        return []
    spans: list[tuple[int, int]] = []
    for match in _BEGINNING.finditer(content):
        start = match.start()
        headers = content[start : start + HEADER_BYTES].partition(b"\n")[2]
        if message_id_of(headers) == message_id:
            # The planted mail has no such line inside, so the next one is somebody else's in any case.
            following = _ANY_BEGINNING.search(content, start)
            spans.append((start, len(content) if following is None else following.start() + 1))
    return spans


def _with_gap(span: tuple[int, int], gap: _Gap, content: bytes) -> tuple[int, int]:
    """The span with the line breaks before it, if nothing follows that needs them."""
    start, end = span
    is_there = gap.start + len(gap.text) == start and content[gap.start : start] == gap.text
    return (gap.start, end) if is_there and end == len(content) else span


def _cut(file: FileIO, content: bytes, spans: list[tuple[int, int]]) -> None:
    if not spans:
        return
    kept: list[bytes] = []
    position = spans[0][0]
    for start, end in spans:
        kept.append(content[position:start])
        position = end
    kept.append(content[position:])
    file.seek(spans[0][0])
    _write(file, b"".join(kept))
    file.truncate()


def _mentions(file: FileIO, message_id: str) -> bool:
    file.seek(0)
    pattern = rb"(?im)^message-id:\s*" + re.escape(message_id.encode())
    return re.search(pattern, file.read()) is not None
