"""A maildir: one file a mail, in `new` until it is seen and in `cur` from then on.

Format: https://cr.yp.to/proto/maildir.html; folders as in Maildir++.
"""

from __future__ import annotations

import itertools
import os
import socket
import sys
import time
import uuid
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from rampart.surfaces.blocking import run_blocking_async
from rampart.surfaces.mailbox_store import HEADER_BYTES, message_id_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rampart.surfaces.mailbox_message import BuiltMail
    from rampart.surfaces.undo import Undo

_PARTS = ("tmp", "new", "cur")
_MARK = "maildirfolder"
_ROUNDS = 20


class Maildir:
    """The mails of a maildir, or of one of its folders.

    Readers move a mail from `new` to `cur`, set flags by renaming it and sort it into other folders; it is
    found all the same, as a file that was not there before and has the Message-ID. Modification times of the
    directories are left as they come: readers that keep an index trust them.

    Args:
        path: The maildir.
        folder: A folder of it, by the name that readers show (`Archive.2024`); None for the inbox.

    Raises:
        ValueError: If the folder's name cannot be one.
    """

    def __init__(self, *, path: Path, folder: str | None) -> None:
        if folder is not None:
            _check_folder(folder)
        self._root = Path(os.path.realpath(path))
        self._directory = self._root if folder is None else self._root / f".{folder}"
        self._folder = folder

    @property
    def place(self) -> str:
        """The place, for error messages."""
        return f"maildir {self._directory}"

    @property
    def title(self) -> str:
        """The place, as reports name it."""
        return f"mailbox {self._folder or self._root.name}"

    @property
    def isolation_key(self) -> str:
        """The folder."""
        return f"maildir:{os.path.normcase(self._directory)}"

    def look(self) -> frozenset[str]:
        """The unique names of all mails, in whichever folder they are."""
        return frozenset(_unique_name(path) for path in self._mails())

    def plant(self, mail: BuiltMail, undo: Undo) -> None:
        """Put the mail into `new`, the way deliveries do.

        Raises:
            OSError: If it cannot be written.
            ValueError: If there is something else than a maildir.
        """
        self._refuse_what_is_no_maildir()
        self._make_directories(undo)
        before = self.look()
        if mail.id_is_given and self.holds(mail.message_id, frozenset()):
            msg = f"a mail with the Message-ID {mail.message_id} is there already; choose another one"
            raise ValueError(msg)
        name = _new_name()
        waiting = self._directory / "tmp" / name
        undo.add(partial(run_blocking_async, partial(self.remove, mail.message_id, before)))
        undo.add(partial(run_blocking_async, partial(waiting.unlink, missing_ok=True)))
        with open(os.open(waiting, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:  # noqa: PTH123  # opens a descriptor
            file.write(mail.content)
        _give_to_the_owner_of(self._directory / "tmp", waiting, mode=0o666)
        waiting.rename(self._directory / "new" / name)

    def holds(self, message_id: str, before: frozenset[str]) -> bool:
        """Whether such a mail is there now."""
        return next(self._find(message_id, before, []), None) is not None

    def remove(self, message_id: str, before: frozenset[str]) -> None:
        """Remove every mail of this id that was not there before.

        Raises:
            OSError: If one cannot be removed, or one that came meanwhile cannot be read.
            RuntimeError: If it is moved about faster than it can be removed.
        """
        nothing_found = 0
        for _ in range(_ROUNDS):
            unreadable: list[OSError] = []
            found = list(self._find(message_id, before, unreadable))
            for path in found:
                with suppress(FileNotFoundError):  # moved meanwhile: the next round finds it
                    path.unlink()
            # A file that is renamed while its directory is listed may be missed once.
            nothing_found = 0 if found else nothing_found + 1
            if nothing_found == 2:
                if unreadable:  # what is known to be there has gone; this may be a copy of it
                    raise unreadable[0]
                return
        msg = f"somebody keeps moving the mail {message_id} about"
        raise RuntimeError(msg)

    def _find(self, message_id: str, before: frozenset[str], unreadable: list[OSError]) -> Iterator[Path]:
        for path in self._mails():
            if _unique_name(path) in before:
                continue
            try:
                # A pipe would be waited for, and is no mail.
                beginning = _beginning(path) if path.is_file() or path.is_dir() else b""
            except FileNotFoundError:
                continue
            except OSError as error:
                unreadable.append(error)
                continue
            if message_id_of(beginning) == message_id:
                yield path

    def _mails(self) -> Iterator[Path]:
        """All mails of the maildir; `new` before `cur`, since that is the way they go."""
        with suppress(FileNotFoundError):
            folders = sorted(path for path in self._root.iterdir() if path.name.startswith("."))
            for folder, part in itertools.product([self._root, *folders], ("new", "cur")):
                with suppress(FileNotFoundError, NotADirectoryError):
                    yield from (folder / part).iterdir()

    def _refuse_what_is_no_maildir(self) -> None:
        for directory in {self._root, self._directory}:
            names = {path.name for path in directory.iterdir()} if directory.exists() else set()
            if names and not {"new", "cur"} <= names:
                msg = f"{directory} is no maildir: it has other contents, and no folders `new` and `cur`"
                raise ValueError(msg)

    def _make_directories(self, undo: Undo) -> None:
        for directory in dict.fromkeys([self._root, self._directory]):
            _make_directory(directory, undo)
            made = [part for part in _PARTS if not (directory / part).exists()]
            marked = directory != self._root and not (directory / _MARK).exists()
            undo.add(partial(run_blocking_async, partial(_remove_parts, directory, made, marked=marked)))
            for part in made:
                (directory / part).mkdir(mode=0o700, exist_ok=True)
                _give_to_the_owner_of(directory, directory / part, mode=0o777)
            if marked:
                (directory / _MARK).touch(mode=0o600)
                _give_to_the_owner_of(directory, directory / _MARK, mode=0o666)


def _make_directory(directory: Path, undo: Undo) -> None:
    """Make a directory and those above it that are missing; whatever is empty at the end goes again."""
    if directory.is_dir():
        return
    _make_directory(directory.parent, undo)
    with suppress(FileExistsError):  # somebody else's, then
        directory.mkdir(mode=0o700)
        undo.add(partial(run_blocking_async, partial(_remove_if_empty, directory)))
        _give_to_the_owner_of(directory.parent, directory, mode=0o700)


def _give_to_the_owner_of(model: Path, path: Path, *, mode: int) -> None:
    """Let those use `path` who can use `model`, as mail servers do: they read under users of their own."""
    about = model.stat()
    path.chmod((about.st_mode & mode) | (mode & 0o700))
    if sys.platform != "win32":
        with suppress(PermissionError):  # only root gives files away
            os.chown(path, about.st_uid, about.st_gid)


def _remove_parts(directory: Path, made: list[str], *, marked: bool) -> None:
    """A maildir of which a part is in use is left whole: readers need all of it."""
    with suppress(FileNotFoundError):
        others = {path.name for path in directory.iterdir()} - {*made, _MARK}
        in_use = any(any((directory / part).iterdir()) for part in made if (directory / part).is_dir())
        if in_use or (others and len(made) == len(_PARTS)):
            return
        if marked:
            (directory / _MARK).unlink(missing_ok=True)
        for part in made:
            _remove_if_empty(directory / part)


def _remove_if_empty(directory: Path) -> None:
    try:
        directory.rmdir()
    except FileNotFoundError:
        return
    except OSError:
        if not any(directory.iterdir()):
            raise


def _beginning(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(HEADER_BYTES)


def _unique_name(path: Path) -> str:
    return path.name.partition(":")[0]


def _new_name() -> str:
    seconds, nanoseconds = divmod(time.time_ns(), 10**9)
    host = socket.gethostname().replace("/", r"\057").replace(":", r"\072")
    return f"{seconds}.M{nanoseconds // 1000}P{os.getpid()}R{uuid.uuid4().hex[:16]}.{host}"


def _check_folder(folder: object) -> None:
    if not isinstance(folder, str):
        msg = f"folder must be a str, got {folder!r}"
        raise TypeError(msg)
    if not folder or any(part in {"", ".", ".."} for part in folder.split(".")) or set(folder) & set("/\0\\"):
        msg = f"folder must be a name such as 'Archive.2024', without slashes and empty parts, got {folder!r}"
        raise ValueError(msg)
