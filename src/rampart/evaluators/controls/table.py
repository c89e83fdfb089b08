"""Tables of text, for a terminal or as Markdown."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table.

    Attributes:
        title: What it is about.
        header: The names of the columns.
        rows: The cells, as text.
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def text(self) -> str:
        """Columns that are aligned with blanks."""
        lines = [self.header, *self.rows]
        widths = [max(len(line[column]) for line in lines) for column in range(len(self.header))]
        aligned = [
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
            for line in lines
        ]
        return "\n".join([self.title, "", *aligned])

    def markdown(self) -> str:
        """A Markdown table under a title in bold."""
        rule = tuple("---" for _ in self.header)
        lines = [
            "| " + " | ".join(cell.replace("|", r"\|") for cell in line) + " |"
            for line in (self.header, rule, *self.rows)
        ]
        return "\n".join([f"**{self.title}**", "", *lines])
