"""What all converters of text to a file share."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

from rampart.converters._artifacts import ArtifactFolder
from rampart.converters.conversion import converted, naming, require_text_payload
from rampart.text.encodings import utf8_bytes

if TYPE_CHECKING:
    from pathlib import Path

    from rampart.core.types import Payload, PayloadFormat


class DocumentConverter(ABC):
    """Base of converters that write the content into a file; implement `render`.

    The result keeps the payload's id, content and metadata, adds `converter`, the name of the class, and has
    the file as its artifact. The file is named after the payload's id; no file is ever replaced.

    Args:
        output_dir: Where the files go; None for a temporary folder that is removed when the process ends.

    Attributes:
        output_format: The format of the result.
    """

    output_format: ClassVar[PayloadFormat]

    def __init__(self, *, output_dir: Path | None = None) -> None:
        self._artifacts = ArtifactFolder(output_dir)

    @abstractmethod
    def render(self, *, text: str) -> bytes:
        """The bytes of the file that holds `text`; runs in a thread.

        Raises:
            ValueError: If such a file cannot hold this text; converting a payload adds which converter and
                payload.
        """

    async def convert_async(self, *, payload: Payload) -> Payload:
        """A payload with the same id, content and metadata, and the file as its artifact.

        Raises:
            ValueError: If the payload is binary, or the file cannot hold its content.
            OSError: If the file cannot be written.
        """
        require_text_payload(payload, converter=type(self).__name__)
        artifact = await asyncio.to_thread(self._write, payload)
        return converted(
            payload,
            converter=type(self).__name__,
            content=payload.content,
            payload_format=self.output_format,
            artifact=artifact,
        )

    def _write(self, payload: Payload) -> Path:
        with naming(payload, converter=type(self).__name__):
            utf8_bytes(payload.content)
            data = self.render(text=payload.content)
        return self._artifacts.write(data, payload_id=payload.id, extension=self.output_format.extension)
