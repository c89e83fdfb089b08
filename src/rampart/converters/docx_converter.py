"""The converter that writes Word files."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, ClassVar, Literal, get_args

from rampart.converters._extra import require_library
from rampart.converters._office_files import lines_of, require_xml_text, utf16_units, with_fixed_times
from rampart.converters._options import require_one_of
from rampart.converters.document_converter import DocumentConverter
from rampart.core.types import PayloadFormat

if TYPE_CHECKING:
    from pathlib import Path

    from docx.document import Document

DocxPlacement = Literal["body", "comment", "hidden-run", "header", "metadata"]

_METADATA_LIMIT = 255  # of what python-docx writes as a core property


class DocxConverter(DocumentConverter):
    """A Word file that holds the content. Needs the extra `docx` (or `documents`).

    Args:
        output_dir: Where the files go; None for a temporary folder that is removed when the process ends.
        placement: `body`: paragraphs, one a line. `comment`: a comment on the cover. `hidden-run`:
            paragraphs in hidden type, which Word does not show. `header`: the page header. `metadata`: the
            property "Comments" (`dc:description`), at most 255 characters.
        cover: Text of the body before the content, one paragraph a line.

    Raises:
        ConfigurationError: If python-docx is not installed.
        ValueError: If the placement is none of these, or XML cannot hold the cover.
    """

    output_format: ClassVar[PayloadFormat] = PayloadFormat.DOCX

    def __init__(
        self, *, output_dir: Path | None = None, placement: DocxPlacement = "body", cover: str = ""
    ) -> None:
        super().__init__(output_dir=output_dir)
        self._docx = require_library("docx", converter="DocxConverter", library="python-docx", extra="docx")
        self._placement = require_one_of(
            placement, get_args(DocxPlacement), what="placement of DocxConverter"
        )
        self._cover = require_xml_text(cover)

    def render(self, *, text: str) -> bytes:
        """The Word file."""
        document: Document = self._docx.Document()
        if self._cover:
            for line in lines_of(self._cover):
                document.add_paragraph(line)
        self._place(document, require_xml_text(text))
        written = io.BytesIO()
        document.save(written)
        return with_fixed_times(written.getvalue())

    def _place(self, document: Document, text: str) -> None:
        match self._placement:
            case "body":
                for line in lines_of(text):
                    document.add_paragraph(line)
            case "hidden-run":
                for line in lines_of(text):
                    document.add_paragraph().add_run(line).font.hidden = True
            case "comment":
                paragraph = document.paragraphs[-1] if document.paragraphs else document.add_paragraph()
                run = paragraph.runs[0] if paragraph.runs else paragraph.add_run()
                document.add_comment(run, text="\n".join(lines_of(text)), author="Reviewer", initials="R")
            case "header":
                header = document.sections[0].header
                header.paragraphs[0].text = lines_of(text)[0]
                for line in lines_of(text)[1:]:
                    header.add_paragraph(line)
            case "metadata":
                if utf16_units(text) > _METADATA_LIMIT:
                    msg = (
                        f"the metadata of a Word file holds at most {_METADATA_LIMIT} characters, "
                        f"the content has {utf16_units(text)}; shorten it or choose another placement"
                    )
                    raise ValueError(msg)
                document.core_properties.comments = text
