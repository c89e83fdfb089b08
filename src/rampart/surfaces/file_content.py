"""What a file holds once a payload is in it, in the file's own encoding and line ends."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from rampart.core.errors import InfrastructureError

if TYPE_CHECKING:
    from rampart.core.types import Payload

FileMode: TypeAlias = Literal["replace", "append", "insert", "name"]
"""Where a payload goes: instead of the content, behind it, behind a marker, or into the file's name."""

_BOMS = {
    "utf-8": ((codecs.BOM_UTF8, "utf-8"),),
    "utf-16": ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")),
    "utf-32": ((codecs.BOM_UTF32_LE, "utf-32-le"), (codecs.BOM_UTF32_BE, "utf-32-be")),
}


@dataclass(frozen=True, kw_only=True)
class FileContent:
    """How payloads become the bytes of a file.

    Attributes:
        mode: Where a payload goes.
        marker: The text behind which `insert` puts it.
        encoding: How text is encoded.
        max_bytes: The largest payload that is taken, in bytes; None sets no limit.
    """

    mode: FileMode
    marker: str | None
    encoding: str
    max_bytes: int | None

    def with_payload(self, found: bytes | None, payload: Payload) -> bytes:
        """What the file holds with the payload in it.

        Args:
            found: What it holds without; None if it does not exist.
            payload: What is planted.

        Raises:
            InfrastructureError: If the payload does not fit, or the file is not one into which it can be put.
            OSError: If the artifact of a binary payload cannot be read.
        """
        if self.mode == "name":
            return b""
        if payload.format.is_binary:
            return self._admitted(self._artifact(payload))
        if self.mode == "replace" or (found is None and self.mode == "append"):
            return self._whole(found, payload.content)
        if found is None:
            msg = f"the file does not exist, so it holds no marker {self.marker!r}"
            raise InfrastructureError(msg)
        return self._inside(found, payload.content)

    def _artifact(self, payload: Payload) -> bytes:
        if self.mode != "replace":
            msg = f"a payload of format {payload.format.value!r} is a whole file: use mode='replace' for it"
            raise InfrastructureError(msg)
        if payload.artifact is None:
            msg = f"a payload of format {payload.format.value!r} needs an artifact, and this one has none"
            raise InfrastructureError(msg)
        return Path(payload.artifact).read_bytes()

    def _whole(self, found: bytes | None, text: str) -> bytes:
        bom, codec = self._codec(found)
        if found is not None:
            # What cannot be read as text has no line ends to keep.
            text = _with_line_ends(text, found[len(bom) :].decode(codec, "replace"))
        return bom + self._admitted(self._encoded(text, codec))

    def _inside(self, found: bytes, text: str) -> bytes:
        bom, codec = self._codec(found)
        try:
            old = found[len(bom) :].decode(codec)
        except UnicodeDecodeError as error:
            msg = f"the file is no {self.encoding} text ({error}): pass encoding=, or use mode='replace'"
            raise InfrastructureError(msg) from error
        text = _with_line_ends(text, old)
        self._admitted(self._encoded(text, codec))
        at = len(old)
        if self.mode == "append":
            text = _on_lines_of_its_own(text, old)
        else:
            at = self._place_in(old)
        # Only the new piece is encoded, so the rest stays as it is whatever the encoding makes of it.
        before = len(bom) + len(old[:at].encode(codec))
        return found[:before] + self._encoded(text, codec) + found[before:]

    def _place_in(self, old: str) -> int:
        assert self.marker is not None  # the surface saw to it
        marker = _with_line_ends(self.marker, old)
        first = old.find(marker)
        if first < 0:
            msg = f"the file does not hold the marker {self.marker!r}"
            raise InfrastructureError(msg)
        if old.find(marker, first + 1) >= 0:
            msg = f"the file holds the marker {self.marker!r} more than once: choose text that is there once"
            raise InfrastructureError(msg)
        return first + len(marker)

    def _codec(self, found: bytes | None) -> tuple[bytes, str]:
        """The byte order mark that the file has or shall get, and the codec for what follows it."""
        name = codecs.lookup(self.encoding).name
        marks = _BOMS.get(name.removesuffix("-sig"), ())
        for bom, codec in marks:
            if found is not None and found.startswith(bom):
                return bom, codec
        if not marks or name == "utf-8" or (found and name == "utf-8-sig"):
            return b"", name.removesuffix("-sig")
        if found:
            msg = (
                f"the file has no byte order mark: pass encoding='{self.encoding}-le' or '{self.encoding}-be'"
            )
            raise InfrastructureError(msg)
        return marks[0]

    def _encoded(self, text: str, codec: str) -> bytes:
        try:
            return text.encode(codec)
        except UnicodeEncodeError as error:
            msg = f"the payload cannot be written as {self.encoding}: {error}"
            raise InfrastructureError(msg) from error

    def _admitted(self, data: bytes) -> bytes:
        if self.max_bytes is not None and len(data) > self.max_bytes:
            msg = (
                f"the payload has {len(data)} bytes, and the file takes at most {self.max_bytes} (max_bytes)"
            )
            raise InfrastructureError(msg)
        return data


def _with_line_ends(text: str, old: str) -> str:
    """`text` with the line ends that most lines of `old` have; as it is where there are none."""
    windows = old.count("\r\n")
    unix = old.count("\n") - windows
    if not windows and not unix:
        return text
    plain = text.replace("\r\n", "\n")
    return plain.replace("\n", "\r\n") if windows > unix else plain


def _on_lines_of_its_own(text: str, old: str) -> str:
    """`text` behind `old`: it begins a line, and ends one if `old` does."""
    newline = "\r\n" if old.count("\r\n") * 2 > old.count("\n") else "\n"
    if not old:
        return text
    if not old.endswith("\n"):
        return newline + text
    return text if text.endswith("\n") else text + newline
