"""A file that the agent reads."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, get_args

from rampart.core.types import Payload
from rampart.surfaces.file_content import FileContent, FileMode
from rampart.surfaces.file_handle import FileHandle
from rampart.surfaces.handle import repeatable
from rampart.text.oneline import quote

if TYPE_CHECKING:
    from rampart.core.injection import InjectionHandle


class FileSurface:
    """Plants payloads in a file, and puts the file back as it was.

    The file is changed in place, so that its owner, its links and whoever has it open stay; its bytes, its
    permissions and the time of its last change are restored. A file that does not exist is made, with the
    folders above it, and removed again. Links are followed to the file itself.

    While the payload is in it, the original lies in a folder among the temporary files. A run that is
    killed leaves it there, and the next run that uses a `FileSurface` puts the file back.

    A file that somebody changed meanwhile is left alone: leaving the handle raises, and says where the
    original is kept.

    Args:
        path: The file; a relative one belongs to the working directory of now.
        directory: A folder, instead of `path`: the file is named by the payload's id and format.
        mode: Whether the payload replaces the content, is appended to it, or is inserted behind `marker`.
            `"name"` makes an empty file in `directory` whose name is the payload.
        marker: The text behind which `insert` puts the payload; it must be in the file once.
        name: What reports call the place; `file <file name>` without.
        encoding: How text is encoded; a byte order mark and the line ends of the file stay.
        max_bytes: The largest payload that is taken, in bytes; None sets no limit.

    Raises:
        TypeError: If an argument is of a wrong type.
        ValueError: If arguments do not go together.
    """

    def __init__(
        self,
        *,
        path: str | os.PathLike[str] | None = None,
        directory: str | os.PathLike[str] | None = None,
        mode: FileMode = "replace",
        marker: str | None = None,
        name: str | None = None,
        encoding: str = "utf-8",
        max_bytes: int | None = None,
    ) -> None:
        _check_mode(mode, marker, in_directory=directory is not None)
        _check_encoding(encoding)
        _check_max_bytes(max_bytes)
        _check_name(name)
        self._path, self._directory = _place(path, directory)
        self._name = name
        self._mode = mode
        self._content = FileContent(mode=mode, marker=marker, encoding=encoding, max_bytes=max_bytes)

    def inject(self, *, payload: Payload) -> InjectionHandle:
        """Prepare to plant a payload; the file is not looked at before the handle is entered.

        A binary payload replaces the whole file with its artifact.

        Args:
            payload: What to plant.

        Raises:
            TypeError: If it is no payload.
            ValueError: If it cannot be the name of a file, in the mode `"name"`.
        """
        if not isinstance(payload, Payload):
            msg = f"payload must be a Payload, got {type(payload).__name__}"
            raise TypeError(msg)
        return repeatable(self._handle, payload)

    def _handle(self, payload: Payload) -> FileHandle:
        path = self._path
        if self._directory is not None:
            path = os.path.join(self._directory, self._file_name(payload))  # noqa: PTH118 - Path drops dots
        assert path is not None  # one of the two was given
        shown = quote(os.path.basename(path), 60)  # noqa: PTH119 - likewise
        return FileHandle(
            payload=payload,
            surface_name=self._name or f"file {shown}",
            path=path,
            content=self._content,
            # Whoever reads one name has listed the folder, and read those of other trials too.
            alone_in=self._directory if self._mode == "name" else None,
        )

    def _file_name(self, payload: Payload) -> str:
        if self._mode != "name":
            return f"{payload.id}{payload.format.extension}"
        text = payload.content
        if not text.strip() or text in {".", ".."} or any(part in text for part in "/\\\0"):
            msg = f"payload {payload.id!r} cannot be the name of a file: {quote(text, 60)!r}"
            raise ValueError(msg)
        return text


def _place(path: object, directory: object) -> tuple[str | None, str | None]:
    if (path is None) == (directory is None):
        msg = "give path= or directory=, one of them"
        raise ValueError(msg)
    return _absolute("path", path), _absolute("directory", directory)


def _absolute(name: str, value: object) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str | os.PathLike):
        msg = f"{name} must be a path, got {type(value).__name__}"
        raise TypeError(msg)
    text = os.fspath(value)
    if not isinstance(text, str) or not text or "\0" in text:
        msg = f"{name} must be a path, got {text!r}"
        raise ValueError(msg)
    return os.path.abspath(text)  # noqa: PTH100 - links are followed later


def _check_mode(mode: object, marker: object, *, in_directory: bool) -> None:
    if mode not in get_args(FileMode):
        msg = f"mode must be one of {', '.join(map(repr, get_args(FileMode)))}, got {mode!r}"
        raise ValueError(msg)
    if marker is not None and not isinstance(marker, str):
        msg = f"marker must be a text, got {type(marker).__name__}"
        raise TypeError(msg)
    if (mode == "insert") != bool(marker):
        msg = f"mode='insert' needs a marker and other modes take none, got {mode=} and {marker=}"
        raise ValueError(msg)
    if in_directory and mode == "insert":
        msg = "mode='insert' needs path=: a file that is made anew holds no marker"
        raise ValueError(msg)
    if mode == "name" and not in_directory:
        msg = "mode='name' needs directory=: the file is named by the payload"
        raise ValueError(msg)


def _check_name(name: object) -> None:
    if name is not None and (not isinstance(name, str) or not name.strip()):
        msg = f"name must be a text that is not blank, got {name!r}"
        raise ValueError(msg)


def _check_encoding(encoding: object) -> None:
    if not isinstance(encoding, str):
        msg = f"encoding must be the name of a text encoding, got {type(encoding).__name__}"
        raise TypeError(msg)
    try:
        "".encode(encoding)
    except (LookupError, ValueError) as error:
        msg = f"encoding must be the name of a text encoding, got {encoding!r}"
        raise ValueError(msg) from error


def _check_max_bytes(max_bytes: object) -> None:
    if max_bytes is None:
        return
    if isinstance(max_bytes, bool) or not isinstance(max_bytes, int):
        msg = f"max_bytes must be a number of bytes, or None for no limit, got {max_bytes!r}"
        raise TypeError(msg)
    if max_bytes < 1:
        msg = f"max_bytes must be 1 or more, got {max_bytes}"
        raise ValueError(msg)
