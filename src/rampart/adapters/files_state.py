"""The files below a folder, as a state."""

from __future__ import annotations

import asyncio
import hashlib
import inspect
import os
import stat
from collections.abc import Awaitable, Callable, Iterable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, TypeAlias

from rampart.adapters.state_value import digest

Folder: TypeAlias = str | os.PathLike[str]
Root: TypeAlias = Folder | Callable[[Any], Folder] | Callable[[Any], Awaitable[Folder]]

_LONGEST_TEXT = 16_384
_ALL_TEXTS = 1_000_000
_CHUNK = 1 << 20


class FilesState:
    """What files there are below a folder and what is in them, for `with_state`.

    The state has the path of each file below the folder, with `/`, and its content: text of at most 16,384
    bytes as it is, up to 1 MB in all, and anything else as its SHA-256 and length. A symbolic link is shown
    as one and not followed, an empty folder by its path with `/` at the end. Times and permissions are no
    part of it. A folder that does not exist is empty. Files are read in a thread.

    Args:
        root: The folder, or a function that gives the folder of a session.
        glob: Only files whose path below the folder fits one of these patterns, in which `*` stands for
            anything, `/` included.
        most_files: With more files than this no snapshot is taken.

    Raises:
        TypeError: If the root is neither a path nor a function.
        ValueError: If `most_files` is below 1.
    """

    def __init__(self, root: Root, /, *, glob: str | Iterable[str] = "*", most_files: int = 5000) -> None:
        given: object = root
        if not isinstance(given, str | os.PathLike) and not callable(given):
            msg = f"root must be a path or a function of the session, got {type(given).__name__}"
            raise TypeError(msg)
        if most_files < 1:
            msg = f"most_files must be 1 or more, got {most_files}"
            raise ValueError(msg)
        self._root = root
        self._globs = [glob] if isinstance(glob, str) else list(glob)
        self._most = most_files
        self.shared = not callable(root)

    async def __call__(self, session: object, /) -> dict[str, str]:
        """Take a snapshot.

        Raises:
            ValueError: If there are too many files.
            OSError: If one cannot be read.
        """
        root: Any = self._root(session) if callable(self._root) else self._root
        if inspect.isawaitable(root):
            root = await root
        return await asyncio.to_thread(self._take, Path(root))

    def _take(self, root: Path) -> dict[str, str]:
        state: dict[str, str] = {}
        room = _ALL_TEXTS
        for path, name in self._paths(root):
            if len(state) >= self._most:
                msg = f"there are more than {self._most} files below the folder; narrow the glob"
                raise ValueError(msg)
            try:
                state[name] = _shown(path, room)
            except FileNotFoundError:  # it went away since it was listed
                continue
            if not state[name].startswith("sha256:"):
                room -= len(state[name])
        return state

    def _paths(self, root: Path) -> Iterable[tuple[Path, str]]:
        for folder, folders, files in os.walk(root, onerror=_unless_gone):
            folders.sort()
            here = Path(folder)
            links = [one for one in folders if (here / one).is_symlink()]
            names = [*files, *links] if files or folders or here == root else [""]
            for one in sorted(names):
                name = f"{here.relative_to(root).as_posix()}/" if not one else _below(root, here / one)
                if any(fnmatchcase(name, glob) for glob in self._globs):
                    yield here / one, name


def _below(root: Path, path: Path) -> str:
    return path.relative_to(root).as_posix()


def _unless_gone(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError):
        raise error


def _shown(path: Path, room: int) -> str:
    facts = path.lstat()
    if stat.S_ISDIR(facts.st_mode):
        return "an empty folder"
    if stat.S_ISLNK(facts.st_mode):
        return f"a link to {path.readlink()}"
    if not stat.S_ISREG(facts.st_mode):  # opening a pipe may wait forever
        return "a special file"
    if facts.st_size > min(_LONGEST_TEXT, room):
        return _hashed(path)
    content = path.read_bytes()
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return digest(content)
    return digest(content) if text.startswith("sha256:") else text


def _hashed(path: Path) -> str:
    hashed = hashlib.sha256()
    length = 0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            hashed.update(chunk)
            length += len(chunk)
    return f"sha256:{hashed.hexdigest()} ({length} bytes)"
