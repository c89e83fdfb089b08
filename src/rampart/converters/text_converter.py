"""What all converters of text to text share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from rampart.converters.conversion import converted, naming, require_text_payload
from rampart.core.types import PayloadFormat

if TYPE_CHECKING:
    from rampart.core.types import Payload


class TextConverter(ABC):
    """Base of converters that write the content in another way; implement `transform`.

    The result keeps the payload's id and metadata and adds `converter`, the name of the class. TEXT, HTML
    and MARKDOWN are taken; the result is TEXT unless the class says otherwise.

    Attributes:
        output_format: The format of the result.
    """

    output_format: ClassVar[PayloadFormat] = PayloadFormat.TEXT

    @abstractmethod
    def transform(self, *, text: str) -> str:
        """The text in its other form.

        Raises:
            ValueError: If this text has no such form; converting a payload adds which converter and payload.
        """

    def about(self, *, text: str) -> dict[str, Any]:
        """Metadata to add, about the form that `text` gets; nothing by default."""
        return {}

    async def convert_async(self, *, payload: Payload) -> Payload:
        """A text payload with the same id and metadata, in the other form.

        Raises:
            ValueError: If the payload is binary, or its content has no such form.
        """
        name = type(self).__name__
        require_text_payload(payload, converter=name)
        with naming(payload, converter=name):
            content = self.transform(text=payload.content)
        return converted(
            payload,
            converter=name,
            content=content,
            payload_format=self.output_format,
            about=self.about(text=payload.content),
        )
